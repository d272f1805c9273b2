"""A real etcd or our own, and API servers whose store it is."""
import base64
import contextlib
import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "clients"))

from ports import free_port  # noqa: E402
from server import ApiServer  # noqa: E402

START_SECONDS = 60


class Etcd:
    """`command` is what runs it: the etcd that is installed, or `skiff etcd`. Started at once; stop
    and start again keep the ports and the data."""

    def __init__(self, folder, command=("etcd",)):
        client, peer = free_port(), free_port()
        self.url = f"http://127.0.0.1:{client}"
        self.log = open(folder / "etcd.log", "wb")
        self._command = [
            *command, f"--data-dir={folder}/etcd", "--unsafe-no-fsync",
            f"--listen-client-urls={self.url}", f"--advertise-client-urls={self.url}",
            f"--listen-peer-urls=http://127.0.0.1:{peer}",
            f"--initial-advertise-peer-urls=http://127.0.0.1:{peer}",
            f"--initial-cluster=default=http://127.0.0.1:{peer}",
        ]
        self.start()

    def start(self):
        self.process = subprocess.Popen(self._command, stdout=self.log, stderr=self.log)
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                self.call("range", {"key": base64.b64encode(b"x").decode()})
                return
            time.sleep(0.05)
        raise AssertionError("etcd is not ready")

    def call(self, method, body):
        request = urllib.request.Request(f"{self.url}/v3/kv/{method}", method="POST",
                                         data=json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def put(self, key, value):
        self.call("put", {"key": base64.b64encode(key.encode()).decode(),
                          "value": base64.b64encode(value).decode()})

    def get(self, key):
        entries = self.call("range", {"key": base64.b64encode(key.encode()).decode()}).get("kvs")
        return base64.b64decode(entries[0]["value"]) if entries else None

    def stop(self):
        self.process.terminate()
        self.process.wait(60)


class EtcdApiServer(ApiServer):
    """On an etcd instead of a directory."""

    def __init__(self, binary, etcd, *flags):
        super().__init__(binary, f"--etcd-servers={etcd.url}", *flags)

    def command_flags(self):
        return [flag for flag in super().command_flags() if not flag.startswith("--data-dir")]
