#!/usr/bin/env python3
"""Admission webhooks written in Node (webhook.mjs) and Python (webhook.py) with what those have
for serving HTTPS, and our server asking them.

    webhooks_test.py KUBE_APISERVER [unittest options]
"""
import base64
import json
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
sys.path.insert(0, str(HERE))
from server import ADMIN, ApiServer  # noqa: E402

BINARY = sys.argv.pop(1) if len(sys.argv) > 1 else ""
APPLIED_SECONDS = 30
REGISTRATION = "/apis/admissionregistration.k8s.io/v1"
CONFIG_MAPS = "/api/v1/namespaces/{}/configmaps"


def ask(server, method, path, body):
    """Code, headers and body, whatever the code."""
    request = urllib.request.Request(
        server.url + path, method=method, data=json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {ADMIN}", "Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, context=ssl._create_unverified_context(),
                                    timeout=60) as answer:
            return answer.status, answer.headers, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, error.headers, json.load(error)


class Webhooks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = ApiServer(BINARY)
        cls.addClassCleanup(cls.server.close)
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.key, cls.certificate = (Path(cls.folder.name) / name for name in ("key", "crt"))
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
             "ec_paramgen_curve:P-256", "-nodes", "-days", "7", "-subj", "/CN=webhook", "-addext",
             "subjectAltName=IP:127.0.0.1", "-keyout", cls.key, "-out", cls.certificate],
            check=True, capture_output=True)

    def configure(self, language, port):
        for kind, path in (("Mutating", "mutate"), ("Validating", "validate")):
            code, _, made = ask(
                self.server, "POST", f"{REGISTRATION}/{kind.lower()}webhookconfigurations",
                {"apiVersion": "admissionregistration.k8s.io/v1",
                 "kind": f"{kind}WebhookConfiguration", "metadata": {"name": language},
                 "webhooks": [{
                     "name": f"{path}.{language}.example.com", "admissionReviewVersions": ["v1"],
                     "sideEffects": "None",
                     "namespaceSelector": {
                         "matchLabels": {"kubernetes.io/metadata.name": language}},
                     "clientConfig": {
                         "url": f"https://127.0.0.1:{port}/{path}", "caBundle": base64.b64encode(
                             self.certificate.read_bytes()).decode()},
                     "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"],
                                "resources": ["configmaps"]}]}]})
            self.assertEqual(code, 201, made)

    def run_webhook(self, language, *command):
        self.server.request("POST", "/api/v1/namespaces", {"metadata": {"name": language}})
        process = subprocess.Popen([*command, self.key, self.certificate], text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.configure(language, int(process.stdout.readline()))
        path = CONFIG_MAPS.format(language)
        deadline = time.monotonic() + APPLIED_SECONDS
        # Configurations take effect a moment later.
        while ask(self.server, "POST", path + "?dryRun=All", {"metadata": {"name": "a"}})[0] == 201:
            self.assertLess(time.monotonic(), deadline)
        code, _, refused = ask(self.server, "POST", path, {"metadata": {"name": "a"}})
        self.assertEqual((code, refused["message"]), (
            403, f'admission webhook "validate.{language}.example.com" denied the request: '
                 "who owns it?"))
        code, headers, made = ask(self.server, "POST", path, {"metadata": {
            "name": "a", "labels": {"x": "y"}, "annotations": {"owner": "me"}}})
        self.assertEqual(code, 201, made)
        self.assertEqual(made["metadata"]["labels"], {"x": "y", "seen-by": language})
        self.assertEqual(headers.get_all("Warning"), ['299 - "checked for admin"'])

    def test_python(self):
        self.run_webhook("python", sys.executable, "-B", HERE / "webhook.py")

    def test_node(self):
        if shutil.which("node") is None:
            self.skipTest("node is not installed")
        self.run_webhook("node", "node", HERE / "webhook.mjs")


if __name__ == "__main__":
    unittest.main()
