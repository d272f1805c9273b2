"""kube-controller-manager as a process beside an API server, with credentials of its own."""
import http.client
import json
import ssl
import subprocess
import sys
import time
import urllib.error
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "clients"))

from ports import free_port  # noqa: E402
from server import ADMIN, ApiServer  # noqa: E402

__all__ = ["ADMIN", "Cluster", "Manager", "free_port", "until"]

KUBECONFIG = """apiVersion: v1
kind: Config
current-context: manager
clusters:
- name: skiff
  cluster: {{server: "{url}", certificate-authority: "{authority}"}}
users:
- name: manager
  user: {{client-certificate: "{certificate}", client-key: "{key}"}}
contexts:
- name: manager
  context: {{cluster: skiff, user: manager}}
"""


def until(check, seconds=120):
    """What check() returns once that is true, or in the end."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = check()
        if found:
            return found
        time.sleep(0.05)
    return check()


def openssl(*words):
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)


class Cluster:
    """An API server that knows client certificates of a CA of its own."""

    def __init__(self, binary, folder, *flags):
        self.folder = Path(folder)
        self.authority = self.folder / "ca.crt"
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=ca",
                "-keyout", self.folder / "ca.key", "-out", self.authority)
        self.server = ApiServer(binary, f"--client-ca-file={self.authority}", *flags)
        self.kubeconfig = self.user("system:kube-controller-manager")

    def certificate(self, name, *groups):
        certificate, key = self.folder / f"{name}.crt", self.folder / f"{name}.key"
        subject = "".join(f"/O={group}" for group in groups) + f"/CN={name}"
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", subject, "-keyout", key,
                "-out", self.folder / "request.csr")
        openssl("x509", "-req", "-in", self.folder / "request.csr", "-CA", self.authority,
                "-CAkey", self.folder / "ca.key", "-CAcreateserial", "-days", "2",
                "-out", certificate)
        return certificate, key

    def user(self, name, *groups):
        """A kubeconfig of somebody with a certificate."""
        certificate, key = self.certificate(name, *groups)
        path = self.folder / f"{name}.kubeconfig"
        path.write_text(KUBECONFIG.format(
            url=self.server.url, authority=self.server.folder / "certs" / "apiserver.crt",
            certificate=certificate, key=key))
        return path

    def ask(self, method, path, body=None, kind="application/json"):
        """The decoded answer, or None where there is nothing."""
        try:
            return self.server.request(method, path, body, kind)
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return None
            raise AssertionError(f"{method} {path}: {error.code} {error.read()}") from error

    def make_namespace(self, name):
        self.ask("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
        self.ask("POST", f"/api/v1/namespaces/{name}/configmaps", {"metadata": {"name": "a"}})

    def delete_namespace(self, name):
        self.ask("DELETE", f"/api/v1/namespaces/{name}")

    def has(self, path):
        return self.ask("GET", path) is not None

    def lease(self):
        found = self.ask("GET", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/"
                         "kube-controller-manager")
        return found["spec"] if found else {}

    def close(self):
        self.server.close()


class Manager:
    """One process of kube-controller-manager, which serves on a port of its own."""
    BINARY = ""
    # Long, since a leader that is kept from running must not end by that; but tried often.
    ELECTION = ("--leader-elect-lease-duration=50s", "--leader-elect-renew-deadline=40s",
                "--leader-elect-retry-period=500ms")

    def __init__(self, cluster, *flags):
        self.port = free_port()
        self.log_path = cluster.folder / f"manager-{self.port}.log"
        config = cluster.kubeconfig
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                [self.BINARY, f"--kubeconfig={config}", f"--authentication-kubeconfig={config}",
                 f"--authorization-kubeconfig={config}", "--bind-address=127.0.0.1",
                 f"--secure-port={self.port}", "--use-service-account-credentials", "-v=2",
                 *self.ELECTION, *flags],
                stdout=log, stderr=log)

    def log(self):
        return self.log_path.read_text(errors="replace")[-8000:]

    def get(self, path, token=None, certificate=None):
        """The code and the text of an answer; nothing while there is none."""
        context = ssl._create_unverified_context()
        if certificate:
            context.load_cert_chain(*certificate)
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=30,
                                                 context=context)
        try:
            connection.request("GET", path,
                               headers={"Authorization": f"Bearer {token}"} if token else {})
            answer = connection.getresponse()
            return answer.status, answer.read().decode(errors="replace")
        except OSError:
            return None
        finally:
            connection.close()

    def leads(self):
        """Whether its loops run, by its metrics."""
        found = self.get("/metrics", token=ADMIN)
        return bool(found) and 'running_managed_controllers{manager="kube-controller-manager",' \
            'name="namespace-controller"} 1' in found[1]

    def stop(self):
        """Ends it in order; the code that it ends with."""
        self.process.terminate()
        return self.process.wait(60)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def close(self):
        """Ends it in order if it can, so that who comes next need not wait for its lease."""
        try:
            self.stop()
        except subprocess.TimeoutExpired:
            self.kill()

    def configuration(self):
        return json.loads(self.get("/configz", token=ADMIN)[1])
