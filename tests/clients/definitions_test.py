#!/usr/bin/env python3
"""Custom resource definitions of other projects, as packages of npm ship them, and kubectl.

    definitions_test.py KUBE_APISERVER [unittest options]

SKIFF_DEFINITIONS=FOLDER in the environment adds all definitions in YAML files of that folder, which
are applied, explained and deleted like the others.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import install
from kubectl import Kubectl, manifest
from server import ApiServer

BINARY = sys.argv.pop(1) if len(sys.argv) > 1 else ""
# What a cluster has added to objects that were read from it.
OF_A_CLUSTER = ("creationTimestamp", "generation", "managedFields", "ownerReferences",
                "resourceVersion", "selfLink", "uid")
# Client-side apply keeps all of an object in an annotation, and those have an end.
LONGEST_ANNOTATION = 262144
DEFINITION = re.compile(r"^kind: CustomResourceDefinition$", re.MULTILINE)
CLAIMS = "aws.platform.acme.io"


def claim(kind, name, spec):
    return {"apiVersion": f"{CLAIMS}/v1alpha1", "kind": kind, "metadata": {"name": name},
            "spec": spec}


# What the package's own example makes of its definitions.
NETWORK = claim("Network", "network", {"id": "acme-network", "clusterRef": {"id": "acme-cluster"}})
CLUSTER = claim("Cluster", "cluster", {
    "id": "acme-cluster",
    "parameters": {"nodes": {"count": 3, "size": "small"},
                   "services": {"operators": {"prometheus": {"version": "10.0.2"}}},
                   "networkRef": {"id": "acme-network"}},
    "writeConnectionSecretToRef": {"name": "acme-cluster"}})
DATABASE = claim("PostgreSQLInstance", "database", {
    "parameters": {"storageGB": 20, "networkRef": {"id": "acme-network"}},
    "writeConnectionSecretToRef": {"name": "my-db-conn"}})
SAMPLES = [NETWORK, CLUSTER, DATABASE]


def changed(sample, *path, value):
    """A copy that differs at one place; None takes it away."""
    copy = json.loads(json.dumps(sample))
    at = copy
    for step in path[:-1]:
        at = at[step]
    if value is None:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return copy


def lines_of(table):
    return [re.split(r" {2,}", line.strip()) for line in table.strip().splitlines()]


class Definitions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            binary, cls.claims = install.npm_kubectl(), install.crossplane_claims()
            cls.cni = install.vpc_cni()
        except install.Unavailable as error:
            raise unittest.SkipTest(str(error))
        cls.server = ApiServer(BINARY, "--allow-privileged=true")
        cls.addClassCleanup(cls.server.close)
        cls.home = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.home.cleanup)
        cls.kubectl = Kubectl(binary, cls.server, Path(cls.home.name))
        cls.of_claims = cls.definitions_in(cls.claims)

    @classmethod
    def definitions_in(cls, path):
        """As objects that no cluster has had yet; kubectl reads the YAML."""
        printed = cls.kubectl("create", "--dry-run=client", "--validate=false", "-o", "json", "-f",
                              str(path))
        found, decoder = [], json.JSONDecoder()
        while printed.strip():
            value, end = decoder.raw_decode(printed.lstrip())
            printed = printed.lstrip()[end:]
            found += value["items"] if value["kind"] == "List" else [value]
        found = [each for each in found if each["kind"] == "CustomResourceDefinition"]
        for each in found:
            each.pop("status", None)
            for name in OF_A_CLUSTER:
                each["metadata"].pop(name, None)
        return found

    def versions(self, *names):
        """The resourceVersion of each object; a name says its kind, too."""
        return [self.kubectl("get", name, "-o", "jsonpath={.metadata.resourceVersion}")
                for name in names]

    def establish(self, definitions):
        self.kubectl("apply", "--server-side", "-f", "-", stdin=definitions)
        names = ["crd/" + each["metadata"]["name"] for each in definitions]
        self.addCleanup(self.kubectl, "delete", "--ignore-not-found", *names)
        self.kubectl("wait", "--for=condition=Established", "--timeout=60s", *names)
        return names

    def refused(self, object_, said, applied=None):
        """Server-side apply has words of its own for what does not fit the types."""
        for way, why in ((["apply"], said), (["create"], said),
                         (["apply", "--server-side"], applied or said)):
            self.assertIn(why, self.kubectl.refused(*way, "-f", "-", stdin=object_))

    def test_applied_again_they_stay_as_they_are(self):
        self.assertEqual(len(self.of_claims), 3)
        names = ["crd/" + each["metadata"]["name"] for each in self.of_claims]
        self.addCleanup(self.kubectl, "delete", "--ignore-not-found", *names)
        for way, first, again in ((["apply"], "created", "unchanged"),
                                  (["apply", "--server-side"], "serverside-applied",
                                   "serverside-applied"),
                                  (["apply", "--server-side", "--field-manager=another"],
                                   "serverside-applied", "serverside-applied")):
            said = self.kubectl(*way, "-f", "-", stdin=self.of_claims).splitlines()
            self.assertTrue(all(line.endswith(" " + first) for line in said), said)
            self.kubectl("wait", "--for=condition=Established", "--timeout=60s", *names)
            before = self.versions(*names)
            said = self.kubectl(*way, "-f", "-", stdin=self.of_claims).splitlines()
            self.assertTrue(all(line.endswith(" " + again) for line in said), said)
            self.assertEqual(self.versions(*names), before)

    def test_their_samples_are_taken_and_shown_in_their_columns(self):
        self.establish(self.of_claims)
        names = [f"{each['kind'].lower()}s.{CLAIMS}/{each['metadata']['name']}" for each in SAMPLES]
        for way, again in ((["apply"], "unchanged"),
                           (["apply", "--server-side"], "serverside-applied")):
            self.kubectl(*way, "-f", "-", stdin=SAMPLES)
            before = self.versions(*names)
            said = self.kubectl(*way, "-f", "-", stdin=SAMPLES)
            self.assertEqual(said.count(f" {again}\n"), 3, said)
            self.assertEqual(self.versions(*names), before)
        for each in SAMPLES:
            self.assertEqual(self.kubectl.json("get", names[SAMPLES.index(each)])["spec"],
                             each["spec"])
        head, row = lines_of(self.kubectl("get", f"postgresqlinstances.{CLAIMS}"))
        self.assertEqual(head, ["NAME", "READY", "CONNECTION-SECRET", "AGE"])
        self.assertEqual(row[:2], ["database", "my-db-conn"])  # nothing has made it ready
        # A controller's part: conditions, which a column looks for.
        self.kubectl("patch", names[2], "--subresource=status", "--type=merge", "-p", json.dumps(
            {"status": {"conditions": [{"type": "Synced", "status": "False", "reason": "Waits",
                                        "lastTransitionTime": "2026-01-01T00:00:00Z"},
                                       {"type": "Ready", "status": "True", "reason": "Available",
                                        "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}))
        self.assertEqual(lines_of(self.kubectl("get", names[2]))[1][:3],
                         ["database", "True", "my-db-conn"])
        # All of them are in one category.
        listed = self.kubectl("get", "claim", "-o", "name").split()
        self.assertEqual(sorted(listed), sorted(
            f"{each['kind'].lower()}.{CLAIMS}/{each['metadata']['name']}" for each in SAMPLES))
        self.assertRegex(self.kubectl("describe", names[1]),
                         r"\n  Write Connection Secret To Ref:\n    Name:\s+acme-cluster\n")

    def test_what_does_not_fit_them_is_refused_with_the_place_and_the_reason(self):
        self.establish(self.of_claims)
        nodes = ("spec", "parameters", "nodes")
        self.refused(changed(CLUSTER, *nodes, "size", value="huge"),
                     'The Cluster "cluster" is invalid: spec.parameters.nodes.size: Unsupported '
                     'value: "huge": supported values: "small", "medium", "large"')
        self.refused(changed(CLUSTER, *nodes, "count", value="three"),
                     'spec.parameters.nodes.count: Invalid value: "string": '
                     'spec.parameters.nodes.count in body must be of type integer: "string"',
                     ".spec.parameters.nodes.count: expected numeric (int or float), got string")
        self.refused(changed(DATABASE, "spec", "parameters", "storageGB", value=None),
                     "spec.parameters.storageGB: Required value")
        self.refused(changed(NETWORK, "spec", "clusterReff", value={"id": "x"}),
                     'strict decoding error: unknown field "spec.clusterReff"',
                     ".spec.clusterReff: field not declared in schema")
        self.refused(changed(NETWORK, "apiVersion", value=f"{CLAIMS}/v1"),
                     f'no matches for kind "Network" in version "{CLAIMS}/v1"')
        self.assertEqual(self.kubectl("get", "claim", "-o", "name"), "")

    def test_they_are_explained_and_listed_as_soon_as_they_are_established(self):
        self.establish(self.of_claims)
        said = self.kubectl("explain", "clusters.spec.parameters.nodes.size",
                            f"--api-version={CLAIMS}/v1alpha1")
        self.assertIn(f"GROUP:      {CLAIMS}", said)
        self.assertIn("FIELD: size <string>", said)
        self.assertIn("ENUM:\n    small\n    medium\n    large", said)
        self.assertIn("Size of node.", said)
        # The same out of both versions of OpenAPI.
        for output, ends in (("plaintext", " -required-"), ("plaintext-openapiv2", "")):
            said = self.kubectl("explain", f"--output={output}", "--recursive", "networks",
                                f"--api-version={CLAIMS}/v1alpha1")
            self.assertRegex(said, rf"\n\s+clusterRef\t<Object>{ends}\n\s+id\t<string>{ends}\n")
            self.assertRegex(said, r"\n\s+annotations\t<map\[string\]string>")
        listed = [line.split() for line in self.kubectl(
            "api-resources", f"--api-group={CLAIMS}", "--no-headers", "-o", "wide").splitlines()]
        self.assertEqual([row[:4] for row in listed], [
            [plural, f"{CLAIMS}/v1alpha1", "true", kind] for plural, kind in (
                ("clusters", "Cluster"), ("networks", "Network"),
                ("postgresqlinstances", "PostgreSQLInstance"))])
        self.assertTrue(all(row[-1] == "claim" for row in listed), listed)

    def test_what_is_deleted_with_its_definition_does_not_come_back(self):
        names = self.establish(self.of_claims)
        self.kubectl("apply", "-f", "-", stdin=SAMPLES)
        self.kubectl("delete", *names)
        self.assertEqual(self.kubectl("api-resources", f"--api-group={CLAIMS}", "-o", "name"), "")
        self.assertIn("the server doesn't have a resource type",
                      self.kubectl.refused("get", f"networks.{CLAIMS}"))
        self.establish(self.of_claims)
        for each in self.of_claims:
            self.assertEqual(self.kubectl("get", each["metadata"]["name"], "-o", "name"), "")

    def test_a_manifest_with_a_definition_is_applied_as_people_do(self):
        for way in (["apply"], ["apply", "--server-side", "--force-conflicts"]):
            self.kubectl(*way, "-f", str(self.cni))
        self.addCleanup(self.kubectl, "delete", "-f", str(self.cni))
        self.kubectl("wait", "--for=condition=Established", "--timeout=60s",
                     "crd/eniconfigs.crd.k8s.amazonaws.com")
        # It has no schema but that anything may be in it.
        configuration = {"apiVersion": "crd.k8s.amazonaws.com/v1alpha1", "kind": "ENIConfig",
                         "metadata": {"name": "eu-west-1a"},
                         "spec": {"securityGroups": ["sg-1"], "subnet": "subnet-1"}}
        self.kubectl("apply", "-f", "-", stdin=configuration)
        self.assertEqual(self.kubectl.json("get", "eniconfig", "eu-west-1a")["spec"],
                         configuration["spec"])
        self.kubectl("get", "-n", "kube-system", "daemonset", "aws-node")

    def test_all_definitions_of_a_folder_are_served_and_explained(self):
        sources = [self.claims]
        if folder := os.environ.get("SKIFF_DEFINITIONS"):
            sources += [path for path in sorted(Path(folder).rglob("*.y*ml"))
                        if DEFINITION.search(path.read_text(encoding="utf-8", errors="replace"))]
        for source in sources:
            with self.subTest(source.name):
                definitions = self.definitions_in(source)
                names = self.establish(definitions)
                before = self.versions(*names)
                self.kubectl("apply", "--server-side", "-f", "-", stdin=definitions)
                self.assertEqual(self.versions(*names), before)
                small = [each for each in definitions if len(manifest(each)) < LONGEST_ANNOTATION]
                if small:
                    self.kubectl("apply", "-f", "-", stdin=small)
                    said = self.kubectl("apply", "-f", "-", stdin=small)
                    self.assertEqual(said.count(" unchanged\n"), len(small), said)
                for each in definitions:
                    self.explain(each)

    def explain(self, definition):
        spec = definition["spec"]
        for version in spec["versions"]:
            if not version["served"]:
                continue
            said = self.kubectl("explain", spec["names"]["plural"], "--recursive",
                                f"--api-version={spec['group']}/{version['name']}")
            for field in version["schema"]["openAPIV3Schema"].get("properties", {}):
                self.assertRegex(said, rf"\n  {field}\t")
            self.kubectl("get", f"{spec['names']['plural']}.{version['name']}.{spec['group']}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
