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
# A chart of the shape that `helm create` gives to new ones: a workload with an account of its own
# and a service, what is off until it is wanted, and a test that is a hook.
USUAL_CHART = {
    "Chart.yaml": "apiVersion: v2\nname: {name}\ntype: application\nversion: 0.1.0\n"
                  "appVersion: '1.0'\n",
    "values.yaml": """replicaCount: 1
image: {repository: registry.example/sail, pullPolicy: IfNotPresent, tag: ""}
imagePullSecrets: []
serviceAccount: {create: true, automount: true, annotations: {}}
podAnnotations: {}
podSecurityContext: {}
securityContext: {}
service: {type: ClusterIP, port: 80}
ingress: {enabled: false, className: "", host: sail.example}
autoscaling: {enabled: false, minReplicas: 1, maxReplicas: 5, targetCPU: 80}
resources: {}
probe: {httpGet: {path: /, port: http}}
volumes: []
nodeSelector: {}
tolerations: []
affinity: {}
""",
    "templates/_names.tpl": """{{- define "sail.name" -}}
{{ .Release.Name }}-{{ .Chart.Name | trunc 20 }}
{{- end }}
{{- define "sail.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "sail.labels" -}}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{ include "sail.selector" . }}
{{- end }}
""",
    "templates/account.yaml": """{{- if .Values.serviceAccount.create }}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ include "sail.name" . }}
  labels: {{- include "sail.labels" . | nindent 4 }}
  {{- with .Values.serviceAccount.annotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: {{ .Values.serviceAccount.automount }}
{{- end }}
""",
    "templates/service.yaml": """apiVersion: v1
kind: Service
metadata:
  name: {{ include "sail.name" . }}
  labels: {{- include "sail.labels" . | nindent 4 }}
spec:
  type: {{ .Values.service.type }}
  ports:
  - port: {{ .Values.service.port }}
    targetPort: http
    protocol: TCP
    name: http
  selector: {{- include "sail.selector" . | nindent 4 }}
""",
    "templates/deployment.yaml": """apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "sail.name" . }}
  labels: {{- include "sail.labels" . | nindent 4 }}
spec:
  {{- if not .Values.autoscaling.enabled }}
  replicas: {{ .Values.replicaCount }}
  {{- end }}
  selector:
    matchLabels: {{- include "sail.selector" . | nindent 6 }}
  template:
    metadata:
      {{- with .Values.podAnnotations }}
      annotations: {{- toYaml . | nindent 8 }}
      {{- end }}
      labels: {{- include "sail.labels" . | nindent 8 }}
    spec:
      {{- with .Values.imagePullSecrets }}
      imagePullSecrets: {{- toYaml . | nindent 8 }}
      {{- end }}
      serviceAccountName: {{ include "sail.name" . }}
      securityContext: {{- toYaml .Values.podSecurityContext | nindent 8 }}
      containers:
      - name: {{ .Chart.Name }}
        securityContext: {{- toYaml .Values.securityContext | nindent 10 }}
        image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
        imagePullPolicy: {{ .Values.image.pullPolicy }}
        ports:
        - name: http
          containerPort: {{ .Values.service.port }}
          protocol: TCP
        livenessProbe: {{- toYaml .Values.probe | nindent 10 }}
        readinessProbe: {{- toYaml .Values.probe | nindent 10 }}
        resources: {{- toYaml .Values.resources | nindent 10 }}
      {{- with .Values.volumes }}
      volumes: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .Values.nodeSelector }}
      nodeSelector: {{- toYaml . | nindent 8 }}
      {{- end }}
""",
    "templates/ingress.yaml": """{{- if .Values.ingress.enabled }}
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: {{ include "sail.name" . }}
  labels: {{- include "sail.labels" . | nindent 4 }}
spec:
  {{- with .Values.ingress.className }}
  ingressClassName: {{ . }}
  {{- end }}
  rules:
  - host: {{ .Values.ingress.host | quote }}
    http:
      paths:
      - path: /
        pathType: ImplementationSpecific
        backend:
          service:
            name: {{ include "sail.name" . }}
            port:
              number: {{ .Values.service.port }}
{{- end }}
""",
    "templates/autoscaler.yaml": """{{- if .Values.autoscaling.enabled }}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ include "sail.name" . }}
  labels: {{- include "sail.labels" . | nindent 4 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "sail.name" . }}
  minReplicas: {{ .Values.autoscaling.minReplicas }}
  maxReplicas: {{ .Values.autoscaling.maxReplicas }}
  metrics:
  - type: Resource
    resource:
      name: cpu
      target:
        type: Utilization
        averageUtilization: {{ .Values.autoscaling.targetCPU }}
{{- end }}
""",
    "templates/tests/connection.yaml": """apiVersion: v1
kind: Pod
metadata:
  name: {{ include "sail.name" . }}-test
  labels: {{- include "sail.labels" . | nindent 4 }}
  annotations:
    helm.sh/hook: test
spec:
  containers:
  - name: ask
    image: registry.example/ask
    command: [ask]
    args: ["{{ include "sail.name" . }}:{{ .Values.service.port }}"]
  restartPolicy: Never
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
        cls.chart = cls.write_chart("boat", CHART)
        cls.usual_chart = cls.write_chart("sail", USUAL_CHART)
        cls.server = ApiServer(BINARY)
        cls.addClassCleanup(cls.server.close)

    @classmethod
    def write_chart(cls, name, files):
        for file, text in files.items():
            path = cls.home / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.replace("{name}", name))
        return cls.home / name

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

    def versions(self, namespace, name):
        """What the release wrote, with how often that was."""
        return {path: self.get(f"{path}/{name}", namespace)["metadata"]["resourceVersion"]
                for path in ("/api/v1/NS/serviceaccounts", "/api/v1/NS/services",
                             "/apis/apps/v1/NS/deployments")}

    def live(self, chart, namespace, image):
        """The life of a release, by helm's defaults."""
        in_namespace, name = ("-n", namespace), "fast-" + chart.name
        deployment = "/apis/apps/v1/NS/deployments/" + name
        ingresses = "/apis/networking.k8s.io/v1/NS/ingresses"
        scalers = "/apis/autoscaling/v2/NS/horizontalpodautoscalers"
        self.helm("install", "fast", str(chart), "--create-namespace", *in_namespace)
        pods = self.get(deployment, namespace)["spec"]["template"]["spec"]
        self.assertEqual((pods["serviceAccountName"], pods["serviceAccount"]), (name, name))
        self.assertNotIn(name, self.listed(ingresses, namespace))

        # The same once more writes nothing.
        before = self.versions(namespace, name)
        self.helm("upgrade", "fast", str(chart), *in_namespace)
        self.assertEqual(self.versions(namespace, name), before)

        self.helm("upgrade", "fast", str(chart), *in_namespace, "--set",
                  "autoscaling.enabled=true,ingress.enabled=true,image.tag=2.0,service.port=8080")
        spec = self.get(deployment, namespace)["spec"]["template"]["spec"]
        self.assertEqual(spec["containers"][0]["image"].rpartition(":")[2], "2.0")
        self.assertEqual(spec["containers"][0]["ports"][0]["containerPort"], 8080)
        self.assertIn(name, self.listed(ingresses, namespace))
        self.assertIn(name, self.listed(scalers, namespace))

        self.helm("rollback", "fast", "1", *in_namespace)
        spec = self.get(deployment, namespace)["spec"]
        self.assertEqual(spec["template"]["spec"]["containers"][0]["image"], image)
        self.assertEqual(spec["replicas"], 1)
        self.assertNotIn(name, self.listed(scalers, namespace))
        history = json.loads(self.helm("history", "fast", *in_namespace, "-o", "json"))
        self.assertEqual([each["status"] for each in history], ["superseded"] * 3 + ["deployed"])

        self.helm("uninstall", "fast", *in_namespace)
        for path in ("/api/v1/NS/serviceaccounts", "/api/v1/NS/services",
                     "/apis/apps/v1/NS/deployments"):
            self.assertNotIn(name, self.listed(path, namespace))

    def test_a_chart_of_the_usual_shape_lives_its_life_by_default(self):
        self.live(self.usual_chart, "regatta", "registry.example/sail:1.0")

    def test_a_chart_that_helm_has_created_lives_its_life_by_default(self):
        chart = self.home / "created"
        self.helm("create", str(chart))
        (version,) = [line.split()[1].strip('"') for line in
                      (chart / "Chart.yaml").read_text().splitlines() if "appVersion:" in line]
        self.live(chart, "slipway", "nginx:" + version)

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
