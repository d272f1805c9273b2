#!/usr/bin/env python3
"""Control loops over resources that another server has, behind the aggregator.

    aggregated_test.py KUBE_APISERVER KUBE_CONTROLLER_MANAGER [unittest options]

The second server is one of ours with a custom resource, and has no control loops of its own.
"""
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / "apiserver"))

from manager import Cluster, Manager, until  # noqa: E402
from extension_server import SERVICE_HOST, Authority  # noqa: E402
from server import ApiServer  # noqa: E402

BINARY = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""
Manager.BINARY = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""
GROUP = "behind.example.com"
REGISTRATION = f"/apis/apiregistration.k8s.io/v1/apiservices/v1.{GROUP}"
DEFINITION = {
    "metadata": {"name": f"widgets.{GROUP}"},
    "spec": {"group": GROUP, "scope": "Namespaced",
             "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
             "versions": [{"name": "v1", "served": True, "storage": True, "schema": {
                 "openAPIV3Schema": {"type": "object"}}}]}}
HEADERS = ("--requestheader-username-headers=X-Remote-User",
           "--requestheader-group-headers=X-Remote-Group",
           "--requestheader-extra-headers-prefix=X-Remote-Extra-")


def widgets(name_space, name=""):
    return f"/apis/{GROUP}/v1/namespaces/{name_space}/widgets" + (f"/{name}" if name else "")


class AggregatedTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        path = Path(folder.name)
        proxy = Authority(path, "front-proxy-ca")
        proxy_cert, proxy_key = proxy.issue("front-proxy-client")
        cert, key = Authority(path, "serving-ca").issue("ext", f"DNS:{SERVICE_HOST}")
        cls.cluster = Cluster(BINARY, path, f"--proxy-client-cert-file={proxy_cert}",
                              f"--proxy-client-key-file={proxy_key}",
                              f"--requestheader-client-ca-file={proxy.cert}", *HEADERS)
        cls.addClassCleanup(cls.cluster.close)
        cls.second = ApiServer(BINARY, f"--tls-cert-file={cert}", f"--tls-private-key-file={key}",
                               f"--requestheader-client-ca-file={proxy.cert}", *HEADERS)
        cls.addClassCleanup(cls.second.close)
        cls.second.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                           DEFINITION)
        cls.cluster.ask("POST", "/api/v1/namespaces/default/services", {
            "metadata": {"name": "ext"},
            "spec": {"type": "ExternalName", "externalName": "localhost"}})
        cls.cluster.ask("POST", os.path.dirname(REGISTRATION), {
            "metadata": {"name": f"v1.{GROUP}"},
            "spec": {"group": GROUP, "version": "v1", "groupPriorityMinimum": 100,
                     "versionPriority": 10, "insecureSkipTLSVerify": True,
                     "service": {"namespace": "default", "name": "ext", "port": cls.second.port}}})
        assert until(cls.available), cls.cluster.ask("GET", REGISTRATION)
        cls.manager = Manager(cls.cluster)
        cls.addClassCleanup(cls.manager.close)

    @classmethod
    def available(cls):
        conditions = cls.cluster.ask("GET", REGISTRATION).get("status", {}).get("conditions", [])
        return any(each["type"] == "Available" and each["status"] == "True"
                   for each in conditions)

    def make_namespace(self, name):
        """In both: the second does not take objects into those that it does not know."""
        self.cluster.make_namespace(name)
        self.second.request("POST", "/api/v1/namespaces", {"metadata": {"name": name}})

    def make_widget(self, name_space, name, **meta):
        made = until(lambda: self.try_make(name_space, name, meta))
        self.assertTrue(made, self.manager.log())
        return made

    def try_make(self, name_space, name, meta):
        try:
            return self.cluster.ask("POST", widgets(name_space), {
                "apiVersion": f"{GROUP}/v1", "kind": "Widget", "metadata": {"name": name, **meta}})
        except AssertionError as error:
            # The second has not yet seen that there is the namespace, or the resource.
            self.assertRegex(str(error), " (404|403|503) ")
            return None

    def test_a_namespace_goes_with_what_others_have_in_it(self):
        self.make_namespace("work")
        self.make_widget("work", "a")
        self.cluster.delete_namespace("work")
        self.assertTrue(until(lambda: not self.cluster.has("/api/v1/namespaces/work")),
                        self.manager.log())
        self.assertEqual(self.second.request("GET", widgets("work"))["items"], [])

    def test_what_others_have_goes_with_its_owner(self):
        self.make_namespace("owned")
        owner = self.cluster.ask("GET", "/api/v1/namespaces/owned/configmaps/a")
        self.make_widget("owned", "kept")
        self.make_widget("owned", "a", ownerReferences=[{
            "apiVersion": "v1", "kind": "ConfigMap", "name": "a",
            "uid": owner["metadata"]["uid"]}])
        self.cluster.ask("DELETE", "/api/v1/namespaces/owned/configmaps/a")
        self.assertTrue(until(lambda: not self.cluster.has(widgets("owned", "a"))),
                        self.manager.log())
        self.assertTrue(self.cluster.has(widgets("owned", "kept")))

    def test_quotas_count_what_others_have(self):
        self.make_namespace("counted")
        self.make_widget("counted", "a")
        self.make_widget("counted", "b")
        name = f"count/widgets.{GROUP}"
        self.cluster.ask("POST", "/api/v1/namespaces/counted/resourcequotas", {
            "metadata": {"name": "q"}, "spec": {"hard": {name: "5"}}})
        path = "/api/v1/namespaces/counted/resourcequotas/q"
        self.assertTrue(until(lambda: self.cluster.ask("GET", path).get("status", {}).get(
            "used", {}).get(name) == "2"), json.dumps(self.cluster.ask("GET", path)))


if __name__ == "__main__":
    unittest.main()
