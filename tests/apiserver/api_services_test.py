#!/usr/bin/env python3
"""APIServices that the server makes of itself: for what is built in, and for custom resources.

    api_services_test.py KUBE_APISERVER [unittest options]
"""
import json
import os
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from on_etcd import Etcd, EtcdApiServer  # noqa: E402
from surface import ADMIN, ServerCase, ask, connect  # noqa: E402

ServerCase.BINARY = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""
API_SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
LABEL = "kube-aggregator.kubernetes.io/automanaged"
APPLIED_SECONDS = 40
MERGE = {"Content-Type": "application/merge-patch+json"}
# Groups of v1.36 and what stands first and last among them.
PRIORITIES = {"v1.": (18000, 1), "v1.apps": (17800, 15), "v1.events.k8s.io": (17750, 15),
              "v2.autoscaling": (17500, 30), "v1.autoscaling": (17500, 15),
              "v1.resource.k8s.io": (16200, 21), "v1.flowcontrol.apiserver.k8s.io": (16100, 21)}


def definition(plural, group, *versions, served=None):
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{group}"},
            "spec": {"group": group, "scope": "Namespaced",
                     "names": {"plural": plural, "singular": plural[:-1],
                               "kind": plural[:-1].capitalize()},
                     "versions": [{"name": version, "served": served in (None, version),
                                   "storage": version == versions[0],
                                   "schema": {"openAPIV3Schema": {"type": "object"}}}
                                  for version in versions]}}


def registration(name, label=None, **spec):
    version, _, group = name.partition(".")
    labels = {"labels": {LABEL: label}} if label else {}
    return {"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
            "metadata": {"name": name, **labels},
            "spec": {"group": group, "version": version, "groupPriorityMinimum": 7,
                     "versionPriority": 7, **spec}}


def until(test, what, seconds=APPLIED_SECONDS):
    deadline = time.monotonic() + seconds
    while not (found := what()):
        test.assertLess(time.monotonic(), deadline)
        time.sleep(0.02)
    return found


class RegistrationCase(ServerCase):
    def define(self, *given, **more):
        body = definition(*given, **more)
        made = self.ask("POST", DEFINITIONS, body)
        self.assertEqual(made.code, 201, made.text)
        path = f"{DEFINITIONS}/{body['metadata']['name']}"
        self.addCleanup(self.ask, "DELETE", path)
        return path

    def found(self, name):
        answer = self.get(f"{API_SERVICES}/{name}")
        return answer.json if answer.code == 200 else None

    def await_registered(self, name):
        return until(self, lambda: self.found(name))

    def await_gone(self, name):
        until(self, lambda: self.found(name) is None)

    def priorities(self, name):
        spec = (self.found(name) or {"spec": {}})["spec"]
        return spec.get("groupPriorityMinimum"), spec.get("versionPriority")


class BuiltInTest(RegistrationCase):
    def test_what_is_built_in_is_registered_and_available(self):
        until(self, lambda: self.get("/readyz").code == 200)
        found = {each["metadata"]["name"]: each for each in self.get(API_SERVICES).json["items"]}
        groups = [(group["name"], version["version"])
                  for group in self.get("/apis").json["groups"] for version in group["versions"]]
        self.assertEqual(set(found), {"v1."} | {
            f"{version}.{group}" for group, version in groups
            if group != "apiregistration.k8s.io"})
        for name, each in found.items():
            self.assertEqual(each["metadata"]["labels"], {LABEL: "onstart"}, name)
            condition = each["status"]["conditions"][0]
            self.assertEqual(
                (condition["type"], condition["status"], condition["reason"],
                 condition["message"]),
                ("Available", "True", "Local", "Local APIServices are always available"), name)
        for name, priorities in PRIORITIES.items():
            self.assertEqual(self.priorities(name), priorities, name)

    def test_readiness_tells_what_runs(self):
        until(self, lambda: self.get("/readyz").code == 200)
        shown = self.get("/readyz?verbose").text
        for check in ("autoregister-completion", "poststarthook/kube-apiserver-autoregistration",
                      "poststarthook/apiservice-registration-controller",
                      "poststarthook/apiservice-discovery-controller"):
            self.assertIn(f"[+]{check} ok", shown)


class CustomTest(RegistrationCase):
    def test_each_version_that_is_served_is_registered_as_long_as_it_is(self):
        path = self.define("apples", "one.example.com", "v1", "v2")
        self.define("pears", "one.example.com", "v1")
        made = self.await_registered("v1.one.example.com")
        self.assertEqual(made["metadata"]["labels"], {LABEL: "true"})
        self.assertEqual(made["spec"], {"group": "one.example.com", "version": "v1",
                                        "groupPriorityMinimum": 1000, "versionPriority": 100})
        self.assertEqual(made["status"]["conditions"][0]["reason"], "Local")
        self.await_registered("v2.one.example.com")
        changed = definition("apples", "one.example.com", "v1", "v2", served="v1")["spec"]
        self.assertEqual(self.ask("PATCH", path, json.dumps({"spec": changed}),
                                  headers=MERGE).code, 200)
        self.await_gone("v2.one.example.com")
        self.assertEqual(self.ask("DELETE", path).code, 200)
        until(self, lambda: self.get(path).code == 404)
        # The other one still has it.
        self.assertIsNotNone(self.found("v1.one.example.com"))
        self.ask("DELETE", f"{DEFINITIONS}/pears.one.example.com")
        self.await_gone("v1.one.example.com")

    def test_one_that_somebody_removes_or_changes_comes_back(self):
        self.define("apples", "two.example.com", "v1")
        name = "v1.two.example.com"
        uid = self.await_registered(name)["metadata"]["uid"]
        self.assertEqual(self.ask("DELETE", f"{API_SERVICES}/{name}").code, 200)
        self.assertNotEqual(self.await_registered(name)["metadata"]["uid"], uid)
        changed = {"spec": {"groupPriorityMinimum": 5, "insecureSkipTLSVerify": True,
                            "service": {"namespace": "default", "name": "x"}}}
        self.assertEqual(self.ask("PATCH", f"{API_SERVICES}/{name}", json.dumps(changed),
                                  headers=MERGE).code, 200)
        until(self, lambda: "service" not in self.found(name)["spec"])
        self.assertEqual(self.priorities(name), (1000, 100))
        until(self, lambda: self.found(name)["status"]["conditions"][0]["reason"] == "Local")

    def test_one_without_the_label_is_left_alone(self):
        self.define("apples", "three.example.com", "v1")
        name = "v1.three.example.com"
        self.await_registered(name)
        changed = {"metadata": {"labels": None}, "spec": {"groupPriorityMinimum": 5}}
        self.assertEqual(self.ask("PATCH", f"{API_SERVICES}/{name}", json.dumps(changed),
                                  headers=MERGE).code, 200)
        self.ask("DELETE", f"{DEFINITIONS}/apples.three.example.com")
        until(self, lambda: self.get(f"{DEFINITIONS}/apples.three.example.com").code == 404)
        self.define("apples", "four.example.com", "v1")
        self.await_registered("v1.four.example.com")
        self.assertEqual(self.priorities(name), (5, 100))
        self.ask("DELETE", f"{API_SERVICES}/{name}")

    def test_one_with_the_label_and_without_a_definition_goes(self):
        for name, label in (("v1.five.example.com", "true"), ("v2.five.example.com", "onstart"),
                            ("v3.five.example.com", None)):
            self.assertEqual(self.ask("POST", API_SERVICES, registration(name, label)).code, 201)
            self.addCleanup(self.ask, "DELETE", f"{API_SERVICES}/{name}")
        self.await_gone("v1.five.example.com")
        self.assertIsNotNone(self.found("v2.five.example.com"))
        self.assertIsNotNone(self.found("v3.five.example.com"))


class TwoServersTest(RegistrationCase):
    """Two servers on one store."""
    LOOK_SECONDS = 8
    DEFINED = 12

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        etcd = Etcd(Path(folder.name), (str(Path(cls.BINARY).parent / "etcd"),))
        cls.addClassCleanup(etcd.stop)
        cls.server = EtcdApiServer(cls.BINARY, etcd)
        cls.second = EtcdApiServer(cls.BINARY, etcd)
        cls.addClassCleanup(cls.second.close)

    def test_they_do_not_write_against_each_other(self):
        connection = connect(self.second)
        self.addCleanup(connection.close)
        now = self.get(API_SERVICES).json["metadata"]["resourceVersion"]
        connection.request("GET", f"{API_SERVICES}?watch=1&timeoutSeconds={self.LOOK_SECONDS}"
                                  f"&resourceVersion={now}",
                           headers={"Authorization": f"Bearer {ADMIN}"})
        response = connection.getresponse()
        for number in range(self.DEFINED):
            server = (self.server, self.second)[number % 2]
            body = definition("apples", f"g{number}.example.com", "v1")
            self.assertEqual(ask(server, "POST", DEFINITIONS, body).code, 201)
            self.addCleanup(self.ask, "DELETE", f"{DEFINITIONS}/{body['metadata']['name']}")
        events = [json.loads(line) for line in response.read().splitlines()]
        self.assertEqual(sorted((each["type"], each["object"]["metadata"]["name"])
                                for each in events),
                         sorted(("ADDED", f"v1.g{number}.example.com")
                                for number in range(self.DEFINED)))


if __name__ == "__main__":
    unittest.main()
