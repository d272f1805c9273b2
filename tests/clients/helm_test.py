#!/usr/bin/env python3
"""Helm against our server: the life of a release whose chart is written here.

    helm_test.py KUBE_APISERVER [unittest options]
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import install
from kubectl import CALL_SECONDS
from server import ApiServer

BINARY = sys.argv.pop(1) if len(sys.argv) > 1 else ""

CHART = {
    "Chart.yaml": "apiVersion: v2\nname: {name}\nversion: 0.1.0\n",
    "values.yaml": "word: first\nreplicas: 1\nservice: true\n",
    "templates/config.yaml": """apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}
data:
  word: {{ .Values.word | quote }}
  revision: {{ .Release.Revision | quote }}
""",
    "templates/service.yaml": """{{- if .Values.service }}
apiVersion: v1
kind: Service
metadata:
  name: {{ .Release.Name }}
spec:
  selector:
    app: {{ .Release.Name }}
  ports:
  - port: 80
{{- end }}
""",
    "templates/deployment.yaml": """apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  replicas: {{ .Values.replicas }}
  selector:
    matchLabels:
      app: {{ .Release.Name }}
  template:
    metadata:
      labels:
        app: {{ .Release.Name }}
    spec:
      containers:
      - name: app
        image: registry.example/{{ .Values.word }}:1
""",
}
# Updates by the client, as all of Helm 3 does. Helm 4 applies on the server unless told otherwise.
ON_CLIENT = "--server-side=false"


class Helm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            cls.binary = str(install.helm())
        except install.Unavailable as error:
            raise unittest.SkipTest(f"helm: {error}") from error
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.home = Path(folder.name)
        cls.chart = cls.home / "boat"
        for name, text in CHART.items():
            path = cls.chart / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.replace("{name}", "boat"))
        cls.server = ApiServer(BINARY)
        cls.addClassCleanup(cls.server.close)

    def run_helm(self, *words):
        environment = {"HOME": str(self.home), "PATH": os.environ["PATH"],
                       "KUBECONFIG": str(self.server.kubeconfig)}
        return subprocess.run([self.binary, *words], env=environment, capture_output=True,
                              text=True, timeout=CALL_SECONDS, stdin=subprocess.DEVNULL)

    def helm(self, *words):
        done = self.run_helm(*words)
        self.assertEqual(done.returncode, 0, f"helm {' '.join(words)}\n{done.stderr}{done.stdout}")
        return done.stdout

    def get(self, path, namespace="shipyard"):
        return self.server.request("GET", path.replace("NS", f"namespaces/{namespace}"))

    def listed(self, path, namespace="shipyard"):
        return {item["metadata"]["name"] for item in self.get(path, namespace)["items"]}

    def test_a_release_is_installed_upgraded_rolled_back_and_uninstalled(self):
        in_namespace = ("-n", "shipyard")
        self.helm("install", "boat", str(self.chart), ON_CLIENT, "--create-namespace",
                  *in_namespace)
        self.assertEqual(self.get("/api/v1/NS/configmaps/boat")["data"],
                         {"word": "first", "revision": "1"})
        self.assertIn("boat", self.listed("/api/v1/NS/services"))

        self.helm("upgrade", "boat", str(self.chart), ON_CLIENT, *in_namespace, "--set",
                  "word=second,replicas=3,service=false")
        deployment = self.get("/apis/apps/v1/NS/deployments/boat")["spec"]
        self.assertEqual(deployment["replicas"], 3)
        (container,) = deployment["template"]["spec"]["containers"]
        self.assertEqual(container["image"], "registry.example/second:1")
        self.assertNotIn("boat", self.listed("/api/v1/NS/services"))

        self.helm("rollback", "boat", "1", ON_CLIENT, *in_namespace)
        self.assertEqual(self.get("/api/v1/NS/configmaps/boat")["data"]["word"], "first")
        self.assertEqual(self.get("/apis/apps/v1/NS/deployments/boat")["spec"]["replicas"], 1)
        self.assertIn("boat", self.listed("/api/v1/NS/services"))
        history = json.loads(self.helm("history", "boat", *in_namespace, "-o", "json"))
        self.assertEqual([each["status"] for each in history],
                         ["superseded", "superseded", "deployed"])

        self.helm("uninstall", "boat", *in_namespace)
        for path in ("/api/v1/NS/configmaps", "/api/v1/NS/services",
                     "/apis/apps/v1/NS/deployments"):
            self.assertNotIn("boat", self.listed(path))
        self.assertEqual(json.loads(self.helm("list", "-A", "-o", "json")), [])

    def test_a_release_is_applied_on_the_server(self):
        in_namespace = ("-n", "drydock")
        self.helm("install", "hull", str(self.chart), "--create-namespace", *in_namespace)
        self.helm("upgrade", "hull", str(self.chart), *in_namespace, "--set", "word=second")
        self.assertEqual(self.get("/api/v1/NS/configmaps/hull", "drydock")["data"]["word"],
                         "second")
        self.helm("rollback", "hull", "1", *in_namespace)
        self.assertEqual(self.get("/api/v1/NS/configmaps/hull", "drydock")["data"]["word"], "first")
        self.helm("uninstall", "hull", *in_namespace)

    def test_releases_are_kept_in_secrets_of_their_own_type(self):
        self.helm("install", "kept", str(self.chart), ON_CLIENT, "-n", "harbour",
                  "--create-namespace")
        (secret,) = self.server.request(
            "GET", "/api/v1/namespaces/harbour/secrets?fieldSelector="
                   "type=helm.sh/release.v1&labelSelector=owner=helm,name=kept")["items"]
        self.assertEqual(secret["type"], "helm.sh/release.v1")
        (listed,) = json.loads(self.helm("list", "-n", "harbour", "-o", "json"))
        self.assertEqual((listed["name"], listed["status"]), ("kept", "deployed"))
        self.assertIn("word: first", self.helm("get", "values", "kept", "-n", "harbour", "--all"))
        self.assertIn("kind: Deployment", self.helm("get", "manifest", "kept", "-n", "harbour"))
        self.helm("uninstall", "kept", "-n", "harbour")

    def test_a_name_in_use_is_refused(self):
        self.helm("install", "taken", str(self.chart), ON_CLIENT, "-n", "pier",
                  "--create-namespace")
        again = self.run_helm("install", "taken", str(self.chart), ON_CLIENT, "-n", "pier")
        self.assertNotEqual(again.returncode, 0)
        self.assertRegex(again.stderr, "cannot re-?use a name that is still in use")
        self.helm("uninstall", "taken", "-n", "pier")

    def test_a_dry_run_on_the_server_keeps_nothing(self):
        shown = self.helm("install", "ghost", str(self.chart), ON_CLIENT, "-n", "mist",
                          "--create-namespace", "--dry-run=server")
        self.assertIn("kind: Deployment", shown)
        self.assertNotIn("mist", self.listed("/api/v1/namespaces"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
