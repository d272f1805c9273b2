"""An etcd that kube-apiserver wrote is served as it is.

    stored_data_test.py KUBE_APISERVER

The bytes that a real server stores for each kind (../shared/fixtures/wire) are put into a real etcd
under the keys that it uses (../shared/facts/storage.json). Our server then starts on that etcd, and
must answer each object as the real one would: in the golden JSON, but for the resourceVersion,
which is the store's, and for what reading changes in objects whose fields all have values that have
nothing to do with each other (as_read). Afterwards the bytes in etcd are what they were.

Kinds that are stored are there in their other versions, too, as older servers stored them: those
whose fields are the same in both are put beside, and must be answered alike. Not every kind is
there; written_data_test.py has bytes of all, and older_data_test.py objects of our own.
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


# Where a pod's template is, by kind.
TEMPLATES = {"Pod": [], "PodTemplate": ["template"],
             "CronJob": ["spec", "jobTemplate", "spec", "template"]}
TEMPLATES |= {kind: ["spec", "template"] for kind in (
    "DaemonSet", "Deployment", "Job", "ReplicaSet", "ReplicationController", "StatefulSet")}
# Versions that were stored once, by the one that is stored now: the same but for their name.
OLDER = {"coordination.k8s.io/v1": ["v1beta1"], "scheduling.k8s.io/v1": ["v1beta1"],
         "storage.k8s.io/v1": ["v1beta1", "v1alpha1"], "node.k8s.io/v1": ["v1beta1"],
         "rbac.authorization.k8s.io/v1": ["v1beta1"], "batch/v1": ["v1beta1"],
         "apps/v1": ["v1beta2"], "resource.k8s.io/v1": ["v1beta2"],
         "admissionregistration.k8s.io/v1": ["v1beta1", "v1alpha1"],
         "coordination.k8s.io/v1beta1": ["v1alpha2"], "certificates.k8s.io/v1beta1": ["v1alpha1"],
         "networking.k8s.io/v1": ["v1beta1"]}
CONVERTED = {"Ingress", "StatefulSet"}  # not the same in all fields: older_data_test.py


def as_read(kind, stored):
    """What Kubernetes makes of a golden object by reading it."""
    out = json.loads(json.dumps(stored))
    pod = out
    for step in TEMPLATES.get(kind, []):
        pod = pod[step]
    if kind in TEMPLATES:
        pod["spec"]["serviceAccount"] = pod["spec"]["serviceAccountName"]
    if kind == "Pod":
        out["status"]["podIPs"] = [{"ip": out["status"]["podIP"]}]
        for container in out["spec"]["containers"] + out["spec"]["initContainers"]:
            resources = container["resources"]
            resources["requests"] = resources["limits"] | resources["requests"]
    if kind == "Node":
        out["spec"]["podCIDRs"] = [out["spec"]["podCIDR"]]
    if kind == "Namespace":
        out["metadata"]["labels"]["kubernetes.io/metadata.name"] = out["metadata"]["name"]
    # Encoders do not name the kind of what stands inside of an object; servers do.
    for claim in out.get("spec", {}).get("volumeClaimTemplates", []):
        claim.update(kind="PersistentVolumeClaim", apiVersion="v1")
    if kind == "DaemonSet":
        out["metadata"]["annotations"]["deprecated.daemonset.template.generation"] = "0"
    return out


class Golden:
    """One kind's object: where it is stored, where it is served, and what it is."""

    def __init__(self, facts, wire, older=None):
        version, _, self.kind = facts["storageGVK"].rpartition(" ")
        group = facts["group"] if "/" in version else ""
        short = version.rpartition("/")[2]
        stem = f"{group or 'core'}.{older or short}.{self.kind}"
        stored = json.loads((wire / f"{stem}.json").read_text())
        self.wanted = as_read(self.kind, stored) | {"apiVersion": version}
        suffix = "pb" if facts["storageMediaType"].endswith("protobuf") else "json"
        self.stored = (wire / f"{stem}.{suffix}").read_bytes()
        meta = self.wanted["metadata"]
        self.about = f"{self.kind} of {older or short}"
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
        except FileNotFoundError:
            continue


def older_goldens():
    """For each kind, one for each of the versions that it was stored in before."""
    facts = json.loads((SHARED / "facts" / "storage.json").read_text())["resources"]
    for each in facts:
        version = each["storageGVK"].rpartition(" ")[0]
        if each["resource"] in KEPT or each["kind"] in CONVERTED:
            continue
        for older in OLDER.get(version, []):
            # Most of these groups have several kinds, and no version has all of them.
            wire = SHARED / "fixtures" / "wire"
            if (wire / f"{each['group']}.{older}.{each['kind']}.json").exists():
                yield Golden(each, wire, older)


def check(binary, objects, failures):
    """How many of them are served as they should be. Keys are used once."""
    served = 0
    with tempfile.TemporaryDirectory() as folder:
        etcd = Etcd(Path(folder))
        try:
            for each in objects:
                etcd.put(each.key, each.stored)
            server = EtcdApiServer(binary, etcd, "--runtime-config=api/all=true",
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
                        failures.append(f"{each.about} ({each.path}): {wrong}")
            finally:
                server.close()
        finally:
            etcd.stop()
    return served


def main():
    if not (SHARED / "fixtures" / "wire").is_dir():
        print("skipped: golden encodings are not there (../shared/fixtures/wire)")
        return
    if shutil.which("etcd") is None:
        print("skipped: etcd is not installed")
        return
    failures = []
    objects = list(goldens())
    served = check(sys.argv[1], objects, failures)
    # Of several older versions of a kind one after the other, since they have one key.
    rounds = {}
    for each in older_goldens():
        taken = next((i for i in range(9) if each.key not in {e.key for e in rounds.get(i, [])}))
        rounds.setdefault(taken, []).append(each)
    older = sum(check(sys.argv[1], each, failures) for each in rounds.values())
    for failure in failures:
        print("FAIL " + failure)
    print(f"{served} of {len(objects)} kinds are served as they were stored, and {older} of "
          f"{sum(map(len, rounds.values()))} in older versions")
    sys.exit(1 if failures or not objects else 0)


if __name__ == "__main__":
    main()
