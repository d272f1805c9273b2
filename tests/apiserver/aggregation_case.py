"""What tests of aggregation have in common: a server that knows the front proxy's certificate, and
an extension server behind it."""
import base64
import tempfile
import time
from pathlib import Path

from extension_server import (GROUP, ROOT, SERVICE_HOST, VERSION, Authority, ExtensionServer)
from surface import ServerCase

API_SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"
NAME = f"{VERSION}.{GROUP}"
APPLIED_SECONDS = 40


def encoded(path):
    return base64.b64encode(Path(path).read_bytes()).decode()


class AggregationCase(ServerCase):
    MORE_FLAGS = ()

    @classmethod
    def setUpClass(cls):
        cls._temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls._temporary.cleanup)
        cls.folder = Path(cls._temporary.name)
        cls.proxy_ca = Authority(cls.folder, "front-proxy-ca")
        cls.proxy_cert, cls.proxy_key = cls.proxy_ca.issue("front-proxy-client")
        cls.ca = Authority(cls.folder, "serving-ca")
        cls.cert, cls.key = cls.ca.issue("ext", f"DNS:{SERVICE_HOST}")
        cls.FLAGS = (f"--proxy-client-cert-file={cls.proxy_cert}",
                     f"--proxy-client-key-file={cls.proxy_key}",
                     f"--requestheader-client-ca-file={cls.proxy_ca.cert}",
                     "--requestheader-allowed-names=front-proxy-client",
                     "--requestheader-username-headers=X-Remote-User",
                     "--requestheader-group-headers=X-Remote-Group",
                     "--requestheader-extra-headers-prefix=X-Remote-Extra-", *cls.MORE_FLAGS)
        super().setUpClass()

    def make(self, path, body):
        made = self.ask("POST", path, body)
        self.assertEqual(made.code, 201, made.text)
        return made.json

    def make_service(self, name="ext"):
        # Nothing forwards cluster IPs here, but an ExternalName is a service, too.
        self.make("/api/v1/namespaces/default/services",
                  {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name},
                   "spec": {"type": "ExternalName", "externalName": "localhost"}})
        self.addCleanup(self.ask, "DELETE", f"/api/v1/namespaces/default/services/{name}")

    def register(self, port, service="ext", group=GROUP, version=VERSION, **more):
        trust = {} if more.get("insecureSkipTLSVerify") else {"caBundle": encoded(self.ca.cert)}
        self.make(API_SERVICES,
                  {"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
                   "metadata": {"name": f"{version}.{group}"},
                   "spec": {"group": group, "version": version, "groupPriorityMinimum": 100,
                            "versionPriority": 10,
                            "service": {"namespace": "default", "name": service, "port": port},
                            **trust, **more}})
        self.addCleanup(self.ask, "DELETE", f"{API_SERVICES}/{version}.{group}")

    def condition(self, name=NAME):
        found = self.get(f"{API_SERVICES}/{name}").json.get("status", {}).get("conditions", [])
        return next((each for each in found if each["type"] == "Available"), None)

    def await_condition(self, status, reason=None, name=NAME):
        deadline = time.monotonic() + APPLIED_SECONDS
        while True:
            found = self.condition(name)
            if found and found["status"] == status and reason in (None, found["reason"]):
                return found
            self.assertLess(time.monotonic(), deadline, found)
            time.sleep(0.05)

    def await_forwarding(self, path=ROOT):
        """The condition is written before requests are passed on by it."""
        deadline = time.monotonic() + APPLIED_SECONDS
        while (answer := self.get(path)).code in (404, 503):
            self.assertLess(time.monotonic(), deadline, answer.text)
            time.sleep(0.02)


class ExtensionCase(AggregationCase):
    """One that is registered and answers."""

    def setUp(self):
        self.extension = ExtensionServer(self.cert, self.key, self.proxy_ca.cert)
        self.addCleanup(self.extension.close)
        self.make_service()
        self.register(self.extension.port)
        self.await_condition("True", "Passed")
        self.await_forwarding()
