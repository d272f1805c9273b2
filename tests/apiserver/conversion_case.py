"""What tests of conversion webhooks have in common: a definition whose versions are converted by a
webhook of the test."""
import json
import time

from surface import ADMIN, ask, connect
from webhook_server import reply
from webhooks_case import WebhookServerCase

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
SERVED_SECONDS = 20
MERGE = {"Content-Type": "application/merge-patch+json"}
APPLY = {"Content-Type": "application/apply-patch+yaml"}
# What v1 calls size v2 calls amount, and v3 quantity.
FIELDS = {"v1": "size", "v2": "amount", "v3": "quantity"}


def version_of(object_or_api_version):
    text = object_or_api_version
    if isinstance(text, dict):
        text = text["apiVersion"]
    return text.partition("/")[2]


def converted(thing, desired):
    """The object as the version that is wanted has it."""
    before, after = FIELDS[version_of(thing)], FIELDS[version_of(desired)]
    out = {**thing, "apiVersion": desired}
    for part in ("spec", "status"):
        if part in thing:
            out[part] = {after if k == before else k: v for k, v in thing[part].items()}
    return out


def answer_to(asked, objects=None, uid=None, result=None, api_version=None):
    request = asked["request"]
    if objects is None:
        objects = [converted(each, request["desiredAPIVersion"]) for each in request["objects"]]
    return {"apiVersion": api_version or asked["apiVersion"], "kind": "ConversionReview",
            "response": {"uid": uid or request["uid"], "convertedObjects": objects,
                         "result": result or {"status": "Success"}}}


def converts(server, connection, asked):
    reply(connection, answer_to(asked))


def converts_with(change):
    """Each converted object is changed in place, after it has been converted rightly."""
    def script(server, connection, asked):
        answer = answer_to(asked)
        for each in answer["response"]["convertedObjects"]:
            change(each)
        reply(connection, answer)
    return script


class ConversionCase(WebhookServerCase):
    """Its webhook server converts things of a group for each test."""

    def version(self, name, storage):
        field = FIELDS[name]
        part = {"type": "object", "properties": {
            field: {"type": "integer", "format": "int32"}, "color": {"type": "string"}}}
        return {
            "name": name, "served": True, "storage": name == storage,
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                "spec": part, "status": part}}},
            "subresources": {"status": {}, "scale": {
                "specReplicasPath": f".spec.{field}", "statusReplicasPath": f".status.{field}"}},
            "selectableFields": [{"jsonPath": f".spec.{field}"}],
            "additionalPrinterColumns": [
                {"name": field.capitalize(), "type": "integer", "jsonPath": f".spec.{field}"}]}

    def definition(self, group, storage="v1", review_versions=("v1",), versions=("v1", "v2")):
        return {
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"things.{group}"},
            "spec": {"group": group, "scope": "Namespaced",
                     "names": {"plural": "things", "singular": "thing", "kind": "Thing",
                               "listKind": "ThingList"},
                     "versions": [self.version(each, storage) for each in versions],
                     "conversion": {"strategy": "Webhook", "webhook": {
                         "conversionReviewVersions": list(review_versions),
                         "clientConfig": {"url": f"{self.webhooks.url}/{group}",
                                          "caBundle": self.webhooks.ca_bundle}}}}}

    def define(self, group, script=converts, **how):
        """Served when this returns; gone with the test."""
        self.group = group
        self.webhooks.scripts["/" + group] = script
        made = self.ask("POST", DEFINITIONS, self.definition(group, **how))
        self.assertEqual(made.code, 201, made.text)
        self.addCleanup(self.withdraw, group)
        self.await_code(self.path("v1"), 200)
        return group

    def withdraw(self, group):
        self.webhooks.scripts["/" + group] = converts
        self.ask("DELETE", f"{DEFINITIONS}/things.{group}")

    def await_code(self, path, code):
        deadline = time.monotonic() + SERVED_SECONDS
        while (answer := self.get(path)).code != code:
            self.assertLess(time.monotonic(), deadline, answer.text)
            time.sleep(0.05)
        return answer

    def behave(self, script):
        self.webhooks.scripts["/" + self.group] = script

    def path(self, version, name=None, query=""):
        return (f"/apis/{self.group}/{version}/namespaces/default/things" +
                (f"/{name}" if name else "") + query)

    def thing(self, version, name, size=None, labels=None, **spec):
        if size is not None:
            spec[FIELDS[version]] = size
        metadata = {"name": name, **({"labels": labels} if labels else {})}
        return {"apiVersion": f"{self.group}/{version}", "kind": "Thing", "metadata": metadata,
                "spec": spec}

    def create(self, version, name, size=None, connection=None, **more):
        made = self.ask("POST", self.path(version), self.thing(version, name, size, **more),
                        connection=connection)
        self.assertEqual(made.code, 201, made.text)
        return made.json

    def asked(self):
        """What the webhook was asked: (desired version, number of objects) of each call."""
        return [(version_of(each["request"]["desiredAPIVersion"]),
                 len(each["request"]["objects"]))
                for target, _, each in list(self.webhooks.asked)
                if target.partition("?")[0] == "/" + self.group]

    def watch(self, version, query=""):
        """The events of a watch, one after another, as they come."""
        connection = connect(self.server)
        self.addCleanup(connection.close)
        connection.request("GET", self.path(version, query="?watch=true" + query), headers={
            "Authorization": f"Bearer {ADMIN}"})
        response = connection.getresponse()
        self.addCleanup(response.close)
        self.assertEqual(response.status, 200)
        return (json.loads(line) for line in response)


__all__ = ["APPLY", "DEFINITIONS", "FIELDS", "MERGE", "SERVED_SECONDS", "ConversionCase",
           "answer_to", "ask", "converted", "converts", "converts_with", "version_of"]
