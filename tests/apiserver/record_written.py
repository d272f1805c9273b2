"""Records what an API server stores for objects, and how it shows them, into written/*.json.

    record_written.py SERVER_URL TOKEN ETCD_URL

The server is one to compare with, such as kube-apiserver 1.36 with all APIs and gates on; its etcd
is empty but for what it made itself. Each entry of the files has an "object"; this creates it, sets
its status, and notes its path, its key and bytes in etcd ("stored"), what each version served shows
of it ("reads"), and the bytes after a label was added ("changed"). written_data_test.py holds our
server to that. An entry that fails is named, and stays as it was.
"""
import base64
import json
import ssl
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
SETTLE_SECONDS = 3  # for what the server's own loops set, such as conditions of definitions
CHANGE = {"metadata": {"labels": {"changed": "yes"}}}


def compact(body):
    """As Go writes it: what is kept as text, as in revisions, is then not changed by a patch."""
    return json.dumps(body, sort_keys=True, separators=(",", ":")).encode()


class Server:
    def __init__(self, url, token):
        self.url, self.token = url, token
        self.context = ssl._create_unverified_context()

    def __call__(self, method, path, body=None, kind="application/json"):
        request = urllib.request.Request(
            self.url + path, method=method, data=None if body is None else compact(body),
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": kind})
        with urllib.request.urlopen(request, timeout=60, context=self.context) as answer:
            return json.load(answer)


def all_values(etcd_url):
    """Every key below /registry/, with its value."""
    body = {"key": base64.b64encode(b"/registry/").decode(),
            "range_end": base64.b64encode(b"/registry0").decode()}
    request = urllib.request.Request(f"{etcd_url}/v3/kv/range", method="POST",
                                     data=json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=60) as answer:
        found = json.load(answer).get("kvs", [])
    return {base64.b64decode(each["key"]).decode(): base64.b64decode(each["value"])
            for each in found}


def roots(server):
    """The paths of all served versions, and their resources."""
    paths = [f"/api/{version}" for version in server("GET", "/api")["versions"]]
    for group in server("GET", "/apis")["groups"]:
        paths += [f"/apis/{version['groupVersion']}" for version in group["versions"]]
    out = {}
    for path in paths:
        try:
            out[path] = server("GET", path)["resources"]
        except urllib.error.HTTPError:  # an API service that nobody serves
            out[path] = []
    return out


def path_in(root, resource, meta):
    place = f"/namespaces/{meta['namespace']}" if resource["namespaced"] else ""
    return f"{root}{place}/{resource['name']}"


def shown(document):
    """What is the same whichever version shows it, if the fields are."""
    document = dict(document, metadata=dict(document["metadata"]))
    document.pop("apiVersion")
    document["metadata"].pop("resourceVersion", None)
    return document


class Recorder:
    def __init__(self, url, token, etcd_url):
        self.server, self.etcd_url = Server(url, token), etcd_url
        self.roots = roots(self.server)

    def create(self, given):
        version, meta = given["apiVersion"], given["metadata"]
        root = f"/apis/{version}" if "/" in version else f"/api/{version}"
        resource = next(each for each in self.roots[root] if each["kind"] == given["kind"]
                        and "/" not in each["name"])
        path = path_in(root, resource, meta)
        before = set(all_values(self.etcd_url))
        made = self.server("POST", path + "?fieldManager=recorder", given)
        added = [key for key in set(all_values(self.etcd_url)) - before
                 if key.endswith("/" + meta["name"])]
        if "status" in given and made.get("status") != given["status"]:
            made["status"] = given["status"]
            self.server("PUT", f"{path}/{meta['name']}/status?fieldManager=recorder", made)
        return {"key": added[0], "path": f"{path}/{meta['name']}",
                "paths": self.paths(given["kind"], version.rpartition("/")[0], meta)}

    def paths(self, kind, group, meta):
        """Where each version served shows it; events are shown by two groups."""
        out = []
        for root, resources in self.roots.items():
            of_group = root.removeprefix("/apis/").rpartition("/")[0] if "/apis/" in root else ""
            if of_group != group and not (kind == "Event" and of_group == "events.k8s.io"):
                continue
            out += [f"{path_in(root, each, meta)}/{meta['name']}" for each in resources
                    if each["kind"] == kind and "/" not in each["name"]]
        return out

    def note(self, entry, place):
        entry["key"], entry["path"] = place["key"], place["path"]
        entry["stored"] = base64.b64encode(all_values(self.etcd_url)[place["key"]]).decode()
        entry["reads"] = []
        for path in place["paths"]:
            document = shown(self.server("GET", path))
            like = next((each for each in entry["reads"] if each["shows"] == document), None)
            if like is None:
                entry["reads"].append({"paths": [path], "shows": document})
            else:
                like["paths"].append(path)
        self.server("PATCH", place["path"] + "?fieldManager=changer", CHANGE,
                    "application/merge-patch+json")
        entry["changed"] = base64.b64encode(all_values(self.etcd_url)[place["key"]]).decode()


def main():
    recorder = Recorder(*sys.argv[1:4])
    files = {path: json.loads(path.read_text())
             for path in sorted((HERE / "written").glob("*.json"))}
    # Namespaces come first, with the service account that pods are made with.
    entries = sorted((entry for each in files.values() for entry in each),
                     key=lambda entry: entry["object"]["kind"] != "Namespace")
    places, failed = [], 0
    for entry in entries:
        given = entry["object"]
        try:
            places.append((entry, recorder.create(given)))
            if given["kind"] == "Namespace":
                recorder.server("POST", f"/api/v1/namespaces/{given['metadata']['name']}"
                                        "/serviceaccounts", {"metadata": {"name": "default"}})
        except urllib.error.HTTPError as error:
            failed += 1
            print(f"FAIL {given['kind']}: {error.code} {error.read()[:600]}")
    time.sleep(SETTLE_SECONDS)
    for entry, place in places:
        try:
            recorder.note(entry, place)
        except urllib.error.HTTPError as error:
            failed += 1
            print(f"FAIL {entry['object']['kind']}: {error.code} {error.read()[:600]}")
    for path, entries in files.items():
        lines = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
        path.write_text(f"[\n{lines}\n]\n")
    print(f"{len(places)} objects recorded, {failed} failures")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
