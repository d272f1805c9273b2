"""An etcd that kube-apiserver wrote is served as it is.

    stored_data_test.py KUBE_APISERVER

The bytes that a real server stores for each kind (../shared/fixtures/wire) are put into a real etcd
under the keys that it uses (../shared/facts/storage.json). Our server then starts on that etcd, and
must answer each object as the real one would: in the golden JSON, but for the resourceVersion,
which is the store's. Afterwards the bytes in etcd are what they were. What is not there is skipped,
by name.
"""
import json
import shutil
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

from on_etcd import Etcd, EtcdApiServer

HERE = Path(__file__).resolve().parent
SHARED = HERE.parent.parent.parent / "shared"
# Bootstrap keeps these as they should be, so that a foreign object would be corrected or removed.
KEPT = {"leases"}


class Golden:
    """One kind's object: where it is stored, where it is served, and what it is."""

    def __init__(self, facts, wire):
        version, _, self.kind = facts["storageGVK"].rpartition(" ")
        group = facts["group"] if "/" in version else ""
        short = version.rpartition("/")[2]
        stem = f"{group or 'core'}.{short}.{self.kind}"
        self.wanted = json.loads((wire / f"{stem}.json").read_text())
        # Encoders do not name the kind of what stands inside of an object; servers do.
        for claim in self.wanted.get("spec", {}).get("volumeClaimTemplates", []):
            claim.update(kind="PersistentVolumeClaim", apiVersion="v1")
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
            server = EtcdApiServer(sys.argv[1], etcd, "--runtime-config=api/all=true",
                                   "--feature-gates=AllAlpha=true,AllBeta=true")
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
