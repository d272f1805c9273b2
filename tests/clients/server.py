"""The API server that real clients are run against: one process, its data, and a kubeconfig."""
import contextlib
import json
import os
import ssl
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

from ports import free_port

START_SECONDS = 120
# Whether the server has sanitizers in it, which keep freed memory for a while: what it holds then
# tells nothing.
SANITIZED = bool(os.environ.get("SKIFF_SANITIZED"))
ADMIN, BOB = "admintoken", "bobtoken"

KUBECONFIG = """apiVersion: v1
kind: Config
current-context: admin
clusters:
- name: skiff
  cluster:
    server: {url}
    certificate-authority: {authority}
users:
- name: admin
  user: {{token: {admin}}}
- name: bob
  user: {{token: {bob}}}
contexts:
- name: admin
  context: {{cluster: skiff, user: admin}}
- name: bob
  context: {{cluster: skiff, user: bob}}
"""


class Figures:
    """What the server's process holds. Files of the store are not counted: it has more of them as
    its history grows, up to a bound of its own."""

    def __init__(self, server):
        self._folder = folder = f"/proc/{server.process.pid}"
        self.files = 0
        for each in os.scandir(folder + "/fd"):
            with contextlib.suppress(FileNotFoundError):
                self.files += not os.readlink(each.path).startswith(str(server.folder / "data"))
        with open(folder + "/status", encoding="ascii") as status:
            values = dict(line.split(":", 1) for line in status)
        self.resident_mb = int(values["VmRSS"].split()[0]) / 1024
        self.peak_mb = int(values["VmHWM"].split()[0]) / 1024

    def forget_peak(self):
        """From now on the peak is that of what comes."""
        with open(self._folder + "/clear_refs", "w", encoding="ascii") as marks:
            marks.write("5")

    def __repr__(self):
        return f"{self.files} files, {self.resident_mb:.1f} MB"


class ApiServer:
    """Starts at once; stop and start again keep the port and the data."""

    def __init__(self, binary, *flags):
        self._temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self._temporary.name)
        self.port = free_port()
        self.url = f"https://127.0.0.1:{self.port}"
        self._binary = binary
        self.flags = flags
        (self.folder / "tokens.csv").write_text(
            f'{ADMIN},admin,1,"system:masters"\n{BOB},bob,2,"dev"\n')
        subprocess.run(["openssl", "genrsa", "-out", self.folder / "sa.key", "2048"], check=True,
                       capture_output=True)
        self.process = None
        self.start()
        self.kubeconfig = self.folder / "kubeconfig"
        self.kubeconfig.write_text(KUBECONFIG.format(
            url=self.url, authority=self.folder / "certs" / "apiserver.crt", admin=ADMIN, bob=BOB))

    def command_flags(self):
        folder = self.folder
        return [
            f"--data-dir={folder}/data", f"--cert-dir={folder}/certs",
            "--bind-address=127.0.0.1", f"--secure-port={self.port}",
            f"--token-auth-file={folder}/tokens.csv", "--authorization-mode=RBAC",
            "--service-cluster-ip-range=10.0.0.0/16",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={folder}/sa.key",
            f"--service-account-signing-key-file={folder}/sa.key", *self.flags,
        ]

    def start(self):
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen([self._binary, *self.command_flags()], stdout=log,
                                            stderr=log)
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                self.request("GET", "/readyz")
                return
            except OSError:
                time.sleep(0.05)
        raise AssertionError("the server is not ready:\n" + self.log())

    def stop(self):
        """Ends the process as Ctrl-C would, and says what was wrong if it did not end well."""
        self.process.terminate()
        try:
            status = self.process.wait(120)
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        if status != 0:
            raise AssertionError(f"the server ended with {status}:\n" + self.log())

    def kill(self):
        self.process.kill()
        self.process.wait()

    def close(self):
        try:
            self.stop()
        finally:
            self._temporary.cleanup()

    def log(self):
        return (self.folder / "log").read_text(errors="replace")[-8000:]

    def request(self, method, path, body=None, kind="application/json"):
        """One request as the administrator, past all clients: the decoded answer."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.url + path, method=method, data=data, headers={
                "Authorization": f"Bearer {ADMIN}", "Content-Type": kind})
        trusting = ssl._create_unverified_context()
        with urllib.request.urlopen(request, context=trusting, timeout=60) as answer:
            text = answer.read()
            return json.loads(text) if "json" in answer.headers["Content-Type"] else text.decode()
