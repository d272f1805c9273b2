#!/usr/bin/env python3
"""Each kubectl that can be had, against our server.

    kubectl_test.py KUBE_APISERVER [unittest options]

SKIFF_KUBECTL=1.36 in the environment narrows it to the versions that begin so.

All of them share one server; each has its own namespace and home.
"""
import os
import re
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import install
from kubectl import CALL_SECONDS, Kubectl
from kubectl_reading import Access, Discovery, Printing, Watching
from kubectl_writing import Changing, Creating, Deleting, Scaling
from server import ApiServer

BINARY = sys.argv.pop(1) if len(sys.argv) > 1 else ""
SERVER = None

# Every minor is asked these; the first and the last of the machine, Debian's and that of our own
# minor are asked everything. The plain name on PATH is often one of the others.
BASIC = (Printing, Changing)
WHOLE = (Discovery, Printing, Watching, Access, Creating, Changing, Scaling, Deleting)


def setUpModule():
    global SERVER
    SERVER = ApiServer(BINARY)


def tearDownModule():
    SERVER.close()


class KubectlCase:
    """One kubectl; the cases themselves are mixed in."""
    binary = version = minor = None

    @classmethod
    def setUpClass(cls):
        cls.server = SERVER
        cls._home = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls._home.cleanup)
        cls.namespace = re.sub("[^a-z0-9]+", "-", f"kubectl-{cls.version}")
        kubectl = Kubectl(cls.binary, SERVER, Path(cls._home.name))
        kubectl("create", "namespace", cls.namespace)
        # What a controller would make; pods are not admitted without it.
        kubectl("create", "serviceaccount", "default", "-n", cls.namespace)
        cls.kubectl = Kubectl(cls.binary, SERVER, Path(cls._home.name), cls.namespace)
        cls.make_printed()

    def until_true(self, probe, complaint):
        deadline = time.monotonic() + CALL_SECONDS
        while not probe():
            self.assertLess(time.monotonic(), deadline, complaint)
            time.sleep(0.1)


def missing_class(name, reason):
    @unittest.skip(f"{name}: {reason}")
    class Missing(unittest.TestCase):
        def test_it(self):
            pass
    return Missing


def clients():
    """(name, path, asked everything?) of each kubectl; a reason in place of the path if missing."""
    machine = install.kubectls_on_machine()
    for index, path in enumerate(machine):
        yield path.name, path, index in (1, len(machine) - 1)
    if not machine:
        yield "kubectl of this machine", "there is none on PATH", True
    for name, find in (("kubectl of Debian", install.debian_kubectl),
                       ("kubectl 1.36 of npm", install.npm_kubectl)):
        try:
            yield name, find(), True
        except install.Unavailable as error:
            yield name, str(error), True


def load_tests(loader, _, __):
    suite = unittest.TestSuite()
    seen = {}
    for name, path, whole in clients():
        if isinstance(path, str):
            suite.addTests(loader.loadTestsFromTestCase(missing_class(name, path)))
            continue
        try:
            version, minor = install.kubectl_version(path)
        except install.Unavailable as error:
            suite.addTests(loader.loadTestsFromTestCase(missing_class(name, str(error))))
            continue
        if version in seen or not version.startswith("v" + os.environ.get("SKIFF_KUBECTL", "")):
            continue
        seen[version] = True
        cases = WHOLE if whole else BASIC
        case = type(f"Kubectl_{version}", (KubectlCase, *cases, unittest.TestCase),
                    {"binary": path, "version": version, "minor": minor})
        suite.addTests(loader.loadTestsFromTestCase(case))
    return suite


if __name__ == "__main__":
    unittest.main(verbosity=2)
