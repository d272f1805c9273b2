#!/usr/bin/env python3
"""Custom resources whose versions a webhook converts: everywhere that objects cross versions, and
whatever the webhook does.

    conversion_test.py KUBE_APISERVER [unittest options]
"""
import os
import re
import sys
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from conversion_case import (APPLY, DEFINITIONS, MERGE, SERVED_SECONDS,  # noqa: E402
                             ConversionCase, answer_to, converts, converts_with)
from surface import connect  # noqa: E402
from webhook_server import answers as allows  # noqa: E402
from webhook_server import (drips, ends_at_once, floods, hangs, patch, reply,  # noqa: E402
                            says, sends_half)

ConversionCase.BINARY = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""

MANY, AT_ONCE = 1200, 500
WATCHERS, CHANGES = 20, 60


class VersionsTest(ConversionCase):
    def test_an_object_is_the_same_in_every_version(self):
        self.define("same.example.com")
        made = self.create("v2", "a", 5)
        self.assertEqual(made["spec"], {"amount": 5})
        self.assertEqual(made["apiVersion"], "same.example.com/v2")
        for version, spec in (("v1", {"size": 5}), ("v2", {"amount": 5})):
            got = self.get(self.path(version, "a")).json
            self.assertEqual((got["spec"], got["metadata"]["uid"]), (spec, made["metadata"]["uid"]))
            self.assertEqual(got["metadata"]["resourceVersion"],
                             made["metadata"]["resourceVersion"])
        got = self.get(self.path("v2", "a")).json
        got["spec"]["amount"] = 6
        put = self.ask("PUT", self.path("v2", "a"), got)
        self.assertEqual((put.code, put.json["spec"]), (200, {"amount": 6}), put.text)
        self.assertEqual(put.json["metadata"]["generation"], 2)
        patched = self.ask("PATCH", self.path("v2", "a"), {"spec": {"amount": 7}}, headers=MERGE)
        self.assertEqual((patched.code, patched.json["spec"]), (200, {"amount": 7}), patched.text)
        self.assertEqual(self.get(self.path("v1", "a")).json["spec"], {"size": 7})
        gone = self.ask("DELETE", self.path("v2", "a"))
        self.assertEqual(gone.code, 200, gone.text)
        self.await_code(self.path("v1", "a"), 404)

    def test_an_update_that_changes_nothing_writes_nothing(self):
        self.define("nothing.example.com")
        made = self.create("v2", "a", 5)
        for method, body, headers in (("PUT", made, None),
                                      ("PATCH", {"spec": {"amount": 5}}, MERGE)):
            again = self.ask(method, self.path("v2", "a"), body, headers=headers)
            self.assertEqual(again.json["metadata"]["resourceVersion"],
                             made["metadata"]["resourceVersion"], again.text)

    def test_a_dry_run_is_converted_and_not_stored(self):
        self.define("dry.example.com")
        made = self.ask("POST", self.path("v2", query="?dryRun=All"), self.thing("v2", "a", 5))
        self.assertEqual((made.code, made.json["spec"]), (201, {"amount": 5}), made.text)
        self.assertEqual(self.get(self.path("v1", "a")).code, 404)

    def test_what_the_webhook_makes_of_it_is_what_is_stored_and_answered(self):
        def clamp(thing):
            spec = thing["spec"]
            if "size" in spec:
                spec["size"] = min(spec["size"], 10)
        self.define("clamp.example.com", converts_with(clamp))
        self.assertEqual(self.create("v2", "a", 50)["spec"], {"amount": 10})
        self.assertEqual(self.get(self.path("v1", "a")).json["spec"], {"size": 10})

    def test_labels_and_annotations_may_change_and_nothing_else(self):
        def note(thing):
            thing["metadata"]["labels"] = {"of": thing["apiVersion"].partition("/")[2]}
            thing["metadata"]["annotations"] = {"note": "x"}
            thing["metadata"]["generation"] = 99
            thing["metadata"]["finalizers"] = ["example.com/never"]
            thing["spec"]["unknown"] = 1
        self.define("labels.example.com", converts_with(note))
        self.create("v1", "a", 5)
        got = self.get(self.path("v2", "a")).json
        self.assertEqual(got["metadata"]["labels"], {"of": "v2"})
        self.assertEqual(got["metadata"]["annotations"], {"note": "x"})
        self.assertEqual(got["metadata"]["generation"], 1)
        self.assertNotIn("finalizers", got["metadata"])
        self.assertEqual(got["spec"], {"amount": 5})

    def test_writers_who_get_ahead_of_each_other_lose_nothing(self):
        self.define("race.example.com")
        self.create("v1", "a", 0)

        def write(number):
            version = ("v1", "v2")[number % 2]
            patched = self.ask("PATCH", self.path(version, "a"),
                               {"metadata": {"annotations": {f"w{number}": "x"}}}, headers=MERGE)
            return patched.code
        with ThreadPoolExecutor(8) as pool:
            codes = list(pool.map(write, range(40)))
        self.assertEqual(set(codes), {200})
        self.assertEqual(len(self.get(self.path("v1", "a")).json["metadata"]["annotations"]), 40)

    def test_service_references_are_followed_and_a_change_of_them_too(self):
        self.define("service.example.com")
        self.create("v1", "a", 5)
        # Nothing forwards cluster IPs here, but an ExternalName is a service, too.
        made = self.ask("POST", "/api/v1/namespaces/default/services",
                        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "outside"},
                         "spec": {"type": "ExternalName", "externalName": "localhost"}})
        self.assertEqual(made.code, 201, made.text)

        def refer(client_config):
            changed = self.ask("PATCH", f"{DEFINITIONS}/things.{self.group}",
                               {"spec": {"conversion": {"webhook": {
                                   "clientConfig": client_config}}}}, headers=MERGE)
            self.assertEqual(changed.code, 200, changed.text)
        service = {"namespace": "default", "port": self.webhooks.port, "path": "/x"}
        refer({"url": None, "service": {**service, "name": "none"}})
        refused = self.await_code(self.path("v2", "a"), 500)
        self.assertIn(f"conversion webhook for {self.group}/v1, Kind=Thing failed: Post "
                      f'"https://none.default.svc:{self.webhooks.port}/x?timeout=30s": '
                      'service "none" not found', refused.json["message"])
        refer({"service": {**service, "name": "outside"}})
        # It is reached, and must be called outside.default.svc.
        deadline = time.monotonic() + SERVED_SECONDS
        while "tls: failed to verify certificate" not in (refused := self.get(
                self.path("v2", "a"))).text:
            self.assertLess(time.monotonic(), deadline, refused.text)
            time.sleep(0.05)
        self.assertEqual(refused.code, 500)
        refer({"service": None, "url": f"{self.webhooks.url}/{self.group}"})
        self.assertEqual(self.await_code(self.path("v2", "a"), 200).json["spec"], {"amount": 5})

    def test_a_review_is_asked_in_the_first_version_that_is_known(self):
        self.define("beta.example.com", review_versions=("v7", "v1beta1", "v1"))
        self.assertEqual(self.create("v2", "a", 5)["spec"], {"amount": 5})
        asked = [each for target, _, each in self.webhooks.asked
                 if target.startswith("/beta.example.com")]
        self.assertEqual({each["apiVersion"] for each in asked}, {"apiextensions.k8s.io/v1beta1"})
        self.assertIn("?timeout=30s", self.webhooks.asked[-1][0])


class StoredVersionTest(ConversionCase):
    def test_objects_are_converted_from_what_they_are_stored_as(self):
        self.define("moved.example.com", versions=("v1", "v2", "v3"))
        self.create("v1", "old", 5)
        path = f"{DEFINITIONS}/things.moved.example.com"
        definition = self.get(path).json
        for version in definition["spec"]["versions"]:
            version["storage"] = version["name"] == "v3"
        put = self.ask("PUT", path, definition)
        self.assertEqual(put.code, 200, put.text)
        self.create("v2", "new", 6)
        listed = self.get(self.path("v3")).json["items"]
        self.assertEqual([each["spec"] for each in listed], [{"quantity": 6}, {"quantity": 5}])
        before = len(self.asked())
        self.assertEqual(self.get(self.path("v1", "old")).json["spec"], {"size": 5})
        self.assertEqual(len(self.asked()), before, "it is stored as v1")
        # A write, even one that changes nothing, stores it as the new version.
        touched = self.ask("PATCH", self.path("v1", "old"), {}, headers=MERGE)
        self.assertEqual((touched.code, touched.json["spec"]), (200, {"size": 5}), touched.text)
        before = len(self.asked())
        self.assertEqual(self.get(self.path("v3", "old")).json["spec"], {"quantity": 5})
        self.assertEqual(len(self.asked()), before, "it is stored as v3 by now")


    def test_a_definition_takes_its_objects_with_it_though_nobody_converts(self):
        self.define("left.example.com", versions=("v1", "v2", "v3"))
        self.create("v1", "old", 5)
        held = self.thing("v1", "held", 5)
        held["metadata"]["finalizers"] = ["example.com/held"]
        self.assertEqual(self.ask("POST", self.path("v1"), held).code, 201)
        path = f"{DEFINITIONS}/things.left.example.com"
        definition = self.get(path).json
        for version in definition["spec"]["versions"]:
            version["storage"] = version["name"] == "v3"
        self.assertEqual(self.ask("PUT", path, definition).code, 200)
        self.behave(says(b"", code=503))
        self.assertEqual(self.ask("DELETE", path).code, 200)
        self.await_code(self.path("v1", "old"), 404)
        marked = self.get(self.path("v1", "held")).json
        self.assertIn("deletionTimestamp", marked["metadata"])
        self.assertEqual(marked["spec"], {"size": 5})
        freed = self.ask("PATCH", self.path("v1", "held"), {"metadata": {"finalizers": None}},
                         headers=MERGE)
        self.assertEqual(freed.code, 200, freed.text)
        self.await_code(path, 404)


class StoppingTest(ConversionCase):
    def test_a_server_that_ends_answers_those_who_wait_for_a_webhook(self):
        self.define("stopping.example.com")
        self.create("v1", "a", 1)
        events = self.watch("v2", "&resourceVersion=0")
        self.assertEqual(next(events)["type"], "ADDED")
        self.behave(hangs)
        self.ask("PATCH", self.path("v1", "a"), {"spec": {"size": 2}}, headers=MERGE)
        with ThreadPoolExecutor(4) as pool:
            for _ in range(4):
                pool.submit(self.get_whatever)
            # One call for all of them.
            while self.webhooks.count("/stopping.example.com") < 2:
                time.sleep(0.01)
            self.server.process.terminate()
            self.assertEqual(self.server.process.wait(60), 0)

    def get_whatever(self):
        try:
            self.get(self.path("v2"))
        except OSError:
            pass

    def withdraw(self, group):
        """The server has gone."""


class ListsTest(ConversionCase):
    def test_a_long_list_is_converted_in_few_calls_and_once(self):
        self.define("many.example.com")
        connection = connect(self.server)
        for i in range(MANY):
            self.create("v1", f"t{i:04}", i, connection=connection)
        self.assertEqual(self.asked(), [])
        listed = self.get(self.path("v2"))
        self.assertEqual([each["spec"] for each in listed.json["items"]],
                         [{"amount": i} for i in range(MANY)])
        calls = self.asked()
        self.assertEqual(sum(count for _, count in calls), MANY)
        self.assertEqual(len(calls), -(-MANY // AT_ONCE), calls)
        self.assertEqual(self.get(self.path("v2")).body, listed.body)
        self.assertEqual(len(self.asked()), len(calls))

    def test_pages_and_forms_are_those_of_the_version(self):
        self.define("pages.example.com")
        for i in range(5):
            self.create("v1", f"t{i}", i)
        names, token = [], ""
        while True:
            page = self.get(self.path("v2", query=f"?limit=2&continue={token}")).json
            names += [(each["metadata"]["name"], each["spec"]) for each in page["items"]]
            token = page["metadata"].get("continue", "")
            if not token:
                break
            self.assertEqual(len(page["items"]), 2)
        self.assertEqual(names, [(f"t{i}", {"amount": i}) for i in range(5)])
        table = self.get(self.path("v2"), headers={
            "Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}).json
        self.assertEqual([each["name"] for each in table["columnDefinitions"]], ["Name", "Amount"])
        self.assertEqual([each["cells"] for each in table["rows"]],
                         [[f"t{i}", i] for i in range(5)])
        partial = self.get(self.path("v2"), headers={
            "Accept": "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"}).json
        self.assertEqual([each["metadata"]["name"] for each in partial["items"]],
                         [f"t{i}" for i in range(5)])

    def test_fields_are_selected_in_the_version_of_the_request(self):
        self.define("fields.example.com")
        for i in range(6):
            self.create("v1", f"t{i}", i % 2, labels={"half": str(i // 3)})
        for version, field in (("v1", "size"), ("v2", "amount")):
            got = self.get(self.path(version, query=f"?fieldSelector=spec.{field}%3D1")).json
            self.assertEqual([each["metadata"]["name"] for each in got["items"]],
                             ["t1", "t3", "t5"], version)
        got = self.get(self.path(
            "v2", query="?fieldSelector=spec.amount%3D1&labelSelector=half%3D1")).json
        self.assertEqual([each["metadata"]["name"] for each in got["items"]], ["t3", "t5"])
        refused = self.get(self.path("v2", query="?fieldSelector=spec.size%3D1"))
        self.expect_status(refused, 400, "BadRequest")
        self.assertEqual(refused.json["message"], "field label not supported: spec.size")
        deleted = self.ask("DELETE", self.path("v2", query="?fieldSelector=spec.amount%3D1"))
        self.assertEqual(deleted.code, 200, deleted.text)
        self.assertEqual([each["metadata"]["name"] for each in self.get(self.path("v1")).json[
            "items"]], ["t0", "t2", "t4"])


class WatchesTest(ConversionCase):
    def test_events_come_in_their_order_and_each_is_converted_once(self):
        self.define("events.example.com")
        self.create("v1", "a", 0)
        watches = [self.watch("v2", "&resourceVersion=0") for _ in range(WATCHERS)]
        for events in watches:
            first = next(events)
            self.assertEqual((first["type"], first["object"]["spec"]), ("ADDED", {"amount": 0}))
        for i in range(1, CHANGES):
            patched = self.ask("PATCH", self.path("v1", "a"), {"spec": {"size": i}}, headers=MERGE)
            self.assertEqual(patched.code, 200, patched.text)
        gone = self.ask("DELETE", self.path("v1", "a"))
        self.assertEqual(gone.code, 200, gone.text)
        for events in watches:
            for i in range(1, CHANGES):
                event = next(events)
                self.assertEqual((event["type"], event["object"]["spec"]),
                                 ("MODIFIED", {"amount": i}))
                self.assertEqual(event["object"]["apiVersion"], "events.example.com/v2")
            last = next(events)
            self.assertEqual((last["type"], last["object"]["spec"]),
                             ("DELETED", {"amount": CHANGES - 1}))
        self.assertEqual(sum(count for _, count in self.asked()), CHANGES)

    def test_a_watch_by_fields_sees_what_its_version_has(self):
        self.define("seen.example.com")
        listed = self.get(self.path("v2")).json["metadata"]["resourceVersion"]
        events = self.watch("v2", f"&fieldSelector=spec.amount%3D1&resourceVersion={listed}")
        self.create("v1", "a", 0)
        self.create("v2", "b", 1)
        for name, size in (("a", 1), ("b", 1), ("b", 2), ("a", 0)):
            self.ask("PATCH", self.path("v1", name), {"spec": {"size": size, "color": "x"}},
                     headers=MERGE)
        seen = [next(events) for _ in range(5)]
        self.assertEqual([(each["type"], each["object"]["metadata"]["name"]) for each in seen],
                         [("ADDED", "b"), ("ADDED", "a"), ("MODIFIED", "b"), ("DELETED", "b"),
                          ("DELETED", "a")])

    def test_a_fault_ends_the_watch_with_an_error(self):
        self.define("fault.example.com")
        self.create("v1", "a", 0)
        events = self.watch("v2", "&resourceVersion=0")
        self.assertEqual(next(events)["type"], "ADDED")
        self.behave(says(b"", code=503))
        self.ask("PATCH", self.path("v1", "a"), {"spec": {"size": 1}}, headers=MERGE)
        error = next(events)
        self.assertEqual((error["type"], error["object"]["code"]), ("ERROR", 500))
        self.assertIn("conversion webhook for fault.example.com/v1, Kind=Thing failed: ",
                      error["object"]["message"])
        self.assertEqual(list(events), [])


class SubresourcesTest(ConversionCase):
    def test_scale_and_status_are_those_of_the_version(self):
        self.define("scales.example.com")
        self.create("v1", "a", 3)
        scale = self.get(self.path("v2", "a/scale")).json
        self.assertEqual((scale["kind"], scale["spec"]), ("Scale", {"replicas": 3}))
        scale["spec"]["replicas"] = 4
        put = self.ask("PUT", self.path("v2", "a/scale"), scale)
        self.assertEqual((put.code, put.json["spec"]), (200, {"replicas": 4}), put.text)
        self.assertEqual(self.get(self.path("v1", "a")).json["spec"], {"size": 4})
        patched = self.ask("PATCH", self.path("v2", "a/status"), {"status": {"amount": 2}},
                           headers=MERGE)
        self.assertEqual((patched.code, patched.json["status"]), (200, {"amount": 2}),
                         patched.text)
        self.assertEqual(self.get(self.path("v1", "a")).json["status"], {"size": 2})
        self.assertEqual(self.get(self.path("v1", "a/scale")).json["status"]["replicas"], 2)


class AppliesTest(ConversionCase):
    def apply(self, version, manager, force=False, **spec):
        body = {"apiVersion": f"{self.group}/{version}", "kind": "Thing",
                "metadata": {"name": "a"}, "spec": spec}
        return self.ask("PATCH", self.path(
            version, "a", f"?fieldManager={manager}&force={str(force).lower()}"), body,
            headers=APPLY)

    def test_managers_own_fields_in_the_versions_that_they_write(self):
        self.define("owners.example.com")
        first = self.apply("v1", "one", size=1, color="red")
        self.assertEqual(first.code, 201, first.text)
        refused = self.apply("v2", "two", amount=2)
        self.expect_status(refused, 409, "Conflict")
        self.assertEqual(refused.json["details"]["causes"][0]["field"], ".spec.size")
        agreed = self.apply("v2", "two", amount=1)
        self.assertEqual(agreed.code, 200, agreed.text)
        owners = {each["manager"]: (each["apiVersion"], each["fieldsV1"])
                  for each in agreed.json["metadata"]["managedFields"]}
        self.assertEqual(owners["one"], ("owners.example.com/v1", {
            "f:spec": {"f:size": {}, "f:color": {}}}))
        self.assertEqual(owners["two"], ("owners.example.com/v2", {"f:spec": {"f:amount": {}}}))
        taken = self.apply("v2", "two", True, amount=2)
        self.assertEqual((taken.code, taken.json["spec"]), (200, {"amount": 2, "color": "red"}),
                         taken.text)
        # What is no longer applied goes, though it was applied in another version.
        moved = self.apply("v2", "one")
        self.assertEqual((moved.code, moved.json["spec"]), (200, {"amount": 2}), moved.text)
        again = self.apply("v2", "one")
        self.assertEqual(again.json["metadata"]["resourceVersion"],
                         moved.json["metadata"]["resourceVersion"])


class AdmissionTest(ConversionCase):
    REGISTRATION = "/apis/admissionregistration.k8s.io/v1"

    def rule(self, version, *operations):
        return {"apiGroups": [self.group], "apiVersions": [version], "resources": ["things"],
                "operations": list(operations or ("CREATE", "UPDATE", "DELETE"))}

    def configure(self, kind, body):
        path = f"{self.REGISTRATION}/{kind.lower()}s"
        path = path.replace("policys", "policies")
        made = self.ask("POST", path, {"apiVersion": "admissionregistration.k8s.io/v1",
                                       "kind": kind, **body})
        self.assertEqual(made.code, 201, made.text)
        self.addCleanup(self.ask, "DELETE", f"{path}/{body['metadata']['name']}")

    def hook(self, kind, name, script, version, policy="Equivalent"):
        """A webhook that is about the things of one version."""
        path = f"/{self.group}/{name}"
        self.webhooks.scripts[path] = script
        self.configure(f"{kind}WebhookConfiguration", {
            "metadata": {"name": f"{name}.{self.group}"}, "webhooks": [{
                "name": f"{name}.example.com", "admissionReviewVersions": ["v1"],
                "sideEffects": "None", "timeoutSeconds": 5, "failurePolicy": "Fail",
                "matchPolicy": policy, "rules": [self.rule(version)],
                "clientConfig": {"url": self.webhooks.url + path,
                                 "caBundle": self.webhooks.ca_bundle}}]})
        return path

    def reviews(self, path):
        return [asked["request"] for target, _, asked in list(self.webhooks.asked)
                if target.partition("?")[0] == path]

    def await_effect(self, done):
        """Until configurations that were made a moment ago have taken effect."""
        deadline = time.monotonic() + 20
        while not done(self.ask("POST", self.path("v2", query="?dryRun=All"),
                                self.thing("v2", "probe", 99))):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def test_webhooks_see_objects_in_the_version_of_their_rules(self):
        self.define("hooked.example.com")
        seen = self.hook("Validating", "sees", allows(), "v2")
        exact = self.hook("Validating", "exact", allows(), "v2", "Exact")
        self.await_effect(lambda _: self.reviews(seen) and self.reviews(exact))
        told, before = len(self.reviews(seen)), len(self.reviews(exact))
        self.create("v1", "a", 3)
        self.ask("PATCH", self.path("v1", "a"), {"spec": {"size": 4}}, headers=MERGE)
        self.assertEqual(self.ask("DELETE", self.path("v1", "a")).code, 200)
        asked = self.reviews(seen)[told:]
        self.assertEqual([(each["operation"], (each["object"] or {}).get("spec"),
                           (each["oldObject"] or {}).get("spec")) for each in asked],
                         [("CREATE", {"amount": 3}, None),
                          ("UPDATE", {"amount": 4}, {"amount": 3}),
                          ("DELETE", None, {"amount": 4})])
        self.assertEqual({(each["kind"]["version"], each["requestKind"]["version"])
                          for each in asked}, {("v2", "v1")})
        self.assertEqual(len(self.reviews(exact)), before)

    def test_what_a_webhook_changes_is_converted_back(self):
        self.define("patched.example.com")
        change = {"op": "add", "path": "/spec/amount", "value": 8}
        path = self.hook("Mutating", "patches", allows(**patch(change)), "v2")
        self.await_effect(lambda _: self.reviews(path))
        self.assertEqual(self.create("v1", "a", 3, color="red")["spec"],
                         {"size": 8, "color": "red"})
        self.assertEqual(self.get(self.path("v2", "a")).json["spec"],
                         {"amount": 8, "color": "red"})

    def policy(self, name, kind, **spec):
        self.configure(f"{kind}AdmissionPolicy", {"metadata": {"name": name}, "spec": {
            "failurePolicy": "Fail", "matchConstraints": {
                "matchPolicy": "Equivalent",
                "resourceRules": [self.rule("v2", "CREATE", "UPDATE")]}, **spec}})
        binding = {"policyName": name}
        if kind == "Validating":
            binding["validationActions"] = ["Deny"]
        self.configure(f"{kind}AdmissionPolicyBinding", {"metadata": {"name": name},
                                                         "spec": binding})

    def test_policies_see_objects_in_the_version_of_their_rules(self):
        self.define("policed.example.com")
        self.policy("small.policed.example.com", "Validating", validations=[
            {"expression": "object.spec.amount < 50", "message": "it is too much"}])
        self.await_effect(lambda answer: answer.code == 422)
        refused = self.ask("POST", self.path("v1"), self.thing("v1", "a", 60))
        self.expect_status(refused, 422, "Invalid")
        self.assertIn("it is too much", refused.json["message"])
        self.create("v1", "a", 40)
        refused = self.ask("PATCH", self.path("v1", "a"), {"spec": {"size": 51}}, headers=MERGE)
        self.expect_status(refused, 422, "Invalid")
        # What cannot be seen is not let through.
        self.behave(says(b"", code=503))
        refused = self.ask("POST", self.path("v1"), self.thing("v1", "b", 1))
        self.assertEqual(refused.code, 422, refused.text)
        self.assertIn("failed to convert object version: conversion webhook for "
                      "policed.example.com/v1, Kind=Thing failed: ", refused.json["message"])

    def test_what_policies_change_is_converted_back(self):
        self.define("mutated.example.com")
        self.policy("more.mutated.example.com", "Mutating", reinvocationPolicy="Never", mutations=[
            {"patchType": "JSONPatch", "jsonPatch": {"expression":
                '[JSONPatch{op: "replace", path: "/spec/amount", '
                'value: object.spec.amount + 1}]'}}])
        self.await_effect(lambda answer: answer.json.get("spec") == {"amount": 100})
        self.assertEqual(self.create("v1", "a", 3)["spec"], {"size": 4})
        self.assertEqual(self.get(self.path("v2", "a")).json["spec"], {"amount": 4})

    def test_a_webhook_that_cannot_be_shown_the_object_is_not_asked(self):
        self.define("unseen.example.com")
        path = self.hook("Validating", "unseen", allows(), "v2")
        self.await_effect(lambda _: self.reviews(path))
        before = len(self.reviews(path))
        self.behave(says(b"", code=503))
        refused = self.ask("POST", self.path("v1"), self.thing("v1", "a", 1))
        self.expect_status(refused, 500, "InternalError")
        self.assertRegex(refused.json["message"],
                         "^Internal error occurred: conversion webhook for "
                         "unseen.example.com/v1, Kind=Thing failed: ")
        self.assertEqual(len(self.reviews(path)), before)


class BadAnswersTest(ConversionCase):
    def test_every_failure_is_told_in_the_words_of_kubernetes(self):
        def change(**fields):
            return converts_with(lambda thing: thing["metadata"].update(fields))
        prefix = "conversion webhook for bad.example.com/v1, Kind=Thing "
        failed, invalid = "failed: ", "returned invalid object at index 0: "
        posted = r'failed: Post "https://127\.0\.0\.1:\d+/bad\.example\.com\?timeout=30s": '
        self.define("bad.example.com", converts)
        self.create("v1", "a", 1)

        def no_metadata(thing):
            del thing["metadata"]
        cases = [
            ("ends", ends_at_once, posted + "EOF"),
            ("half", sends_half, posted + ".*"),
            ("floods", floods(100 << 20), posted + "its answer is too large"),
            ("not JSON", says(b"<html>"), failed + "couldn't get version/kind; json parse error: "),
            ("empty", says(b""), failed + "0-length response with status code: 200"),
            ("no kind", says({}), failed + "Object 'Kind' is missing in '{}'"),
            ("other kind", says({"apiVersion": "v1", "kind": "Pod"}),
             failed + "expected webhook response of apiextensions.k8s.io/v1, "
             "Kind=ConversionReview"),
            ("no response", says({"apiVersion": "apiextensions.k8s.io/v1",
                                  "kind": "ConversionReview"}), failed + "no response provided"),
            ("wrong uid", lambda s, c, asked: reply(c, answer_to(asked, uid="other")),
             failed + 'expected response.uid="[0-9a-f-]{36}", got "other"'),
            ("refuses", lambda s, c, asked: reply(c, answer_to(
                asked, result={"status": "Failure", "message": "no such size"})),
             failed + "no such size$"),
            ("no status", lambda s, c, asked: reply(c, answer_to(asked, result={"code": 1})),
             failed + "response.result.status was '', not 'Success'"),
            ("too few", lambda s, c, asked: reply(c, answer_to(asked, objects=[])),
             "returned 0 objects, expected 1"),
            ("too many", lambda s, c, asked: reply(c, answer_to(
                asked, objects=2 * asked["request"]["objects"])),
             "returned 2 objects, expected 1"),
            ("wrong version", converts_with(lambda thing: thing.update(apiVersion="x/v9")),
             invalid + r"invalid groupVersion \(expected bad.example.com/v2, received x/v9\)"),
            ("wrong kind", converts_with(lambda thing: thing.update(kind="Other")),
             invalid + r"invalid kind \(expected Thing, received Other\)"),
            ("other name", change(name="b"), "returned invalid object: must have the same name"),
            ("other uid", change(uid="b"), "returned invalid object: must have the same UID"),
            ("no metadata", converts_with(no_metadata),
             "returned invalid object: must have the same name"),
            ("labels", change(labels={"a b": "x"}), "returned invalid metadata: metadata.labels"),
            ("label number", change(labels={"a": 1}),
             r"returned invalid metadata: metadata.labels\[a\] must be a string"),
            ("redirect", says(b"", code=302, headers=[("Location", self.webhooks.url + "/other")]),
             failed + "the server responded with the status code 302"),
            ("unavailable", says(b"", code=503),
             failed + "the server is currently unable to handle the request"),
            ("error", says(b"broken", code=500, content_type="text/plain"),
             failed + 'an error on the server \\("broken"\\) has prevented'),
        ]
        for name, script, pattern in cases:
            with self.subTest(name):
                self.behave(script)
                got = self.get(self.path("v2", "a"))
                self.assertEqual(got.code, 500, got.text)
                self.assertRegex(got.json["message"], "^" + re.escape(prefix) + pattern)
                self.assertNotIn("reason", got.json)
        self.assertEqual(self.webhooks.count("/other"), 0)
        # Nothing of it is remembered, and nothing is lost.
        self.behave(converts)
        self.assertEqual(self.get(self.path("v2", "a")).json["spec"], {"amount": 1})
        self.assertEqual(self.get(self.path("v1", "a")).json["spec"], {"size": 1})

    def test_what_cannot_be_converted_is_not_written(self):
        self.define("unwritten.example.com", converts)
        self.create("v1", "a", 1)

        def only_back(server, connection, asked):
            if asked["request"]["desiredAPIVersion"].endswith("/v1"):
                return reply(connection, answer_to(asked))
            return reply(connection, b"", code=503)
        self.behave(only_back)
        self.assertEqual(self.ask("POST", self.path("v2"), self.thing("v2", "b", 1)).code, 500)
        self.assertEqual(self.get(self.path("v1", "b")).code, 404)
        self.behave(says(b"", code=503))
        self.assertEqual(self.ask("POST", self.path("v2"), self.thing("v2", "b", 1)).code, 500)
        self.assertEqual(self.ask("PATCH", self.path("v2", "a"), {"spec": {"amount": 2}},
                                  headers=MERGE).code, 500)
        self.assertEqual(self.ask("DELETE", self.path("v2", "a")).code, 500)
        self.assertEqual(self.get(self.path("v1", "a")).json["spec"], {"size": 1})
        self.assertEqual(self.ask("DELETE", self.path("v1", "a")).code, 200)

    def test_a_webhook_that_hangs_keeps_nobody_else(self):
        self.define("dead.example.com", converts)
        self.create("v1", "a", 1)
        answered = threading.Event()

        def waits(server, connection, asked):
            answered.wait(60)
            reply(connection, answer_to(asked))
        self.behave(waits)
        with ThreadPoolExecutor(40) as pool:
            held = [pool.submit(self.get, self.path("v2", "a")) for _ in range(30)]
            held += [pool.submit(self.get, self.path("v2")) for _ in range(5)]
            while not self.webhooks.count("/dead.example.com"):
                time.sleep(0.01)
            for _ in range(20):
                self.assertEqual(self.get(self.path("v1", "a")).code, 200)
                self.assertEqual(self.get("/api/v1/namespaces/default").code, 200)
            patched = self.ask("PATCH", self.path("v1", "a"), {"spec": {"color": "x"}},
                               headers=MERGE)
            self.assertEqual(patched.code, 200, patched.text)
            self.assertFalse(any(each.done() for each in held))
            answered.set()
            self.assertEqual({each.result().code for each in held}, {200})


class HangingTest(ConversionCase):
    def test_what_hangs_or_drips_costs_its_time_and_no_more(self):
        posted = r'failed: Post "https://127\.0\.0\.1:\d+/slow\.example\.com\?timeout=30s": '
        self.define("slow.example.com", converts)
        self.create("v1", "a", 1)
        self.create("v1", "b", 2)

        def slow(server, connection, asked):
            name = asked["request"]["objects"][0]["metadata"]["name"]
            return (hangs if name == "a" else drips)(server, connection, asked)
        self.behave(slow)
        with ThreadPoolExecutor(3) as pool:
            for got in pool.map(self.get, [self.path("v2", "a"), self.path("v2", "b")]):
                self.assertEqual(got.code, 500, got.text)
                self.assertRegex(got.json["message"], posted + "context deadline exceeded")


class MetricsTest(ConversionCase):
    def test_calls_are_counted_by_how_they_end(self):
        self.define("counted.example.com")
        self.create("v1", "a", 1)
        self.get(self.path("v2", "a"))
        self.behave(says(b"", code=503))
        self.get(self.path("v2", "a"))
        text = self.get("/metrics").text
        labels = 'crd_name="things.counted.example.com",from_version="v1",succeeded="{}",' \
                 'to_version="v2"'
        name = "apiserver_crd_conversion_webhook_duration_seconds_count"
        for succeeded in ("true", "false"):
            self.assertIn(f"{name}{{{labels.format(succeeded)}}} 1\n", text)
        requests = "apiserver_conversion_webhook_request_total"
        self.assertIn(f'{requests}{{failure_type="",result="success"}} 1\n', text)
        self.assertIn(f'{requests}{{failure_type="conversion_webhook_call_failure",'
                      'result="failure"} 1\n', text)
        self.assertIn('apiserver_conversion_webhook_duration_seconds_bucket{failure_type="",'
                      'result="success",le="60"} 1\n', text)


if __name__ == "__main__":
    unittest.main()
