#!/usr/bin/env python3
"""The API server on a disk that is too small, full, or does not answer.

    full_disk_test.py KUBE_APISERVER SKIFF

Each test mounts a small file system of its own, in a mount namespace that ends with this process.
Where that is not permitted the test says so and is skipped.
SKIFF_FAULTS=1: more writes on a larger disk.
"""
import json
import os
import shutil
import ssl
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "clients"))
from server import ADMIN, ApiServer

THOROUGH = os.environ.get("SKIFF_FAULTS") == "1"
DISK_MB = 300 if THOROUGH else 160
MAPS = "/api/v1/namespaces/default/configmaps"
LARGE = 700_000
PATIENCE = 90
INSIDE = "SKIFF_IN_MOUNT_NAMESPACE"


class SmallServer(ApiServer):
    """A server whose data lie on a volume of their own. Answers of any code are answers."""

    def __init__(self, binary, volume):
        self.volume = volume
        super().__init__(binary)

    def command_flags(self):
        return [*super().command_flags(), f"--data-dir={self.volume}"]

    def ask(self, method, path, body=None, timeout=60):
        """The code, the text, and the headers."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.url + path, method=method, data=data,
            headers={"Authorization": f"Bearer {ADMIN}", "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, context=ssl._create_unverified_context(),
                                        timeout=timeout) as answer:
                return answer.status, answer.read().decode(), answer.headers
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode(), error.headers

    def code(self, method, path, body=None):
        return self.ask(method, path, body)[0]


def config_map(name, size, marker="x"):
    text = f"{marker}-"
    return {"metadata": {"name": name, "namespace": "default"},
            "data": {"a": text + "x" * (size - len(text))}}


def free_bytes(folder):
    found = os.statvfs(folder)
    return found.f_bfree * found.f_frsize


class FullDiskTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.volume = self.folder / "volume"
        self.volume.mkdir()
        self.server = None

    def mount(self, *arguments):
        done = subprocess.run(["mount", *arguments, str(self.volume)], capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            self.skipTest("file systems cannot be mounted here: " + done.stderr.strip())
        self.addCleanup(subprocess.run, ["umount", "-l", str(self.volume)], check=False)

    def start(self):
        self.server = SmallServer(BINARY, self.volume)
        self.addCleanup(self.end)

    def end(self):
        self.server.kill()
        self.server._temporary.cleanup()

    def small_disk(self):
        self.mount("-t", "tmpfs", "-o", f"size={DISK_MB}m", "none")
        self.start()

    def has_room(self):
        """As much as the store tries to have, and the reserve."""
        return free_bytes(self.volume) > DISK_MB * 2 ** 20 / 5

    def until(self, what, holds):
        deadline = time.monotonic() + PATIENCE
        while not holds():
            if time.monotonic() > deadline:
                self.fail(f"never {what}; the log of the server ends with\n" + self.server.log())
            time.sleep(0.1)

    def write(self, method, path, body):
        """Until it is taken; what is refused must be refused in the way that clients try again."""
        deadline = time.monotonic() + PATIENCE
        while True:
            code, text, headers = self.server.ask(method, path, body)
            if code in (200, 201):
                return
            self.assertEqual(code, 503, text)
            self.assertIsNotNone(headers["Retry-After"], text)
            if time.monotonic() > deadline:
                self.fail("never taken: " + text + "\n" + self.server.log())
            time.sleep(0.2)

    def fill(self):
        """Large objects until no more are taken, not even after a while; the names of those that
        were."""
        names = []
        refusals = 0
        while refusals < 12:
            name = f"filler-{len(names)}"
            code, text, headers = self.server.ask("POST", MAPS, config_map(name, LARGE))
            if code == 201:
                names.append(name)
                refusals = 0
                continue
            self.assertEqual(code, 503, text)
            self.assertIn("nearly full", json.loads(text)["message"])
            self.assertEqual(json.loads(text)["reason"], "ServiceUnavailable")
            self.assertGreater(int(headers["Retry-After"]), 0)
            refusals += 1
            time.sleep(0.2)
        return names

    def test_objects_that_change_again_and_again_do_not_fill_the_disk_with_their_past(self):
        self.small_disk()
        names = ["a", "b", "c"]
        for name in names:
            self.write("POST", MAPS, config_map(name, LARGE))
        rounds = (10 if THOROUGH else 2) * DISK_MB * 1_000_000 // LARGE
        for i in range(rounds):
            name = names[i % 3]
            self.write("PUT", f"{MAPS}/{name}", config_map(name, LARGE, i))
        self.assertEqual(self.server.code("GET", "/readyz"), 200)
        self.until("room enough", self.has_room)
        # And it starts again, with what was written last.
        self.server.kill()
        self.server.start()
        for i in range(rounds - 3, rounds):
            got = json.loads(self.server.ask("GET", f"{MAPS}/{names[i % 3]}")[1])
            self.assertTrue(got["data"]["a"].startswith(f"{i}-"), got["data"]["a"][:20])

    def test_a_disk_full_of_objects_is_emptied_by_deleting_them(self):
        self.small_disk()
        names = self.fill()
        self.assertEqual(self.server.code("GET", "/livez"), 200)
        self.assertEqual(self.server.code("GET", "/readyz"), 200)
        self.until("in the log", lambda: "nearly full" in self.server.log())
        # It starts again as it is, and what does not grow is written.
        self.server.kill()
        self.server.start()
        self.write("PUT", f"{MAPS}/{names[0]}", config_map(names[0], 300, "small"))
        self.write("POST", MAPS, config_map("small", 300))
        for name in names:
            self.write("DELETE", f"{MAPS}/{name}", None)
        self.write("POST", MAPS, config_map("again", LARGE))
        self.until("room enough", self.has_room)

    def test_a_disk_that_others_have_filled_is_survived_and_used_again(self):
        self.small_disk()
        for i in range(60):
            self.write("PUT" if i else "POST", MAPS + ("/a" if i else ""),
                       config_map("a", LARGE, i))
        ballast = self.volume / "ballast"
        with open(ballast, "wb") as file:
            os.posix_fallocate(file.fileno(), 0, free_bytes(self.volume))
        refused = lambda: self.server.code("POST", MAPS, config_map("b", LARGE)) in (503, 504)
        self.until("refused", refused)
        self.assertEqual(self.server.code("GET", "/livez"), 200)
        self.assertIn("59-", self.server.ask("GET", MAPS + "/a")[1][:2000])
        # What was kept in reserve is enough to start, and to forget the past.
        self.server.kill()
        self.server.start()
        self.write("DELETE", MAPS + "/a", None)
        self.server.kill()
        for command in ("compact", "defrag"):
            done = subprocess.run([SKIFF, "store", command, "--data-dir", self.volume / "store"],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
        left = sum(each.stat().st_size for each in (self.volume / "store").iterdir()
                   if each.name != "RESERVE")
        self.assertLess(left, 10_000_000)
        ballast.unlink()
        self.server.start()
        self.write("POST", MAPS, config_map("after", LARGE))

    def test_a_disk_that_does_not_answer_makes_the_server_unready_and_not_dead(self):
        image = self.folder / "image"
        with open(image, "wb") as file:
            file.truncate(DISK_MB * 2 ** 20)
        made = subprocess.run(["mkfs.ext4", "-q", "-F", image], capture_output=True, text=True,
                              check=False) if shutil.which("mkfs.ext4") else None
        if made is None or made.returncode != 0 or not shutil.which("fsfreeze"):
            self.skipTest("no mkfs.ext4 or no fsfreeze here")
        self.mount("-o", "loop", str(image))
        self.start()
        frozen = subprocess.run(["fsfreeze", "-f", self.volume], capture_output=True, text=True,
                                check=False)
        if frozen.returncode != 0:
            self.skipTest("file systems cannot be frozen here: " + frozen.stderr.strip())
        try:
            # Leases are renewed all the time: the server need not be asked to write.
            self.until("unready", lambda: self.server.code("GET", "/readyz") == 500)
            self.assertEqual(self.server.code("GET", "/livez"), 200)
            self.assertEqual(self.server.code("GET", "/api/v1/namespaces/default"), 200)
            self.until("in the log", lambda: "has not answered a write" in self.server.log())
        finally:
            subprocess.run(["fsfreeze", "-u", self.volume], check=True)
        self.until("ready", lambda: self.server.code("GET", "/readyz") == 200)
        self.write("POST", MAPS, config_map("after", 1000))


def enter_namespace():
    """Goes on in a mount namespace of its own; says why not if there is none to be had."""
    if os.environ.get(INSIDE) == "1":
        return
    for kind in (["-m"], ["-rm"]):
        tried = subprocess.run(["unshare", *kind, "true"], capture_output=True, text=True,
                               check=False) if shutil.which("unshare") else None
        if tried is not None and tried.returncode == 0:
            os.environ[INSIDE] = "1"
            os.execvp("unshare", ["unshare", *kind, sys.executable, "-B", *sys.argv])
    print("skipped: no mount namespaces here")
    sys.exit(0)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    enter_namespace()
    BINARY, SKIFF = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
