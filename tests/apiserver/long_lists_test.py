#!/usr/bin/env python3
"""Lists that are too long for one piece: every resource that can be listed, in every form that a
client can ask for, over HTTP/1.1 and HTTP/2, while others go on being answered.

    long_lists_test.py KUBE_APISERVER SKIFF [unittest options]

The objects are put into the store as they are at rest (`skiff etcd`), under the keys that api/
tells, so that a kind needs no rules to be kept and none is left out. There are some of a kind that
is defined at run time, too, in two versions.
"""
import contextlib
import gzip
import json
import re
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / "wire"))

from http1 import Http1  # noqa: E402
from http2 import Http2, bearer, get  # noqa: E402
from on_etcd import Etcd, EtcdApiServer  # noqa: E402
from protobuf import fields, message  # noqa: E402
from server import ADMIN  # noqa: E402
from stored_kinds import stored_resources  # noqa: E402
from surface import ask, connect  # noqa: E402

OBJECTS, ANNOTATION_BYTES = 5, 230_000
MIN_LIST_BYTES = 1 << 20
NAMES = [f"filler-{number}" for number in range(OBJECTS)]
NAMESPACE = "default"
# Answered and never stored, so that there are only as many of them as there are components.
NOT_STORED = {"componentstatuses"}
CUSTOM_GROUP, CUSTOM_VERSIONS = "example.com", ("v1", "v2")
FOLLOW_SECONDS = 60

JSON, YAML, PROTOBUF = "application/json", "application/yaml", "application/vnd.kubernetes.protobuf"
TABLE = ";as=Table;g=meta.k8s.io;v=v1"
PARTIAL = ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
CURL = {"user-agent": "curl/8.5.0"}
GZIP = {"accept-encoding": "gzip"}


class Form:
    """What a client asks for, and how it is recognised."""

    def __init__(self, accept, query="", headers=None):
        self.query = query
        self.headers = {"accept": accept, **(headers or {})}
        self.media = accept.partition(";")[0]
        self.is_table = TABLE in accept
        self.is_pretty = self.media == JSON and (bool(query) or headers == CURL)
        self.is_gzip = headers == GZIP

    def __str__(self):
        return " ".join([self.query, *(f"{k}: {v}" for k, v in self.headers.items())])


FORMS = [
    Form(JSON), Form(JSON, "?pretty=1"), Form(JSON, headers=CURL), Form(YAML), Form(PROTOBUF),
    Form(PROTOBUF, headers=CURL),
    *(Form(JSON + as_what, query) for as_what in (TABLE, PARTIAL) for query in ("", "?pretty=1")),
    Form(YAML + TABLE), Form(YAML + PARTIAL), Form(PROTOBUF + PARTIAL),
    *(Form(media, headers=GZIP) for media in (JSON, YAML, PROTOBUF)),
    Form(JSON, "?pretty=1", GZIP),
]


def stored_bytes(stored, name):
    """An object of that resource, as it is at rest."""
    uid = f"00000000-0000-4000-8000-{int(name[-1]):012}"
    filler = "x" * ANNOTATION_BYTES
    if stored.is_json:
        meta = {"name": name, "uid": uid, "annotations": {"filler": filler}}
        return json.dumps({"kind": stored.kind, "apiVersion": stored.api_version,
                           "metadata": meta}).encode()
    meta = [(1, name.encode())]
    if stored.namespaced:
        meta.append((3, NAMESPACE.encode()))
    meta += [(5, uid.encode()), (12, message((1, b"filler"), (2, filler.encode())))]
    of_type = message((1, stored.api_version.encode()), (2, stored.kind.encode()))
    return b"k8s\0" + message((1, of_type), (2, message((1, message(*meta)))))


def listed_resources(server):
    """Group, resource and path of every list that the server has."""
    roots = [("", "/api/v1")]
    for group in ask(server, "GET", "/apis").json["groups"]:
        roots += [(group["name"], "/apis/" + each["groupVersion"]) for each in group["versions"]]
    for group, root in roots:
        for each in ask(server, "GET", root).json["resources"]:
            if "/" not in each["name"] and "list" in each["verbs"]:
                yield group, each["name"], f"{root}/{each['name']}"


def names_in_json(body):
    document = json.loads(body)
    items = document.get("items", document.get("rows"))
    return [each.get("object", each)["metadata"]["name"] for each in items]


def names_in_protobuf(body):
    if body[:4] != b"k8s\0":
        raise AssertionError(f"no envelope: {body[:20]!r}")
    raw = [value for number, value in fields(body[4:]) if number == 2]
    items = [value for number, value in fields(raw[0]) if number == 2]
    return [dict(fields(dict(fields(item))[1]))[1].decode() for item in items]


def names_in_yaml(body):
    text = body.decode()
    if not text.startswith("apiVersion: ") or not re.search(r"\n(rows|metadata):( {})?\n", text):
        raise AssertionError(f"no whole YAML: {text[:200]!r} … {text[-200:]!r}")
    return re.findall(r"^ +name: (filler-\d)$", text, re.M)


class Beside:
    """Others who ask while the lists are read: each on a connection of its own."""

    def __init__(self, server):
        self.answered, self.failed = 0, []
        self._server, self._end = server, threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self):
        while not self._end.is_set():
            try:
                answer = ask(self._server, "GET", "/version")
                if answer.code != 200:
                    self.failed.append(answer.text)
                self.answered += 1
            except OSError as error:
                self.failed.append(str(error))
            self._end.wait(0.05)

    def close(self):
        self._end.set()
        self._thread.join()


def definition():
    schema = {"openAPIV3Schema": {"type": "object"}}
    return {"metadata": {"name": f"things.{CUSTOM_GROUP}"}, "spec": {
        "group": CUSTOM_GROUP, "scope": "Namespaced",
        "names": {"plural": "things", "kind": "Thing"},
        "versions": [{"name": each, "served": True, "storage": each == CUSTOM_VERSIONS[0],
                      "schema": schema} for each in CUSTOM_VERSIONS]}}


def fill_custom(server):
    """A definition, and objects of it."""
    made = ask(server, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
               definition())
    assert made.code == 201, made.text
    deadline = time.monotonic() + FOLLOW_SECONDS
    root = f"/apis/{CUSTOM_GROUP}/{CUSTOM_VERSIONS[0]}"
    while ask(server, "GET", root + "/things").code != 200:
        assert time.monotonic() < deadline, "the kind is not served"
        time.sleep(0.05)
    for name in NAMES:
        made = ask(server, "POST", f"{root}/namespaces/{NAMESPACE}/things", {
            "apiVersion": f"{CUSTOM_GROUP}/{CUSTOM_VERSIONS[0]}", "kind": "Thing",
            "metadata": {"name": name, "annotations": {"filler": "x" * ANNOTATION_BYTES}}})
        assert made.code == 201, made.text


class LongLists(unittest.TestCase):
    server = None

    @classmethod
    def setUpClass(cls):
        cls.stack = contextlib.ExitStack()
        folder = Path(cls.stack.enter_context(tempfile.TemporaryDirectory()))
        etcd = Etcd(folder, (SKIFF, "etcd"))
        cls.stack.callback(etcd.stop)
        for stored in stored_resources().values():
            for name in NAMES:
                etcd.put(stored.key(name), stored_bytes(stored, name))
        cls.server = EtcdApiServer(KUBE_APISERVER, etcd)
        cls.stack.callback(cls.server.close)
        fill_custom(cls.server)

    @classmethod
    def tearDownClass(cls):
        cls.stack.close()

    def check(self, form, body, is_stored, what):
        if form.is_gzip and len(body) > 2 and is_stored:
            self.assertEqual(body[:2], b"\x1f\x8b", what)
            body = gzip.decompress(body)
        reader = {JSON: names_in_json, YAML: names_in_yaml, PROTOBUF: names_in_protobuf}[form.media]
        names = [name for name in reader(body) if name in NAMES]
        if form.is_pretty:
            self.assertEqual(body[:5], b'{\n  "', what)
            self.assertEqual(body[-3:], b"\n}\n", what)
        if not is_stored:
            return
        self.assertGreater(len(body), MIN_LIST_BYTES, what)
        # Tables have the name once more, in a cell.
        self.assertEqual(sorted(set(names)), NAMES, what)
        self.assertEqual(len(names), OBJECTS, what)
        self.assertEqual(body.count(b"x" * ANNOTATION_BYTES), OBJECTS, what)

    def read(self, http1, http2, path, form):
        headers = [(name.encode(), value.encode()) for name, value in form.headers.items()]
        lines = [name + b": " + value for name, value in headers]
        over_1 = http1.request("GET", (path + form.query).encode(), token=ADMIN, headers=lines)
        over_2 = http2.ask(get((path + form.query).encode(), bearer(ADMIN), *headers))
        return ("HTTP/1.1", over_1), ("HTTP/2", over_2)

    def test_every_list_comes_whole_in_every_form_while_others_are_answered(self):
        stored = stored_resources()
        beside = Beside(self.server)
        lists, custom = 0, set()
        try:
            with Http1(self.server) as http1, Http2(self.server) as http2:
                for group, resource, path in listed_resources(self.server):
                    is_stored = resource not in NOT_STORED
                    if group == CUSTOM_GROUP:
                        custom.add(path)
                    else:
                        self.assertEqual((group, resource) in stored, is_stored, path)
                    for form in FORMS:
                        for version, answer in self.read(http1, http2, path, form):
                            what = f"{path} as {form} over {version}"
                            if answer.code == 406 and form.media == PROTOBUF:
                                continue  # kinds that have no protobuf form
                            self.assertEqual(answer.code, 200, f"{what}: {answer.body[:300]}")
                            self.check(form, answer.body, is_stored, what)
                            lists += 1
        finally:
            beside.close()
        print(f"\n  {lists} lists, {beside.answered} other answers ", end="", flush=True)
        self.assertEqual(len(custom), len(CUSTOM_VERSIONS))
        self.assertEqual(beside.failed, [])
        self.assertGreater(lists, 1000)
        self.assertGreater(beside.answered, 0)

    def test_a_list_that_nobody_reads_keeps_nobody_else_waiting(self):
        with contextlib.ExitStack() as stack:
            for form in FORMS:
                connection = stack.enter_context(contextlib.closing(connect(self.server)))
                connection.request("GET", "/api/v1/configmaps" + form.query, headers={
                    **form.headers, "Authorization": f"Bearer {ADMIN}"})
            for _ in range(10):
                self.assertEqual(ask(self.server, "GET", "/version").code, 200)

    def test_pretty_is_the_same_text_with_lines(self):
        compact = ask(self.server, "GET", "/api/v1/configmaps").json
        for query, headers in (("?pretty=1", {}), ("", CURL)):
            text = ask(self.server, "GET", "/api/v1/configmaps" + query, headers=headers).text
            pretty = json.loads(text)
            for each in (compact, pretty):
                each["metadata"].pop("resourceVersion", None)
            self.assertEqual(pretty, compact)
            again = json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"
            self.assertEqual(text, again)

    def test_a_selector_that_matches_nothing_gives_an_empty_list_in_every_form(self):
        for form in FORMS:
            query = (form.query + "&" if form.query else "?") + "labelSelector=no%3Dwhere"
            answer = ask(self.server, "GET", "/api/v1/configmaps" + query, headers=form.headers)
            self.assertEqual(answer.code, 200, answer.body[:300])
            self.assertLess(len(answer.body), 2000, str(form))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    KUBE_APISERVER, SKIFF = sys.argv.pop(1), sys.argv.pop(1)
    unittest.main(verbosity=2)
