"""Paths and queries that no client means well, in every place of a URL, and URLs of a scope that
the resource has not got."""
import json

import http2 as h2
from case import JSON, WireCase
from http1 import Http1
from http2 import Http2, Reset, bearer, get
from server import ADMIN, BOB

# By what they stand for once they are decoded: the folder above, a slash, NUL, line ends, the same
# in overlong UTF-8, what is no UTF-8 at all, half a surrogate, broken escapes, escapes of escapes.
NASTY = [
    b"..", b".", b"%2e%2e", b"%2E%2E", b".%2e", b"%2e", b"..%2f..", b"%2e%2e%2f%2e%2e",
    b"..%5c..", b"%2f", b"a%2fb", b"a%2Fb", b"%2fetc%2fpasswd", b"kept%2f..%2fsecret",
    b"%00", b"a%00b", b"kept%00", b"kept%00.json", b"%0a", b"%0d%0aX-Evil:%201", b"%1b[31m", b"%7f",
    b"%c0%ae%c0%ae", b"%c0%af", b"%e0%80%af", b"%f0%80%80%af", b"%c0%80", b"\xc0\xae\xc0\xae",
    b"\xc0\xaf", b"%ff", b"%fe%ff", b"\xff\xfe", b"%80", b"%ed%a0%80", b"%f4%90%80%80", b"\xc3",
    b"%", b"%4", b"%zz", b"%u002e", b"%%32e", b"%252e%252e", b"%252f", b"*", b"kept*", b"%20", b"+",
    b"kept%20", b"%09", b"-", b"K%C3%84PT", b"%F0%9F%98%80", b"x" * 5000, b"%2e" * 3000,
]

# Every place: {} is what changes. With a method that reads and one for each kind of change.
PLACES = [
    b"/{}", b"/{}/v1/namespaces/default/configmaps/kept", b"/api/{}", b"/apis/{}",
    b"/api/{}/namespaces/default/configmaps/kept", b"/apis/{}/v1/namespaces/default/deployments/d",
    b"/apis/apps/{}/namespaces/default/deployments/d", b"/apis/apps/{}", b"/api/v1/{}",
    b"/api/v1/{}/default/configmaps/kept", b"/api/v1/namespaces/{}",
    b"/api/v1/namespaces/{}/configmaps/kept", b"/api/v1/namespaces/default/{}/kept",
    b"/api/v1/namespaces/default/configmaps/{}", b"/api/v1/namespaces/default/pods/p/{}",
    b"/api/v1/namespaces/default/configmaps/kept/{}",
    b"/api/v1/namespaces/default/pods/p/status/{}",
    b"/api/v1/namespaces/default/configmaps/kept/../{}", b"/api/v1/nodes/{}",
    b"/api/v1/watch/namespaces/default/{}/kept", b"/openapi/v3/{}", b"/openapi/v3/apis/{}/v1",
    b"/healthz/{}", b"/.well-known/{}", b"/metrics/{}", b"/version/{}",
]
METHODS = [("GET", None), ("POST", b"{}"), ("PUT", b"{}"), ("PATCH", b"{}"), ("DELETE", b"{}")]

QUERIES = [
    b"labelSelector=%ff", b"labelSelector=%zz", b"labelSelector=..%2f",
    b"labelSelector=a%3D%3D%3Db", b"labelSelector=%c0%af", b"labelSelector=a+in+(",
    b"labelSelector=%", b"fieldSelector=%00", b"fieldSelector=%ff%3Da", b"fieldSelector=nobody%3Da",
    b"fieldSelector=%2",
    b"fieldSelector=metadata.name", b"limit=%00", b"limit=x", b"limit=99999999999999999999",
    b"limit=%zz", b"continue=%00", b"continue=x", b"continue=..%2f..", b"continue=%ff",
    b"resourceVersion=x", b"resourceVersion=-1", b"resourceVersion=%2e%2e", b"resourceVersion=%00",
    b"resourceVersion=99999999999999999999999", b"resourceVersionMatch=Exact",
    b"resourceVersionMatch=%00&resourceVersion=1", b"timeoutSeconds=x", b"timeoutSeconds=%00",
    b"timeout=%00", b"timeout=1", b"sendInitialEvents=true", b"watch=1&resourceVersion=x",
    b"watch=1&labelSelector=%ff", b"watch=1&fieldSelector=%ff", b"watch=1&limit=x", b"%zz=1", b"%",
    b"a=%c0%zz", b"&".join(b"a%d=b" % i for i in range(1001)),
    b"watch=1&sendInitialEvents=true", b"watch=1&resourceVersionMatch=%00",
]
WRITE_QUERIES = [
    b"dryRun=..", b"dryRun=%00", b"dryRun=all", b"fieldValidation=x", b"fieldValidation=%00",
    b"timeout=x", b"%zz",
]
DELETE_QUERIES = [
    b"propagationPolicy=..", b"propagationPolicy=%00", b"gracePeriodSeconds=x", b"dryRun=no",
    b"gracePeriodSeconds=%00", b"propagationPolicy=Orphan&orphanDependents=true",
]

# Method, path, codes: what the resource's scope does not allow, and what is not there.
SCOPES = [
    ("POST", b"/api/v1/configmaps", (405,)),
    ("PUT", b"/api/v1/configmaps/kept", (404, 405)),
    ("GET", b"/api/v1/configmaps/kept", (404,)),
    ("DELETE", b"/api/v1/configmaps/kept", (404, 405)),
    ("DELETE", b"/api/v1/configmaps", (405,)),
    ("PATCH", b"/api/v1/configmaps/kept", (404, 405)),
    ("POST", b"/api/v1/namespaces/default/configmaps/kept", (405,)),
    ("PUT", b"/api/v1/namespaces/default/configmaps", (405,)),
    ("PATCH", b"/api/v1/namespaces/default/configmaps", (405,)),
    ("GET", b"/api/v1/namespaces/default/nodes", (404,)),
    ("GET", b"/api/v1/namespaces/default/nodes/n", (404,)),
    ("POST", b"/api/v1/namespaces/default/nodes", (404,)),
    ("GET", b"/api/v1/namespaces/default/namespaces/default", (404,)),
    ("GET", b"/apis/rbac.authorization.k8s.io/v1/namespaces/default/clusterroles", (404,)),
    ("POST", b"/apis/rbac.authorization.k8s.io/v1/namespaces/default/clusterroles", (404,)),
    ("GET", b"/apis/rbac.authorization.k8s.io/v1/roles/a", (404,)),
    ("GET", b"/api/v1/watch/configmaps/kept", (404,)),
    ("GET", b"/api/v1/watch/namespaces/default/nodes", (404,)),
    ("GET", b"/api/v1/watch/namespaces/default/unknown", (404,)),
    ("GET", b"/api/v1/watch", (404,)),
    ("POST", b"/api/v1/watch/configmaps", (405,)),
    ("DELETE", b"/api/v1/watch/namespaces/default/configmaps", (405,)),
    ("PUT", b"/api/v1/watch/namespaces/default/configmaps/kept", (405,)),
    ("GET", b"/api/v1/watch/namespaces/default/pods/p/status", (404, 405)),
    ("GET", b"/api/v1/watch/watch/configmaps", (404,)),
    ("GET", b"/api/v1/namespaces/default/unknown", (404,)),
    ("GET", b"/api/v1/namespaces/default/ConfigMaps/kept", (404,)),
    ("GET", b"/api/v1/namespaces/default/configmap/kept", (404,)),
    ("GET", b"/api/v1/namespaces/default/configmaps/kept/status", (404,)),
    ("GET", b"/api/v1/namespaces/default/configmaps/kept/scale", (404,)),
    ("GET", b"/api/v1/namespaces/default/pods/p/unknown", (404,)),
    ("GET", b"/api/v1/namespaces/default/status/more", (404,)),
    ("POST", b"/api/v1/namespaces/default/status", (405,)),
    ("GET", b"/api/v2/namespaces", (404,)),
    ("GET", b"/api/v1beta1/namespaces", (404,)),
    ("GET", b"/apis/v1/namespaces", (404,)),
    ("GET", b"/apis/apps/v2/deployments", (404,)),
    ("GET", b"/apis/apps/v1/namespaces/default/configmaps", (404,)),
    ("GET", b"/apis/nobody.example/v1/things", (404,)),
    ("GET", b"/apis/core/v1/namespaces", (404,)),
    ("GET", b"/apis//v1/namespaces", (404,)),
    ("GET", b"//api/v1/namespaces", (404,)),
    ("GET", b"/api/v1//namespaces/default/configmaps/kept", (404,)),
    ("GET", b"/api/v1/namespaces//configmaps/kept", (404,)),
    ("DELETE", b"/api/v1/namespaces/default//configmaps", (404,)),
    ("GET", b"/api/v1/namespaces/default/configmaps//kept", (404,)),
    ("POST", b"/version", (405,)),
    ("DELETE", b"/api", (405,)),
    ("POST", b"/apis/apps/v1", (405,)),
    ("PUT", b"/openapi/v2", (405,)),
]


class Paths(WireCase):
    """On few connections: what is refused without a word ends one, and the next is dialled."""

    def setUp(self):
        self.connection = None

    def tearDown(self):
        if self.connection:
            self.connection.close()
        super().tearDown()

    def ask(self, method, path, body=None, token=ADMIN):
        connection, self.connection = self.connection or Http1(self.server), None
        kind = b"Content-Type: application/merge-patch+json" if method == "PATCH" else JSON
        answer = connection.request(method, path, body, token=token, headers=(kind,))
        if answer is None or answer.headers.get("connection") == "close":
            connection.close()
        else:
            self.connection = connection
        return answer

    def test_every_part_of_a_path_is_looked_at(self):
        asked = 0
        for place in PLACES:
            for nasty in NASTY:
                for method, body in METHODS:
                    path = place.replace(b"{}", nasty)
                    with self.subTest(method=method, path=path):
                        self.assert_refused(self.ask(method, path, body), path)
                        asked += 1
        self.assertEqual(asked, len(PLACES) * len(NASTY) * len(METHODS))

    def test_nobody_gets_past_authorization_by_the_form_of_a_path(self):
        for place in (b"/api/v1/namespaces/default/{}/secret",
                      b"/api/v1/namespaces/{}/configmaps/secret",
                      b"/{}/v1/namespaces/default/configmaps/secret", b"/version/{}/configmaps",
                      b"/healthz/{}", b"/openapi/{}/api/v1/namespaces/default/configmaps/secret"):
            for nasty in NASTY + [b"configmaps", b"default", b"api", b"../api/v1",
                                  b"%63onfigmaps", b"..%2f..%2fapi"]:
                path = place.replace(b"{}", nasty)
                with self.subTest(path):
                    self.assert_refused(self.ask("GET", path, token=BOB), path)
                    self.assert_refused(self.ask("DELETE", path, b"{}", token=BOB), path)

    def test_http2_reads_paths_the_same_way(self):
        for place in PLACES:
            with Http2(self.server) as connection:
                for nasty in NASTY:
                    path = place.replace(b"{}", nasty)
                    with self.subTest(path):
                        try:
                            self.assert_refused(connection.ask(get(path, bearer(ADMIN))), path)
                        except Reset as reset:
                            self.assertEqual(reset.code, h2.PROTOCOL_ERROR)

    def test_queries_that_say_nothing_are_refused(self):
        for path in (b"/api/v1/namespaces/default/configmaps", b"/api/v1/nodes",
                     b"/apis/apps/v1/deployments"):
            for query in QUERIES:
                with self.subTest(path=path, query=query[:60]):
                    self.assert_refused(self.ask("GET", path + b"?" + query), query)
        path = b"/api/v1/namespaces/default/configmaps"
        body = b'{"metadata":{"name":"never"}}'
        for query in WRITE_QUERIES:
            with self.subTest(query=query[:60]):
                self.assert_refused(self.ask("POST", path + b"?" + query, body), query)
                self.assert_refused(self.ask("PATCH", path + b"/kept?" + query, b"{}"), query)
        for query in DELETE_QUERIES:
            with self.subTest(query=query):
                self.assert_refused(self.ask("DELETE", path + b"/kept?" + query), query)
                self.assert_refused(self.ask("DELETE", path + b"?" + query), query)

    def test_what_clients_make_up_does_not_become_a_metric(self):
        for token in (ADMIN, BOB, None, "nobody"):
            self.ask("GET", b"/apis/madeup.example/v1/madeups", token=token)
            self.ask("GET", b"/api/v1/namespaces/default/madeups/a/madeup", token=token)
            self.ask("GET", b"/api/v1/namespaces/default/pods/a/madeup", token=token)
            self.ask("MADEUP", b"/version", token=token)
            self.ask("MADEUP", b"/api/v1/pods", token=token)
            self.ask("DELETE", b"/api/v1/namespaces/default/configmaps?dryRun=madeup", token=token)
        metrics = self.ask("GET", b"/metrics").body
        self.assertIn(b"apiserver_request_total{", metrics)
        self.assertEqual([line for line in metrics.split(b"\n") if b"madeup" in line.lower()], [])

    def test_urls_of_the_wrong_scope_lead_nowhere(self):
        for method, path, codes in SCOPES:
            with self.subTest(method=method, path=path):
                body = None if method == "GET" else b'{"metadata":{"name":"kept"}}'
                self.assert_refused(self.ask(method, path, body), path, codes)

    def test_a_name_in_the_body_does_not_replace_that_of_the_path(self):
        path = b"/api/v1/namespaces/default/configmaps/kept"
        for meta in ({"name": "secret"}, {"name": "kept", "namespace": "kube-system"},
                     {"name": ".."}, {"name": "a/b"}, {"name": "kept\0"}, {"name": ""},
                     {"name": "kept", "namespace": ".."}):
            with self.subTest(meta):
                body = json.dumps({"metadata": meta, "data": {"for": "else"}}).encode()
                if meta["name"] != "":
                    self.assert_refused(self.ask("PUT", path, body), meta)
                if meta["name"] != "kept" or "namespace" in meta:
                    self.assert_refused(self.ask("POST", path[:-5], body), meta, (400, 409, 422))
