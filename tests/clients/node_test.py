#!/usr/bin/env python3
"""The JavaScript client (@kubernetes/client-node of npm) against our server: node_cases.mjs.

    node_test.py KUBE_APISERVER [unittest options]
"""
import os
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import install
from kubectl import CALL_SECONDS
from server import ApiServer

BINARY = sys.argv.pop(1) if len(sys.argv) > 1 else ""


class Node(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            cls.modules = install.client_node()
        except install.Unavailable as error:
            raise unittest.SkipTest(f"@kubernetes/client-node: {error}") from error
        cls.server = ApiServer(BINARY)
        cls.addClassCleanup(cls.server.close)
        cls.server.request("POST", "/api/v1/namespaces", {"metadata": {"name": "node"}})

    def start(self, case):
        return subprocess.Popen(
            ["node", HERE / "node_cases.mjs", self.modules, case],
            env={**os.environ, "KUBECONFIG": str(self.server.kubeconfig)}, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def finish(self, process):
        try:
            output, _ = process.communicate(timeout=CALL_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            output, _ = process.communicate()
        self.assertEqual(process.returncode, 0, output)

    def play(self, case):
        self.finish(self.start(case))

    def forget_changes(self):
        """A server that starts knows no changes from before."""
        self.server.request("POST", "/api/v1/namespaces/node/configmaps",
                            {"metadata": {"generateName": "old-"}})
        self.server.stop()
        self.server.start()

    def test_an_object_lives_from_create_to_delete(self):
        self.play("objects")

    def test_what_is_there_what_is_outdated_and_what_is_invalid_is_refused(self):
        self.play("refusals")

    def test_patches_of_each_kind(self):
        self.play("patches")

    def test_scale_and_status_are_subresources(self):
        self.play("subresources")

    def test_lists_come_in_pages(self):
        self.play("pages")

    def test_objects_of_any_kind_are_found_by_discovery(self):
        self.play("kubernetesObjects")

    def test_a_watch_from_a_version_tells_what_happened_since(self):
        self.play("watchFromVersion")

    def test_a_version_that_is_gone_is_said_to_be(self):
        self.forget_changes()
        self.play("watchOfWhatIsGone")

    def test_an_informer_starts_over_when_its_version_is_gone(self):
        self.forget_changes()
        self.play("informerStartsOverAfterExpiry")

    def test_an_informer_keeps_up_across_restarts_of_the_server(self):
        process = self.start("informerAcrossRestarts")
        self.addCleanup(process.kill)
        for word, end in (("restart\n", self.server.stop), ("kill\n", self.server.kill)):
            line = process.stdout.readline()
            if line != word:
                self.fail(line + process.stdout.read())
            end()
            self.server.start()
            process.stdin.write("done\n")
            process.stdin.flush()
        self.finish(process)


if __name__ == "__main__":
    unittest.main(verbosity=2)
