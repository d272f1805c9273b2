#!/usr/bin/env python3
"""skiff bench api against a server of ours.

    bench_test.py SKIFF [unittest options]
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SKIFF = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""
TIMEOUT = 120


class Bench(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="skiff-bench.")
        cls.data = os.path.join(cls.folder, "data")
        cls.kubeconfig = os.path.join(cls.folder, "kubeconfig")
        subprocess.run([SKIFF, "up", "--data-dir", cls.data, "--port", "0", "--detach",
                        "--timeout", "100s", "--kubeconfig", cls.kubeconfig], check=True,
                       capture_output=True, timeout=TIMEOUT)

    @classmethod
    def tearDownClass(cls):
        subprocess.run([SKIFF, "down", "--data-dir", cls.data], capture_output=True,
                       timeout=TIMEOUT, check=False)
        shutil.rmtree(cls.folder, ignore_errors=True)

    def command(self, *words):
        return [SKIFF, "bench", "api", *words, "--kubeconfig", self.kubeconfig]

    def bench(self, *words):
        done = subprocess.run(self.command(*words, "-o", "json"), capture_output=True, text=True,
                              timeout=TIMEOUT, check=False)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return json.loads(done.stdout)

    def interrupt(self, running, seconds):
        """As Ctrl-C does, that long after it has begun to wait for that."""
        deadline = time.monotonic() + TIMEOUT
        blocked = 0
        while not blocked & 1 << (signal.SIGINT - 1):
            self.assertLess(time.monotonic(), deadline)
            with open(f"/proc/{running.pid}/status", encoding="ascii") as status:
                blocked = next(int(line.split()[1], 16) for line in status
                               if line.startswith("SigBlk:"))
        time.sleep(seconds)
        running.send_signal(signal.SIGINT)

    def test_every_scenario_is_measured(self):
        for scenario in ("get", "list", "create", "update", "patch", "delete"):
            for kind in ("configmap", "pod"):
                with self.subTest(scenario=scenario, kind=kind):
                    figures = self.bench(scenario, "--kind", kind, "--count", "40", "--objects",
                                         "40")
                    [row] = figures["operations"]
                    self.assertEqual((row["name"], row["count"], row["failed"]), (scenario, 40, 0))
                    self.assertLessEqual(row["p50"], row["p99"])
                    self.assertLessEqual(row["p99"], row["max"])

    def test_mixed_load_tells_the_operations_apart(self):
        figures = self.bench("mixed", "--count", "2000")
        names = [row["name"] for row in figures["operations"]]
        self.assertEqual(names[:5], ["get", "list", "create", "update", "patch"])
        self.assertEqual(sum(row["count"] for row in figures["operations"]), 2000)

    def test_forms_and_pages_of_lists(self):
        sizes = {}
        for form in ("json", "protobuf", "table"):
            figures = self.bench("list", "--accept", form, "--count", "4", "--objects", "50")
            sizes[form] = figures["receivedBytes"]
        self.assertLess(sizes["protobuf"], sizes["json"])
        paged = self.bench("list", "--limit", "5", "--count", "4", "--objects", "50")
        self.assertLess(paged["receivedBytes"], sizes["json"] / 5)

    def test_every_watcher_hears_of_every_event(self):
        figures = self.bench("watch", "--watchers", "20", "--events", "30")
        create, delivery = figures["operations"]
        self.assertEqual(create["count"], 30)
        self.assertEqual((delivery["count"], delivery["failed"]), (600, 0))
        self.assertEqual(figures["watchesCutOff"], 0)

    def test_the_servers_process_is_measured(self):
        status = subprocess.run([SKIFF, "status", "--data-dir", self.data, "-o", "json"],
                                capture_output=True, text=True, timeout=TIMEOUT, check=True)
        pid = json.loads(status.stdout)["pid"]
        figures = self.bench("get", "--count", "2000", "--pid", str(pid))
        usage = figures["serverProcess"]
        self.assertEqual(usage["pid"], pid)
        self.assertGreater(usage["residentBytesAfter"], 0)

    def test_ctrl_c_ends_the_load_and_still_cleans_up(self):
        running = subprocess.Popen(self.command("create", "--duration", "60s", "-o", "json"),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.interrupt(running, 2)
        out, err = running.communicate(timeout=TIMEOUT)
        self.assertEqual(running.returncode, 1)
        self.assertIn("interrupted", err)
        figures = json.loads(out)
        self.assertTrue(figures["interrupted"])
        # In the same namespace again, only what is made now is listed: of objects like these, since
        # the control loops may make others meanwhile.
        again = ["list", "--objects", "1", "--count", "1", "--namespace", "default", "--selector",
                 "skiff-bench-run"]
        before = self.bench(*again)["receivedBytes"]
        running = subprocess.Popen(self.command("create", "--duration", "60s", "--namespace",
                                                "default"),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.interrupt(running, 1)
        running.wait(TIMEOUT)
        self.assertAlmostEqual(self.bench(*again)["receivedBytes"], before, delta=200)

    def test_mistakes_are_named(self):
        for words, message in (
                (["fly"], '"fly" is not one of'),
                (["get", "--server", "https://127.0.0.1:1", "--context", "x"], "--server excludes"),
                (["create", "--accept", "table"], "--accept is for get and list"),
        ):
            done = subprocess.run([SKIFF, "bench", "api", *words], capture_output=True, text=True,
                                  timeout=TIMEOUT, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(message, done.stderr)
        done = subprocess.run([SKIFF, "bench", "api", "get", "--server", "https://127.0.0.1:1"],
                              capture_output=True, text=True, timeout=TIMEOUT, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("Connection refused", done.stderr)


if __name__ == "__main__":
    unittest.main()
