"""Objects that other and older servers stored are read as Kubernetes reads them.

    older_data_test.py KUBE_APISERVER SKIFF

older/*.json has objects as they may be at rest: in versions that are no longer served, without
fields that have defaults by now, with one name of what has two. Each says what it is read as, by
path; null: nothing. "complete" are those that lack nothing, "kept" those whose status the server
itself sees to. They are encoded by `skiff convert` and put into an etcd (ours) before the
server starts. Each must then be shown so by a get, in a list and to a watch, be found by selectors,
and be written back whole by a write that changes nothing.

Objects that nobody can read are named by their key, fail the lists and watches that they may belong
to, and nothing else, and can be deleted where that is allowed.
"""
import http.client
import json
import ssl
import subprocess
import sys
import tempfile
import urllib.error
from pathlib import Path

from faults import Faults
from on_etcd import Etcd, EtcdApiServer

HERE = Path(__file__).resolve().parent
GATE = "--feature-gates=AllowUnsafeMalformedObjectDeletion=true"
UNSEEN = {"kind": "DeleteOptions", "apiVersion": "v1",
          "ignoreStoreReadErrorWithClusterBreakingPotential": True}


def at(value, path):
    for step in path.split("."):
        if isinstance(value, list):
            value = value[int(step)] if int(step) < len(value) else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


def convert(skiff, to, data):
    return subprocess.run([skiff, "convert", "--compact" if to == "json" else "--validate=strict",
                           "--to", to, "-"], input=data, capture_output=True, check=True).stdout


class Case:
    def __init__(self, given, skiff):
        self.about, self.path, self.reads = given["about"], given["path"], given["reads"]
        self.key = "/registry/" + given["key"]
        self.found = given.get("found", [])
        self.change = given.get("change")
        self.complete = given.get("complete", False)
        self.kept = given.get("kept", False)
        self.collection, _, self.name = self.path.rpartition("/")
        self.stored = json.dumps(given["stored"]).encode()
        if not given.get("json"):
            self.stored = convert(skiff, "protobuf", self.stored)


def answer(server, method, path, body=None, kind="application/json"):
    """Code and decoded body, whatever they are."""
    try:
        return 200, server.request(method, path, body, kind)
    except urllib.error.HTTPError as error:
        text = error.read()
        return error.code, json.loads(text) if text.startswith(b"{") else text


def events(server, path, count, do=lambda: None):
    """The first events of a watch; `do` is called once it has begun."""
    connection = http.client.HTTPSConnection("127.0.0.1", server.port, timeout=60,
                                             context=ssl._create_unverified_context())
    connection.request("GET", path, headers={"Authorization": "Bearer admintoken"})
    stream = connection.getresponse()
    if stream.status != 200:
        return [{"type": str(stream.status), "object": stream.read()}]
    do()
    lines = [stream.readline() for _ in range(count)]
    connection.close()
    return [json.loads(line) for line in lines if line]


def show_one(case, server, faults):
    code, shown = answer(server, "GET", case.path)
    faults.check(code == 200, f"{case.about}: {code} {str(shown)[:300]}")
    if code != 200:
        return
    for path, wanted in case.reads.items():
        found = at(shown, path)
        faults.check(found == wanted,
                     f"{case.about}: {path} is {json.dumps(found)}, not {json.dumps(wanted)}")
    selector = f"fieldSelector=metadata.name%3D{case.name}"
    for query in [selector, *case.found]:
        code, listed = answer(server, "GET", f"{case.collection}?{query}")
        items = [each for each in listed.get("items") or []
                 if each["metadata"]["name"] == case.name] if code == 200 else []
        whole = {"kind": shown["kind"], "apiVersion": shown["apiVersion"]}
        faults.check(code == 200 and [whole | each for each in items] == [shown],
                     f"{case.about}: ?{query} does not show it: {code} {str(listed)[:300]}")
    first = events(server, f"{case.collection}?watch=1&resourceVersion=0&{selector}", 1)
    faults.check(first == [{"type": "ADDED", "object": shown}],
                 f"{case.about}: a watch shows {str(first)[:300]}")


def write_back(case, server, etcd, skiff, faults):
    code, shown = answer(server, "GET", case.path)
    if code != 200:
        return
    before = etcd.get(case.key)
    faults.check(before == case.stored or case.kept,
                 f"{case.about}: reading has changed the store")
    if case.change is not None:
        code, changed = answer(server, "PATCH", f"{case.path}?dryRun=All", case.change,
                               "application/merge-patch+json")
        faults.check(code == 200, f"{case.about}: cannot be changed: {code} {str(changed)[:300]}")
    code, written = answer(server, "PUT", case.path, shown)
    if code == 422:
        return  # what was valid once need not be so today
    faults.check(code == 200, f"{case.about}: cannot be written back: {code} {str(written)[:300]}")
    if code != 200:
        return
    after = etcd.get(case.key)
    faults.check((after == before) == case.complete or case.kept,
                 f"{case.about}: it is written by no change only if it lacked something")
    stored = json.loads(convert(skiff, "json", after))
    if stored["apiVersion"] == written["apiVersion"]:
        written["metadata"].pop("resourceVersion")
        faults.check(stored == written, f"{case.about}: {json.dumps(written)[:500]} is stored as "
                                        f"{json.dumps(stored)[:500]}")


def unreadable(server, etcd, faults):
    base, broken = "/api/v1/namespaces/bad/configmaps", "/registry/configmaps/bad/broken"
    code, status = answer(server, "GET", base + "/broken")
    faults.check(code == 500 and broken in status["message"], f"get: {code} {status}")
    for query in ("", "?labelSelector=a%3Db", "?limit=1", "?resourceVersion=0"):
        code, status = answer(server, "GET", base + query)
        told = [each["field"] for each in status["details"]["causes"]] if code == 500 else []
        faults.check(broken in told and status["reason"] == "StorageReadError",
                     f"list {query}: {code} {status}")
    for path in ("/api/v1/namespaces/good/configmaps", base + "/fine"):
        code, status = answer(server, "GET", path)
        faults.check(code == 200, f"{path}: {code} {status}")
    told = events(server, base + "?watch=1&resourceVersion=0", 3)
    faults.check(told[-1]["type"] == "ERROR" and broken in told[-1]["object"]["message"],
                 f"a watch from the beginning is told {told}")
    good = "/api/v1/namespaces/good/configmaps"
    version = server.request("GET", good)["metadata"]["resourceVersion"]
    told = events(server, f"{good}?watch=1&resourceVersion={version}&labelSelector=a%3Db", 1,
                  lambda: etcd.put("/registry/configmaps/good/late", b"k8s\0\xff"))
    faults.check(told[0]["type"] == "ERROR" and "good/late" in told[0]["object"]["message"],
                 f"a watch is told {told}")
    new = {"metadata": {"name": "broken"}}
    for method, body in (("DELETE", None), ("DELETE", UNSEEN), ("PUT", new)):
        code, status = answer(server, method, base + "/broken", body)
        faults.check(code == 500 and broken in status["message"],
                     f"{method} {body}: {code} {status}")


def delete_unseen(server, etcd, faults):
    base = "/api/v1/namespaces/bad/configmaps"
    for path, body, wanted in (
            (base + "/broken", None, 500),
            (base + "/fine", UNSEEN, 422),
            (base + "/absent", UNSEEN, 422),
            (base, UNSEEN, 422),
            (base + "/broken", UNSEEN | {"gracePeriodSeconds": 1}, 422),
            (base + "/broken", UNSEEN, 200),
            (base + "/odd", UNSEEN, 200)):
        code, status = answer(server, "DELETE", path, body)
        faults.check(code == wanted, f"DELETE {path} {body}: {code} {status}")
    wanted = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success",
              "details": {"name": "odd", "kind": "ConfigMap"}, "code": 200}
    faults.check(status == wanted, f"what is gone unseen is answered with {status}")
    code, listed = answer(server, "GET", base)
    faults.check(code == 200 and [each["metadata"]["name"] for each in listed["items"]] == ["fine"],
                 f"the list is not whole again: {code} {listed}")
    faults.check(etcd.get("/registry/configmaps/bad/broken") is None, "the key is still there")


def main():
    binary, skiff = sys.argv[1:]
    faults = Faults()
    cases = [Case(given, skiff) for file in sorted((HERE / "older").glob("*.json"))
             for given in json.loads(file.read_text())]
    with tempfile.TemporaryDirectory() as folder:
        etcd = Etcd(Path(folder), (skiff, "etcd"))
        try:
            for case in cases:
                etcd.put(case.key, case.stored)
            for name in ("bad", "good"):
                etcd.put(f"/registry/namespaces/{name}", json.dumps(
                    {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}).encode())
            etcd.put("/registry/configmaps/bad/fine", json.dumps(
                {"apiVersion": "v1", "kind": "ConfigMap",
                 "metadata": {"name": "fine", "namespace": "bad"}}).encode())
            etcd.put("/registry/configmaps/bad/broken", b"k8s\0\xff")
            etcd.put("/registry/configmaps/bad/odd", b'{"apiVersion":"a.b/v9","kind":"Odd"}')
            server = EtcdApiServer(binary, etcd)
            try:
                for case in cases:
                    show_one(case, server, faults)
                for case in cases:
                    write_back(case, server, etcd, skiff, faults)
                unreadable(server, etcd, faults)
            finally:
                server.close()
            server = EtcdApiServer(binary, etcd, GATE)
            try:
                delete_unseen(server, etcd, faults)
            finally:
                server.close()
        finally:
            etcd.stop()
    print(f"{len(cases)} objects, {faults.checks} checks, {faults.failed} failed")
    sys.exit(1 if faults.failed or not cases else 0)


if __name__ == "__main__":
    main()
