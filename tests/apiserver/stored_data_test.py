"""An etcd that kube-apiserver wrote is served as it is.

    stored_data_test.py KUBE_APISERVER

The bytes that a real server stores for each kind (../shared/fixtures/wire) are put into a real etcd
under the keys that it uses (../shared/facts/storage.json). Our server then starts on that etcd, and
must answer each object as the real one would: in the golden JSON, but for the resourceVersion,
which is the store's. Afterwards the bytes in etcd are what they were. What is not there is skipped,
by name.
"""
import base64
import contextlib
import json
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
SHARED = HERE.parent.parent.parent / "shared"
sys.path.insert(0, str(HERE.parent / "clients"))
from server import ApiServer, free_port  # noqa: E402

START_SECONDS = 60
# Bootstrap keeps these as they should be, so that a foreign object would be corrected or removed.
KEPT = {"leases"}


class Etcd:
    def __init__(self, folder):
        client, peer = free_port(), free_port()
        self.url = f"http://127.0.0.1:{client}"
        self.log = open(folder / "etcd.log", "wb")
        self.process = subprocess.Popen([
            "etcd", f"--data-dir={folder}/etcd", "--unsafe-no-fsync",
            f"--listen-client-urls={self.url}", f"--advertise-client-urls={self.url}",
            f"--listen-peer-urls=http://127.0.0.1:{peer}",
            f"--initial-advertise-peer-urls=http://127.0.0.1:{peer}",
            f"--initial-cluster=default=http://127.0.0.1:{peer}",
        ], stdout=self.log, stderr=self.log)
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
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def put(self, key, value):
        self.call("put", {"key": base64.b64encode(key.encode()).decode(),
                          "value": base64.b64encode(value).decode()})

    def get(self, key):
        entries = self.call("range", {"key": base64.b64encode(key.encode()).decode()}).get("kvs")
        return base64.b64decode(entries[0]["value"]) if entries else None

    def stop(self):
        self.process.terminate()
        self.process.wait(30)


class EtcdApiServer(ApiServer):
    """On an etcd instead of a directory."""

    def __init__(self, binary, etcd):
        self.extra = [f"--etcd-servers={etcd.url}", "--runtime-config=api/all=true",
                      "--feature-gates=AllAlpha=true,AllBeta=true"]
        super().__init__(binary)

    def flags(self):
        return [flag for flag in super().flags() if not flag.startswith("--data-dir")] + self.extra


class Golden:
    """One kind's object: where it is stored, where it is served, and what it is."""

    def __init__(self, facts, wire):
        version, _, self.kind = facts["storageGVK"].rpartition(" ")
        group = facts["group"] if "/" in version else ""
        short = version.rpartition("/")[2]
        stem = f"{group or 'core'}.{short}.{self.kind}"
        self.wanted = json.loads((wire / f"{stem}.json").read_text())
        suffix = "pb" if facts["storageMediaType"].endswith("protobuf") else "json"
        self.stored = (wire / f"{stem}.{suffix}").read_bytes()
        meta = self.wanted["metadata"]
        fill = {"namespace": meta["namespace"], "name": meta["name"]}
        self.key = facts["key"].format(**fill)
        place = f"/namespaces/{meta['namespace']}" if facts["namespaced"] else ""
        root = f"/apis/{group}/{short}" if group else f"/api/{short}"
        self.path = f"{root}{place}/{facts['resource']}/{meta['name']}"

    def difference(self, got):
        wanted = json.loads(json.dumps(self.wanted))
        for document in (wanted, got):
            for member in ("resourceVersion", "selfLink"):
                document["metadata"].pop(member, None)
        for member in sorted(set(wanted) | set(got)):
            if wanted.get(member) != got.get(member):
                return (f"{member}: {json.dumps(got.get(member))[:300]} "
                        f"should be {json.dumps(wanted.get(member))[:300]}")
        return None


def goldens():
    facts = json.loads((SHARED / "facts" / "storage.json").read_text())["resources"]
    for each in facts:
        if each["resource"] in KEPT:
            continue
        try:
            yield Golden(each, SHARED / "fixtures" / "wire")
        except FileNotFoundError as error:
            print(f"skipped: {each['kind']}: {Path(error.filename).name} is not there")


def main():
    if not (SHARED / "fixtures" / "wire").is_dir():
        print("skipped: golden encodings are not there (../shared/fixtures/wire)")
        return
    if shutil.which("etcd") is None:
        print("skipped: etcd is not installed")
        return
    failures, served = [], 0
    with tempfile.TemporaryDirectory() as folder:
        etcd = Etcd(Path(folder))
        try:
            objects = list(goldens())
            for each in objects:
                etcd.put(each.key, each.stored)
            server = EtcdApiServer(sys.argv[1], etcd)
            try:
                for each in objects:
                    try:
                        wrong = each.difference(server.request("GET", each.path))
                    except urllib.error.HTTPError as error:
                        wrong = f"{error.code} {error.read()[:300]}"
                    if wrong is None and etcd.get(each.key) != each.stored:
                        wrong = "its bytes in etcd have changed"
                    served += wrong is None
                    if wrong is not None:
                        failures.append(f"{each.kind} ({each.path}): {wrong}")
            finally:
                server.close()
        finally:
            etcd.stop()
    for failure in failures:
        print("FAIL " + failure)
    print(f"{served} of {len(objects)} kinds are served as they were stored")
    sys.exit(1 if failures or not objects else 0)


if __name__ == "__main__":
    main()
