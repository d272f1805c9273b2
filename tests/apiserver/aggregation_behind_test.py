#!/usr/bin/env python3
"""A second server of ours behind the first, as an extension API server.

    aggregation_behind_test.py KUBE_APISERVER [unittest options]

The second believes the first, by the front proxy's certificate, about who asks, and decides by its
own roles what they may. It has a group of its own, of a custom resource, and speaks HTTP/2.
"""
import http.client
import json
import os
import ssl
import sys
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from aggregation_case import API_SERVICES, APPLIED_SECONDS, NAME, AggregationCase  # noqa: E402
from extension_server import ROOT as EXTENSION_ROOT  # noqa: E402
from extension_server import Authority, ExtensionServer  # noqa: E402
from on_etcd import Etcd, EtcdApiServer  # noqa: E402
from surface import ADMIN, Figures, ask, connect  # noqa: E402
from server import ApiServer  # noqa: E402

AggregationCase.BINARY = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""
GROUP = "behind.example.com"
ROOT = f"/apis/{GROUP}/v1"
WIDGETS = f"{ROOT}/namespaces/default/widgets"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
WATCHES = 40
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": f"widgets.{GROUP}"},
    "spec": {"group": GROUP, "scope": "Namespaced",
             "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
             "versions": [{"name": "v1", "served": True, "storage": True, "schema": {
                 "openAPIV3Schema": {"type": "object",
                                     "x-kubernetes-preserve-unknown-fields": True}}}]}}


def widget(name, **data):
    return {"apiVersion": f"{GROUP}/v1", "kind": "Widget", "metadata": {"name": name}, "spec": data}


class BehindTest(AggregationCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.second = ApiServer(
            cls.BINARY, f"--tls-cert-file={cls.cert}", f"--tls-private-key-file={cls.key}",
            f"--requestheader-client-ca-file={cls.proxy_ca.cert}",
            "--requestheader-allowed-names=front-proxy-client",
            "--requestheader-username-headers=X-Remote-User",
            "--requestheader-group-headers=X-Remote-Group",
            "--requestheader-extra-headers-prefix=X-Remote-Extra-")
        cls.addClassCleanup(cls.second.close)
        made = ask(cls.second, "POST",
                   "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", DEFINITION)
        assert made.code == 201, made.text
        deadline = time.monotonic() + APPLIED_SECONDS
        while ask(cls.second, "GET", WIDGETS).code != 200:
            assert time.monotonic() < deadline

    def setUp(self):
        self.make_service()
        self.register(self.second.port, group=GROUP)
        self.await_condition("True", "Passed", f"v1.{GROUP}")
        self.await_forwarding(ROOT)

    def lines(self, path, token=ADMIN):
        """What a watch says, as it comes, and the connection."""
        connection = connect(self.server)
        self.addCleanup(connection.close)
        connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
        response = connection.getresponse()
        self.assertEqual(response.status, 200)
        return response, connection

    def test_objects_are_made_read_changed_and_deleted_through_the_first(self):
        made = self.ask("POST", WIDGETS, widget("one", size=1))
        self.assertEqual(made.code, 201, made.text)
        self.assertEqual(ask(self.second, "GET", WIDGETS + "/one").json, made.json)
        patched = self.ask("PATCH", WIDGETS + "/one", json.dumps({"spec": {"size": 2}}),
                           headers={"Content-Type": "application/merge-patch+json"})
        self.assertEqual(patched.json["spec"], {"size": 2})
        table = self.get(WIDGETS, headers={
            "Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}).json
        self.assertEqual((table["kind"], len(table["rows"])), ("Table", 1))
        applied = self.ask("PATCH", WIDGETS + "/two?fieldManager=t", json.dumps(widget("two")),
                           headers={"Content-Type": "application/apply-patch+yaml"})
        self.assertEqual(applied.code, 201, applied.text)
        for name in ("one", "two"):
            self.assertEqual(self.ask("DELETE", f"{WIDGETS}/{name}").code, 200)
        self.assertEqual(self.get(WIDGETS).json["items"], [])
        missing = self.get(WIDGETS + "/one")
        self.expect_status(missing, 404, "NotFound")

    def test_the_second_decides_by_its_own_roles_what_a_user_may(self):
        role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
                "metadata": {"name": "widgets"},
                "rules": [{"apiGroups": [GROUP], "resources": ["*"], "verbs": ["*"]}]}
        binding = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
                   "metadata": {"name": "widgets"},
                   "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                               "name": "widgets"},
                   "subjects": [{"kind": "Group", "name": "dev",
                                 "apiGroup": "rbac.authorization.k8s.io"}]}

        def allow(server):
            for path, body in ((RBAC + "/clusterroles", role),
                               (RBAC + "/clusterrolebindings", binding)):
                self.assertEqual(ask(server, "POST", path, body).code, 201)
                self.addCleanup(ask, server, "DELETE", path + "/widgets")

        allow(self.server)
        deadline = time.monotonic() + APPLIED_SECONDS
        while not self.first_allows():
            self.assertLess(time.monotonic(), deadline)
        self.expect_status(self.get(WIDGETS, token="bobtoken"), 403, "Forbidden")
        allow(self.second)
        while self.get(WIDGETS, token="bobtoken").code != 200:
            self.assertLess(time.monotonic(), deadline)

    def first_allows(self):
        review = self.ask("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {
            "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
            "spec": {"user": "bob", "groups": ["dev"], "resourceAttributes": {
                "group": GROUP, "resource": "widgets", "verb": "list", "namespace": "default"}}})
        return review.json["status"]["allowed"]

    def test_watches_flow_and_share_connections(self):
        before = Figures(self.second).files
        watches = [self.lines(WIDGETS + "?watch=1") for _ in range(WATCHES)]
        more = Figures(self.second).files - before
        self.assertLess(more, WATCHES // 4, "each watch has a connection of its own")
        for number in range(3):
            ask(self.second, "POST", WIDGETS, widget(f"w{number}"))
            self.addCleanup(ask, self.second, "DELETE", f"{WIDGETS}/w{number}")
            for response, _ in watches:
                event = json.loads(response.readline())
                self.assertEqual((event["type"], event["object"]["metadata"]["name"]),
                                 ("ADDED", f"w{number}"))

    def test_a_watch_ends_when_the_second_does_and_it_comes_back(self):
        response, _ = self.lines(WIDGETS + "?watch=1")
        ended = threading.Event()

        def read():
            try:
                while response.readline():
                    pass
            except (http.client.HTTPException, OSError, ssl.SSLError):
                pass
            ended.set()
        threading.Thread(target=read, daemon=True).start()
        self.second.kill()
        self.assertTrue(ended.wait(20))
        self.await_condition("False", "FailedDiscoveryCheck", f"v1.{GROUP}")
        self.assertEqual(self.get(WIDGETS).code, 503)
        self.second.start()
        self.await_condition("True", "Passed", f"v1.{GROUP}")
        self.await_forwarding(WIDGETS)
        self.assertEqual(self.get(WIDGETS).code, 200)

    def test_nobody_is_believed_without_the_certificate(self):
        answer = ask(self.second, "GET", WIDGETS, token=None, headers={
            "X-Remote-User": "admin", "X-Remote-Group": "system:masters"})
        self.assertEqual(answer.code, 403)
        self.assertIn('User "system:anonymous"', answer.json["message"])

    def test_who_serves_behind_it_can_read_whom_to_believe(self):
        found = self.get("/api/v1/namespaces/kube-system/configmaps/"
                         "extension-apiserver-authentication").json["data"]
        self.assertEqual(found["requestheader-client-ca-file"], self.proxy_ca.cert.read_text())
        self.assertEqual(found["requestheader-allowed-names"], '["front-proxy-client"]')
        self.assertEqual(found["requestheader-username-headers"], '["X-Remote-User"]')
        role = self.get(RBAC + "/namespaces/kube-system/roles/extension-apiserver-authentication-"
                               "reader").json
        self.assertEqual(role["rules"][0]["resourceNames"], ["extension-apiserver-authentication"])


class TwoServersTest(AggregationCase):
    """Two servers on one store, of which the extension server believes only one."""
    LOOK_SECONDS = 8
    MOST_WRITES = 8

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.etcd = Etcd(cls.folder, (str(Path(cls.BINARY).parent / "etcd"),))
        cls.addClassCleanup(cls.etcd.stop)
        stranger, key = Authority(cls.folder, "other-ca").issue("front-proxy-client-of-another")
        disbelieved = tuple(
            f"--proxy-client-cert-file={stranger}" if flag.startswith("--proxy-client-cert") else
            f"--proxy-client-key-file={key}" if flag.startswith("--proxy-client-key") else flag
            for flag in cls.FLAGS)
        cls.server.close()
        cls.server = EtcdApiServer(cls.BINARY, cls.etcd, *cls.FLAGS)
        cls.second = EtcdApiServer(cls.BINARY, cls.etcd, *disbelieved)
        cls.addClassCleanup(cls.second.close)

    def test_servers_that_disagree_do_not_write_as_fast_as_they_can(self):
        extension = ExtensionServer(self.cert, self.key, self.proxy_ca.cert)
        self.addCleanup(extension.close)
        self.make_service()
        self.register(extension.port)
        # The first has been answered, and the second has not.
        self.await_condition("False", "FailedDiscoveryCheck")
        deadline = time.monotonic() + APPLIED_SECONDS
        while not extension.count(EXTENSION_ROOT):
            self.assertLess(time.monotonic(), deadline)
        connection = connect(self.server)
        self.addCleanup(connection.close)
        connection.request("GET", f"{API_SERVICES}?watch=1&timeoutSeconds={self.LOOK_SECONDS}"
                                  f"&fieldSelector=metadata.name%3D{NAME}&resourceVersion=0",
                           headers={"Authorization": f"Bearer {ADMIN}"})
        events = connection.getresponse().read().splitlines()
        self.assertLess(len(events), self.MOST_WRITES, events)


if __name__ == "__main__":
    unittest.main()
