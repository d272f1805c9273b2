#!/usr/bin/env python3
"""A server whose store was damaged while it was down.

    damaged_store_test.py KUBE_APISERVER SKIFF
"""
import json
import re
import subprocess
import sys
import time
import unittest
import urllib.error
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "clients"))

from server import ApiServer  # noqa: E402

BINARY, SKIFF = sys.argv[1:3]
FILLER = "x" * 6000
MAPS = "/api/v1/namespaces/{}/configmaps"


class DamagedStore(unittest.TestCase):
    def setUp(self):
        self.server = ApiServer(BINARY, "--feature-gates=AllowUnsafeMalformedObjectDeletion=true")
        self.addCleanup(self.server.close)
        self.store = self.server.folder / "data" / "store"

    def put(self, namespace, name, **data):
        self.server.request("POST", MAPS.format(namespace),
                            {"metadata": {"name": name}, "data": data})

    def fill(self, count=20):
        """Enough for the objects before and after to be in other blocks of the files."""
        self.fillers = getattr(self, "fillers", 0) + 1
        for i in range(count):
            self.put("default", f"filler-{self.fillers}-{i}", text=FILLER)

    def refused(self, method, path, body=None):
        with self.assertRaises(urllib.error.HTTPError) as caught:
            self.server.request(method, path, body)
        return caught.exception.code, json.loads(caught.exception.read())["message"]

    def flip(self, text):
        found = 0
        for path in self.store.glob("*.sst"):
            content = bytearray(path.read_bytes())
            at = content.find(text)
            if at >= 0:
                content[at] ^= 1
                path.write_bytes(content)
                found += 1
        self.assertEqual(found, 1)

    def damage_precious(self):
        self.put("kube-public", "elsewhere", a="b")
        self.fill()
        self.put("default", "precious", text="the bit is changed in here")
        self.fill()
        subprocess.run([SKIFF, "store", "backup", "--data-dir", self.store,
                        self.server.folder / "backup"], check=True, capture_output=True)
        self.server.stop()
        subprocess.run([SKIFF, "store", "defrag", "--data-dir", self.store], check=True,
                       capture_output=True)
        self.flip(b"the bit is changed in here")
        self.server.start()

    def answer(self, method, path):
        """The code and what was told; waits while a cache is being filled anew."""
        deadline = time.monotonic() + 60
        while True:
            try:
                return 200, self.server.request(method, path)
            except urllib.error.HTTPError as error:
                text = error.read().decode()
                if error.code != 429 or time.monotonic() > deadline:
                    return error.code, text
                time.sleep(0.05)

    def test_damaged_objects_can_be_deleted_unseen(self):
        self.damage_precious()
        maps = MAPS.format("default")
        unseen = "ignoreStoreReadErrorWithClusterBreakingPotential=true"
        self.assertEqual(self.answer("DELETE", f"{maps}/precious")[0], 500)
        self.assertEqual(self.answer("DELETE", f"{maps}/precious?{unseen}")[0], 200)
        self.assertEqual(self.answer("GET", f"{maps}/precious")[0], 404)
        # Others were in the same block; each is named until all of them are gone.
        while (listed := self.answer("GET", maps))[0] != 200:
            name = re.search(r"/registry/configmaps/default/([a-z0-9.-]+)", listed[1])[1]
            self.assertEqual(self.answer("DELETE", f"{maps}/{name}?{unseen}")[0], 200)
        self.assertGreater(len(listed[1]["items"]), 20)
        self.put("default", "precious", text="made anew")
        self.assertEqual(self.answer("GET", f"{maps}/precious")[1]["data"], {"text": "made anew"})

    def test_one_changed_bit_takes_the_objects_that_it_hit_and_nothing_else(self):
        self.damage_precious()
        code, message = self.refused("GET", MAPS.format("default") + "/precious")
        self.assertEqual(code, 500)
        self.assertIn("/registry/configmaps/default/precious", message)
        self.assertIn("skiff store salvage", message)
        for path in (MAPS.format("default"), "/api/v1/configmaps"):
            code, message = self.refused("GET", path)
            self.assertEqual(code, 500, "a list without it would say that it was deleted")
            self.assertIn("is damaged", message)
        self.assertEqual(self.refused("PUT", MAPS.format("default") + "/precious",
                                      {"metadata": {"name": "precious"}})[0], 500)

        get = lambda path: self.server.request("GET", path)
        self.assertEqual(get(MAPS.format("kube-public") + "/elsewhere")["data"], {"a": "b"})
        self.assertEqual(get(MAPS.format("default") + "/filler-1-0")["data"], {"text": FILLER})
        names = [each["metadata"]["name"] for each in get(MAPS.format("kube-public"))["items"]]
        self.assertIn("elsewhere", names)
        self.assertTrue(get("/api/v1/namespaces")["items"])
        self.assertTrue(get("/apis/rbac.authorization.k8s.io/v1/clusterroles")["items"])
        self.put("default", "new", a="b")
        self.assertEqual(get(MAPS.format("default") + "/new")["data"], {"a": "b"})

        self.assertRegex(get("/readyz?verbose"), r"\[\+\]etcd ok: stored data is damaged in \d+ pl")
        self.assertRegex(get("/metrics"), r"\nskiff_store_damaged [1-9]")
        deadline = time.monotonic() + 60
        while "stored data is damaged" not in self.server.log():
            self.assertLess(time.monotonic(), deadline, self.server.log())
            time.sleep(0.05)

        self.server.stop()
        done = subprocess.run([SKIFF, "store", "salvage", "--data-dir", self.store, "--to",
                               self.server.folder / "new", "--backup",
                               self.server.folder / "backup"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("precious", done.stderr)
        self.store.rename(self.server.folder / "old")
        (self.server.folder / "new").rename(self.store)
        self.server.start()
        self.assertEqual(get(MAPS.format("default") + "/precious")["data"],
                         {"text": "the bit is changed in here"})
        self.assertEqual(get(MAPS.format("default") + "/new")["data"], {"a": "b"})
        self.assertGreater(len(get(MAPS.format("default"))["items"]), 40)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
