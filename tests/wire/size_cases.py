"""More of everything than is taken: lines, headers, bodies, depth, and what grows when read."""
import json
import time

from case import JSON, PROMPT_SECONDS, Figures, WireCase
from server import SANITIZED
from http1 import Http1
from http2 import Http2, bearer, get
from server import ADMIN

MAPS = b"/api/v1/namespaces/default/configmaps"
BODY_BYTES = 3 * 1024 * 1024
YAML = b"Content-Type: application/yaml"
PROTOBUF = b"Content-Type: application/vnd.kubernetes.protobuf"
JSON_PATCH = b"Content-Type: application/json-patch+json"
MERGE_PATCH = b"Content-Type: application/merge-patch+json"
STRATEGIC_PATCH = b"Content-Type: application/strategic-merge-patch+json"


def nested(depth, opening=b"[", closing=b"]", inner=b"1"):
    return (b'{"metadata":{"name":"never"},"data":' + opening * depth + inner + closing * depth +
            b"}")


def alias_bomb():
    lines = [b"metadata: {name: never}", b"a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for i in range(1, 12):
        lines.append(b"a%d: &a%d [%s]" % (i, i, b", ".join([b"*a%d" % (i - 1)] * 10)))
    return b"\n".join(lines)


class Sizes(WireCase):
    def ask(self, method, path, body=None, *headers):
        began = time.monotonic()
        with Http1(self.server) as connection:
            answer = connection.request(method, path, body, token=ADMIN, headers=headers)
        self.assertLess(time.monotonic() - began, PROMPT_SECONDS, "this took too long")
        return answer

    def assert_all_refused(self, bodies, headers=(JSON,), method="POST", path=MAPS,
                           codes=range(400, 500)):
        for what, body in bodies.items():
            with self.subTest(what):
                self.assert_refused(self.ask(method, path, body, *headers), what, codes)

    def test_heads_beyond_the_bound_are_431(self):
        heads = {
            "a request line": (b"/version?" + b"x" * 300_000, ()),
            "a request line without end": (b"/" + b"x" * 2_000_000, ()),
            "a field": (b"/version", (b"A: " + b"x" * 1_100_000,)),
            "fields": (b"/version", [b"A%d: b" % i for i in range(1500)]),
            "a name of a field": (b"/version", (b"x" * 1_100_000 + b": a",)),
            "a token": (b"/version", (b"Authorization: Bearer " + b"x" * 1_100_000,)),
        }
        for what, (path, fields) in heads.items():
            with self.subTest(what):
                self.assert_refused(self.ask("GET", path, None, *fields), what, (414, 431))

    def test_large_heads_within_the_bound_are_read(self):
        answer = self.ask("GET", b"/version", None, b"A: " + b"x" * 500_000)
        self.assertEqual(answer.code, 200)
        for token in (b"x" * 100_000, b"a.b.c" * 10_000, b"\xff" * 1000, b"."):
            with Http1(self.server) as connection:
                answer = connection.request("GET", MAPS,
                                            headers=(b"Authorization: Bearer " + token,))
                self.assert_refused(answer, token[:20], (400, 401))

    def test_bodies_beyond_the_bound_are_413(self):
        head = b"POST " + MAPS + b" HTTP/1.1\r\nHost: skiff\r\nAuthorization: Bearer " + \
            ADMIN.encode() + b"\r\n" + JSON + b"\r\n"
        rests = {
            "one byte more": b"Content-Length: %d\r\n\r\n" % (BODY_BYTES + 1),
            "a terabyte": b"Content-Length: 1099511627776\r\n\r\n",
            "one that waits": b"Expect: 100-continue\r\nContent-Length: 4000000\r\n\r\n",
            "one chunk": b"Transfer-Encoding: chunked\r\n\r\nfffffff\r\n",
            "many chunks": b"Transfer-Encoding: chunked\r\n\r\n" +
                           (b"10000\r\n" + b" " * 65536 + b"\r\n") * 60,
            "the whole": b"Content-Length: 4000000\r\n\r\n" + b" " * 4_000_000,
        }
        for what, rest in rests.items():
            with self.subTest(what), Http1(self.server) as connection:
                self.assert_refused(connection.ask(head + rest), what, (413,))
                self.assertTrue(connection.is_closed())
        with Http2(self.server) as connection:
            pairs = get(MAPS, bearer(ADMIN), method=b"POST")
            stream = connection.head(pairs + [(b"content-length", b"4000000")], ends=False)
            self.assert_refused(connection.answer(stream), "over HTTP/2", (413,))
            stream = connection.head(pairs, ends=False)
            connection.send_as_granted(stream, b" " * (BODY_BYTES + 1))
            self.assert_refused(connection.answer(stream), "without its length", (413,))
            self.assertEqual(connection.ask(get()).code, 200)

    def test_bodies_that_are_no_documents_are_400(self):
        self.assert_all_refused({
            "nothing": b"", "a word": b"null", "a number": b"1e999", "a list": b"[]",
            "half": b'{"a":', "two": b"{}{}", "NUL": b"\0",
            "no UTF-8": b'{"metadata":{"name":"\xff\xfe"}}',
            "half a surrogate as the name": b'{"metadata":{"name":"\\ud800"}}',
            "another kind": b'{"kind":"Secret","apiVersion":"v1","metadata":{"name":"never"}}',
            "a string for an object": b'{"metadata":"x"}', "a list for a map": b'{"data":[]}',
            "compressed": b"\x1f\x8b\x08" + b"\0" * 100,
        }, codes=(400, 422))
        self.assert_all_refused({
            "nothing": b"", "no magic": b"xxxx", "only magic": b"k8s\0",
            "cut off": b"k8s\0\x0a\xff",
            "a length beyond the end": b"k8s\0\x0a\x04\x0a\x02v1\x12\xff\xff\xff\xff\x0f",
            "groups without end": b"k8s\0" + b"\x0b" * 100_000,
            "a varint without end": b"k8s\0" + b"\xff" * 1000,
        }, (PROTOBUF,))
        self.assert_all_refused({
            "tabs": b"\t\tx: y", "no text": b"\xff\xfe\0", "a tag": b"!!js/x {}"}, (YAML,))
        for kind in (b"text/plain", b"application/xml", b"x", b"application/json;;;=", b"*/*"):
            self.assert_all_refused({kind: b"{}"}, (b"Content-Type: " + kind,),
                                    codes=(400, 415, 422))

    def test_depth_is_bounded(self):
        bodies = {f"{depth} lists": nested(depth) for depth in (600, 10_000, 1_000_000)}
        bodies["maps"] = nested(200_000, b'{"a":', b"}")
        bodies["without end"] = b"[" * 3_000_000
        bodies["maps without end"] = b'{"a":' * 500_000
        self.assert_all_refused(bodies)
        self.assert_all_refused(bodies, (MERGE_PATCH,), "PATCH", MAPS + b"/kept")
        self.assert_all_refused(bodies, (STRATEGIC_PATCH,), "PATCH", MAPS + b"/kept")
        self.assert_all_refused({
            "flow": b"a: " + b"[" * 100_000, "blocks": b"- " * 100_000,
            "maps": b"".join(b" " * i + b"a:\n" for i in range(2000))}, (YAML,))

    def test_what_grows_when_it_is_read_is_refused(self):
        before = Figures(self.server)
        self.assert_all_refused({
            "aliases": alias_bomb(), "an alias of itself": b"a: &a [*a]",
            "anchors": b"".join(b"a%d: &a%d x\n" % (i, i) for i in range(20_000)),
            "merge keys": b"a: &a {b: c}\nd:\n" + b"  <<: [" + b"*a," * 200_000 + b"]\n",
        }, (YAML,))
        copies = [{"op": "add", "path": "/data/a", "value": "x" * 1000}]
        copies += [{"op": "copy", "from": "/data", "path": f"/data/b{i}"} for i in range(40)]
        operations = [{"op": "test", "path": "/metadata/name", "value": "kept"}] * 10_001
        self.assert_all_refused({
            "copies of copies": json.dumps(copies).encode(),
            "operations": json.dumps(operations).encode(),
            "a path without end": json.dumps([{"op": "add", "path": "/a" * 500_000,
                                               "value": 1}]).encode(),
            "an index beyond all": b'[{"op":"add","path":"/metadata/finalizers/99999999999999999",'
                                   b'"value":"a"}]',
        }, (JSON_PATCH,), "PATCH", MAPS + b"/kept")
        quantity = b'{"metadata":{"name":"never"},"spec":{"hard":{"cpu":"1e1000000000"}}}'
        self.assert_all_refused({"a quantity": quantity}, (JSON,), "POST",
                                b"/api/v1/namespaces/default/resourcequotas")
        self.assert_memory_below(Figures(self.server), before.resident_mb + 150)

    def test_many_faults_are_told_in_a_few_words(self):
        """Each of these has thousands of faults, and each fault could be told with all the rest."""
        owners = [{"apiVersion": "v1", "kind": "Pod", "name": f"p{i}", "uid": f"u{i}",
                   "controller": True} for i in range(20_000)]
        bombs = {
            "owners that all control": {"ownerReferences": owners},
            "the same owner": {"ownerReferences": [{**owners[0], "kind": ""}] * 20_000},
            "finalizers": {"finalizers": [f"~{i}" for i in range(20_000)]},
            "finalizers that exclude each other": {
                "finalizers": ["orphan", "foregroundDeletion"] * 20_000},
            "labels": {"labels": {f"~{i}": "~" for i in range(20_000)}},
            "annotations": {"annotations": {f"~{i}": "" for i in range(20_000)}},
            "managers": {"managedFields": [
                {"manager": "\u0001" * 100, "operation": "Update", "apiVersion": "v1",
                 "fieldsType": "FieldsV1", "fieldsV1": {"f:data": {}}}] * 3_000},
        }
        for what, metadata in bombs.items():
            with self.subTest(what):
                before = Figures(self.server)
                before.forget_peak()
                for name in ("never", "x" * 100_000):
                    body = json.dumps({"metadata": {"name": name, **metadata}}).encode()
                    answer = self.ask("POST", MAPS, body, JSON)
                    self.assert_refused(answer, what, (422,))
                    self.assertLess(len(answer.body), 512 * 1024)
                peak = Figures(self.server)
                if not SANITIZED:
                    self.assertLess(peak.peak_mb, before.resident_mb + 200)

    def test_objects_and_their_parts_are_bounded(self):
        long = "x" * 300_000
        self.assert_all_refused({
            "a name": json.dumps({"metadata": {"name": long}}).encode(),
            "annotations": json.dumps({"metadata": {"name": "never",
                                                    "annotations": {"a": long}}}).encode(),
            "a label": json.dumps({"metadata": {"name": "never", "labels": {"a": long}}}).encode(),
            "generateName": json.dumps({"metadata": {"generateName": long}}).encode(),
        }, codes=(400, 413, 422))
        self.assert_all_refused({
            "an object that the store does not take": json.dumps({
                "metadata": {"name": "never", "labels": {f"l{i}": "x" * 60 for i in range(25_000)}},
            }).encode()}, codes=(413, 422))

    def test_selectors_are_bounded(self):
        for name, value in (
                (b"labelSelector", b"a%3Db," * 20_000), (b"labelSelector", b"a" * 200_000),
                (b"labelSelector", b"a+in+(" + b"b," * 100_000), (b"labelSelector", b"(" * 100_000),
                (b"fieldSelector", b"metadata.name%3Db," * 10_000),
                (b"fieldSelector", b"%5C" * 60_000), (b"continue", b"x" * 200_000)):
            with self.subTest(value[:20]):
                answer = self.ask("GET", MAPS + b"?" + name + b"=" + value)
                self.assert_refused(answer, value[:20])
