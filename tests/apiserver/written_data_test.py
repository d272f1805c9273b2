"""What kube-apiserver wrote is read, and written back, as it reads and writes it itself.

    written_data_test.py KUBE_APISERVER

written/*.json has an object of every kind that is stored, with the bytes that kube-apiserver 1.36
put into etcd for it, what it shows of it in each version, and the bytes after a label was added
(record_written.py). The first bytes are put into a real etcd; our server, started on it, must show
the same in each of the versions, leave the bytes alone, and write the others when it adds the
label, byte for byte but for the times at which fields were written. written/older has the same of
kinds whose stored version was another in an older release, as that release stored them (1.36 with
--emulated-version), and as 1.36 shows and writes them.
"""
import base64
import json
import shutil
import sys
import tempfile
import urllib.error
from pathlib import Path

import protobuf
from faults import Faults
from on_etcd import Etcd, EtcdApiServer
from record_written import CHANGE, shown
from stored_kinds import stored_resources

HERE = Path(__file__).resolve().parent
ENVELOPE = b"k8s\0"
# Where the time of an entry of managedFields is: in the envelope the object, its metadata.
RAW, METADATA, MANAGED_FIELDS, TIME = 2, 1, 17, 4


def timeless(data, path=(RAW, METADATA, MANAGED_FIELDS, TIME)):
    """The message without the field that is at `path`."""
    out = []
    for number, value in protobuf.fields(data):
        if number != path[0]:
            out.append((number, value))
        elif len(path) > 1:
            out.append((number, timeless(value, path[1:])))
    return out


def without_times(stored):
    if stored.startswith(ENVELOPE):
        return timeless(stored[len(ENVELOPE):])
    document = json.loads(stored)
    for entry in document["metadata"].get("managedFields", []):
        entry.pop("time", None)
    return document


def difference(wanted, got, path=""):
    """Where two values differ first, in words."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        for member in sorted(set(wanted) | set(got)):
            found = difference(wanted.get(member), got.get(member), f"{path}.{member}")
            if found:
                return found
        return None
    if isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        found = (difference(*pair, f"{path}[{i}]") for i, pair in enumerate(zip(wanted, got)))
        return next(filter(None, found), None)
    same = wanted == got
    return None if same else f"{path}: {str(got)[:300]} should be {str(wanted)[:300]}"


def check_entry(server, etcd, entry, faults):
    kind, key = entry["object"]["kind"], entry["key"]
    stored, changed = (base64.b64decode(entry[name]) for name in ("stored", "changed"))

    def check(about, fault):
        faults.check(fault is None, f"{about}: {fault}")

    for group in entry["reads"]:
        for path in group["paths"]:
            try:
                fault = difference(group["shows"], shown(server.request("GET", path)))
            except urllib.error.HTTPError as error:
                fault = f"{error.code} {error.read()[:300]}"
            check(f"{kind} at {path}", fault)
    check(kind, None if etcd.get(key) == stored else "its bytes have changed by being read")
    try:
        server.request("PATCH", entry["path"] + "?fieldManager=changer", CHANGE,
                       "application/merge-patch+json")
        fault = difference(without_times(changed), without_times(etcd.get(key)))
    except urllib.error.HTTPError as error:
        fault = f"{error.code} {error.read()[:600]}"
    check(f"{kind} written back", fault)


def check_all(binary, entries, faults):
    with tempfile.TemporaryDirectory() as folder:
        etcd = Etcd(Path(folder))
        try:
            for entry in entries:
                etcd.put(entry["key"], base64.b64decode(entry["stored"]))
            server = EtcdApiServer(binary, etcd, "--runtime-config=api/all=true",
                                   "--feature-gates=AllAlpha=true,AllBeta=true")
            try:
                for entry in entries:
                    check_entry(server, etcd, entry, faults)
            finally:
                server.close()
        finally:
            etcd.stop()


def check_all_are_there(files, faults):
    """Of every kind that is stored, by the schema."""
    keys = [entry["key"] for path in files for entry in json.loads(path.read_text())]
    for (group, resource), stored in stored_resources().items():
        faults.check(any(key.startswith(stored.prefix) for key in keys),
                     f"there are no bytes of {resource} of {group or 'core'}")


def main():
    if shutil.which("etcd") is None:
        print("skipped: etcd is not installed")
        return
    faults, count = Faults(), 0
    written = HERE / "written"
    older = sorted((written / "older").glob("*.json"))
    check_all_are_there(sorted(written.glob("*.json")), faults)
    for files in (sorted(written.glob("*.json")), *([path] for path in older)):
        entries = [entry for path in files for entry in json.loads(path.read_text())]
        count += len(entries)
        check_all(sys.argv[1], entries, faults)
    print(f"{count} objects, {faults.checks} checks, {faults.failed} failed")
    sys.exit(1 if faults.failed or not count else 0)


if __name__ == "__main__":
    main()
