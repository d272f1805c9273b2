#!/usr/bin/env python3
"""An etcd that is put back to an older backup while an API server runs on it.

    restored_etcd_test.py KUBE_APISERVER SKIFF

Nothing of what was there since may be served any more, and nobody may go on from it: watches and
whoever continues them are told that their revision has expired, and the log says why.
"""
import contextlib
import json
import shutil
import sys
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from on_etcd import Etcd, EtcdApiServer  # noqa: E402
from server import ADMIN  # noqa: E402
from surface import ask, connect  # noqa: E402

BINARY, SKIFF = sys.argv[1:3]
MAPS = "/api/v1/namespaces/default/configmaps"
PATIENCE_SECONDS = 120


def names(listed):
    return [each["metadata"]["name"] for each in listed.json["items"]]


class RestoredEtcd(unittest.TestCase):
    def setUp(self):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        self.folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        self.etcd = Etcd(self.folder, (SKIFF, "etcd"))
        stack.callback(lambda: self.etcd.stop())
        self.server = EtcdApiServer(BINARY, self.etcd)
        stack.callback(self.server.close)

    def until(self, what, holds):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not holds():
            self.assertLess(time.monotonic(), deadline, f"never {what}:\n{self.server.log()}")
            time.sleep(0.1)

    def ask(self, method, path, body=None):
        return ask(self.server, method, path, body)

    def change_etcd(self, do):
        self.etcd.stop()
        do()
        self.etcd.start()

    def test_what_was_since_is_neither_served_nor_gone_on_from(self):
        data, backup = self.folder / "etcd", self.folder / "backup"
        old = {"metadata": {"name": "old"}, "data": {"a": "old"}}
        self.assertEqual(self.ask("POST", MAPS, old).code, 201)
        self.change_etcd(lambda: shutil.copytree(data, backup))
        self.until("ready", lambda: self.ask("GET", "/readyz").code == 200)
        for i in range(20):
            made = self.ask("POST", MAPS, {"metadata": {"name": f"new{i}"}})
            self.assertEqual(made.code, 201, made.text)
        changed = self.ask("PUT", MAPS + "/old", {"metadata": {"name": "old"}, "data": {"a": "b"}})
        self.assertEqual(changed.code, 200)
        version = self.ask("GET", MAPS).json["metadata"]["resourceVersion"]

        with contextlib.closing(connect(self.server)) as connection:
            from_version = f"{MAPS}?watch=1&resourceVersion={version}"
            connection.request("GET", from_version, headers={"Authorization": f"Bearer {ADMIN}"})
            watch = connection.getresponse()

            def restore():
                shutil.rmtree(data)
                shutil.copytree(backup, data)

            self.change_etcd(restore)
            told = [json.loads(line) for line in watch]
        self.assertEqual([each["type"] for each in told], ["ERROR"])
        self.assertEqual(told[0]["object"]["code"], 410)

        def is_read_anew():
            listed = self.ask("GET", MAPS)
            return listed.code == 200 and names(listed) == ["old"]

        self.until("read anew", is_read_anew)
        self.assertEqual(self.ask("GET", MAPS + "/old").json["data"], {"a": "old"})
        self.assertEqual(self.ask("GET", MAPS + "/new0").code, 404)
        again = self.ask("GET", from_version)
        self.assertIn('"code":410', again.text)
        self.until("told", lambda: "etcd has gone back in time" in self.server.log())
        self.until("ready", lambda: self.ask("GET", "/readyz").code == 200)
        changed = self.ask("PUT", MAPS + "/old", {"metadata": {"name": "old"}, "data": {"a": "c"}})
        self.assertEqual(changed.code, 200, changed.text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
