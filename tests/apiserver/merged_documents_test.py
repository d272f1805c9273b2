#!/usr/bin/env python3
"""Documents that tell what this server and extension servers have together.

    merged_documents_test.py KUBE_APISERVER [unittest options]
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from aggregation_case import (API_SERVICES, APPLIED_SECONDS, NAME,  # noqa: E402
                              AggregationCase)
from extension_server import GROUP, ROOT, VERSION, ExtensionServer  # noqa: E402
from surface import ADMIN, ask  # noqa: E402
from server import ApiServer  # noqa: E402

AggregationCase.BINARY = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""
ALL = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
BETA = ALL.replace("v=v2", "v=v2beta1")
THING = {"resource": "things", "responseKind": {"group": "", "version": "", "kind": "Thing"},
         "scope": "Namespaced", "singularResource": "thing", "verbs": ["get", "list"]}


def answer(connection, body, content_type, code=200, headers=()):
    data = json.dumps(body).encode()
    more = "".join(f"{name}: {value}\r\n" for name, value in headers)
    connection.sendall(f"HTTP/1.1 {code} X\r\nContent-Type: {content_type}\r\n{more}"
                       f"Content-Length: {len(data)}\r\n\r\n".encode() + data)


def discovery(*resources, version=VERSION):
    return {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2",
            "items": [{"metadata": {"name": GROUP},
                       "versions": [{"version": version, "resources": list(resources)}]}]}


class MergedCase(AggregationCase):
    def all_groups(self):
        """The answer, and its groups by name."""
        got = self.get("/apis", headers={"Accept": ALL})
        self.assertEqual(got.code, 200, got.text)
        return got, {each["metadata"]["name"]: each for each in got.json["items"]}

    def version(self, group=GROUP, version=VERSION):
        """What all at once says of it; None: nothing."""
        versions = self.all_groups()[1].get(group, {"versions": []})["versions"]
        return next((each for each in versions if each["version"] == version), None)

    def until(self, what):
        deadline = time.monotonic() + APPLIED_SECONDS
        while not (found := what()):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        return found

    def await_version(self, freshness, **of):
        return self.until(lambda: (found := self.version(**of)) and
                          found["freshness"] == freshness and found)

    def listed(self):
        return [each["name"] for each in self.get("/apis").json["groups"]]


class DiscoveryTest(MergedCase):
    def setUp(self):
        self.extension = ExtensionServer(self.cert, self.key, self.proxy_ca.cert)
        self.addCleanup(self.extension.close)
        self.make_service()

    def test_one_that_is_older_is_asked_for_each_version(self):
        self.register(self.extension.port)
        found = self.await_version("Current")
        self.assertEqual(found["resources"], [{
            "resource": "things", "responseKind": {"group": "", "version": "", "kind": "Thing"},
            "scope": "Namespaced", "singularResource": "thing",
            "verbs": ["get", "list", "watch", "create"]}])
        asked = self.extension.last("/apis")
        self.assertEqual(asked.all("x-remote-user"), ["system:kube-aggregator"])
        self.assertEqual(asked.all("accept"), [f"{ALL},{BETA}"])

    def test_one_that_tells_all_at_once_is_asked_with_the_tag_of_its_answer(self):
        def tell(connection, asked):
            if asked.all("if-none-match") == ['"1"']:
                return answer(connection, {}, ALL, code=304)
            return answer(connection, discovery(THING), BETA, headers=[("ETag", '"1"')])
        self.extension.scripts["/apis"] = tell
        self.register(self.extension.port)
        self.assertEqual(self.await_version("Current"),
                         {"version": VERSION, "resources": [THING], "freshness": "Current"})
        self.assertEqual(self.get(f"/apis/{GROUP}").json, {
            "kind": "APIGroup", "apiVersion": "v1", "name": GROUP,
            "versions": [{"groupVersion": f"{GROUP}/{VERSION}", "version": VERSION}],
            "preferredVersion": {"groupVersion": f"{GROUP}/{VERSION}", "version": VERSION}})
        self.assertEqual(self.listed()[-1], GROUP)
        self.assertIn(ROOT, self.get("/").json["paths"])

    def test_tags_change_with_what_others_have_and_only_then(self):
        before, _ = self.all_groups()
        self.register(self.extension.port)
        self.await_version("Current")
        after, _ = self.all_groups()
        self.assertNotEqual(before.headers["ETag"], after.headers["ETag"])
        same = self.get("/apis", headers={"Accept": ALL, "If-None-Match": after.headers["ETag"]})
        self.assertEqual(same.code, 304)
        self.ask("DELETE", f"/apis/apiregistration.k8s.io/v1/apiservices/{VERSION}.{GROUP}")
        self.until(lambda: self.version() is None)
        self.assertEqual(self.all_groups()[0].headers["ETag"], before.headers["ETag"])
        self.assertNotIn(GROUP, self.listed())
        self.assertEqual(self.get(f"/apis/{GROUP}").code, 404)

    def test_one_that_goes_is_stale_until_it_is_back(self):
        self.register(self.extension.port)
        self.await_version("Current")
        self.await_condition("True", "Passed")
        self.extension.close()
        self.look_again()
        self.assertEqual(self.get(ROOT + "/things").code, 503)
        found = self.await_version("Stale")
        self.assertNotIn("resources", found)
        self.assertIn(GROUP, self.listed())
        self.assertEqual(self.get(f"/apis/{GROUP}").code, 200)
        self.extension.open()
        self.await_version("Current")

    def look_again(self):
        """At once: an APIService that changes is looked at."""
        changed = self.ask("PATCH", f"{API_SERVICES}/{NAME}",
                           json.dumps({"spec": {"versionPriority": 11}}),
                           headers={"Content-Type": "application/merge-patch+json"})
        self.assertEqual(changed.code, 200, changed.text)

    def test_groups_and_versions_stand_by_their_priorities(self):
        self.register(self.extension.port, groupPriorityMinimum=17790)
        self.register(self.extension.port, version="v2", versionPriority=5)
        self.register(self.extension.port, group="other.example.com", version="v1")
        self.await_version("Current")
        self.until(lambda: self.version(group="other.example.com"))
        # It knows nothing of this one.
        self.until(lambda: self.version(version="v2"))
        self.until(lambda: "other.example.com" in self.listed())
        for names in (self.listed(), list(self.all_groups()[1])):
            at = names.index("apps")
            self.assertEqual(names[at:at + 2], ["apps", GROUP])
            self.assertEqual(names[0], "apiregistration.k8s.io")
            self.assertEqual(names[-1], "other.example.com")
        group = self.get(f"/apis/{GROUP}").json
        self.assertEqual([each["version"] for each in group["versions"]], [VERSION, "v2"])
        self.assertEqual(group["preferredVersion"]["version"], VERSION)

    def test_garbage_is_stale_and_hurts_nobody(self):
        self.extension.scripts["/apis"] = lambda connection, asked: answer(
            connection, {"items": [{"versions": 7}]}, ALL)
        self.register(self.extension.port)
        self.await_version("Stale")
        self.assertIn("apps", self.all_groups()[1])
        self.extension.scripts["/apis"] = lambda connection, asked: answer(
            connection, discovery(THING), ALL)
        self.assertEqual(self.await_version("Current")["resources"], [THING])


class OlderDocumentsTest(MergedCase):
    """One that has OpenAPI of version 2 alone."""
    PATH = f"{ROOT}/things"
    SWAGGER = {"swagger": "2.0", "paths": {
        f"{ROOT}/things": {"get": {"produces": ["application/json"], "responses": {
            "200": {"description": "OK", "schema": {"$ref": "#/definitions/Thing"}}}}},
        "/version": {"get": {"responses": {"200": {"schema": {"$ref": "#/definitions/V"}}}}}},
        "definitions": {"Thing": {"type": "object"}, "V": {"type": "object"}}}

    def test_its_document_becomes_one_of_version_3(self):
        extension = ExtensionServer(self.cert, self.key, self.proxy_ca.cert)
        self.addCleanup(extension.close)
        extension.scripts["/openapi/v2"] = lambda connection, asked: answer(
            connection, self.SWAGGER, "application/json")
        self.make_service()
        self.register(extension.port)
        name = f"apis/{GROUP}/{VERSION}"
        address = self.until(lambda: self.get("/openapi/v3").json["paths"].get(name))[
            "serverRelativeURL"]
        got = self.get(address)
        self.assertEqual(got.code, 200, got.text)
        self.assertEqual(got.json["components"], {"schemas": {"Thing": {"type": "object"}}})
        self.assertEqual(
            got.json["paths"][self.PATH]["get"]["responses"]["200"]["content"],
            {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}})
        self.assertEqual(self.get(address, headers={
            "If-None-Match": got.headers["ETag"]}).code, 304)
        self.assertEqual(extension.count(f"/openapi/v3/{name}"), 0)
        merged = self.get("/openapi/v2").json
        self.assertEqual(merged["definitions"]["Thing"], {"type": "object"})
        self.assertNotIn("V", merged["definitions"])


class BehindTest(MergedCase):
    """A second server of ours is behind the first."""
    BEHIND = "behind.example.com"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.second = ApiServer(
            cls.BINARY, f"--tls-cert-file={cls.cert}", f"--tls-private-key-file={cls.key}",
            f"--requestheader-client-ca-file={cls.proxy_ca.cert}",
            "--requestheader-username-headers=X-Remote-User",
            "--requestheader-group-headers=X-Remote-Group")
        cls.addClassCleanup(cls.second.close)
        made = ask(cls.second, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
            "metadata": {"name": f"widgets.{cls.BEHIND}"},
            "spec": {"group": cls.BEHIND, "scope": "Namespaced",
                     "names": {"plural": "widgets", "singular": "widget", "kind": "Widget",
                               "shortNames": ["wd"]},
                     "versions": [{"name": "v1", "served": True, "storage": True,
                                   "subresources": {"status": {}},
                                   "schema": {"openAPIV3Schema": {
                                       "type": "object", "properties": {"spec": {
                                           "type": "object", "properties": {
                                               "size": {"type": "integer"}}}}}}}]}})
        assert made.code == 201, made.text
        deadline = time.monotonic() + APPLIED_SECONDS
        while ask(cls.second, "GET", f"/apis/{cls.BEHIND}/v1/widgets").code != 200:
            assert time.monotonic() < deadline

    def setUp(self):
        self.make_service()
        self.register(self.second.port, group=self.BEHIND)

    def test_what_it_serves_is_as_if_it_were_ours(self):
        found = self.await_version("Current", group=self.BEHIND)
        own = ask(self.second, "GET", "/apis", headers={"Accept": ALL}).json["items"]
        self.assertEqual(found, next(
            each for each in own if each["metadata"]["name"] == self.BEHIND)["versions"][0])
        # And nothing else of it is.
        groups = self.all_groups()[1]
        self.assertEqual(list(groups).count("apps"), 1)

    def document(self):
        """The entry of the index of OpenAPI 3; None: there is none."""
        return self.get("/openapi/v3").json["paths"].get(f"apis/{self.BEHIND}/v1")

    def test_its_openapi_documents_are_found_and_passed_on(self):
        address = self.until(self.document)["serverRelativeURL"]
        self.assertEqual(address, ask(self.second, "GET", "/openapi/v3").json["paths"][
            f"apis/{self.BEHIND}/v1"]["serverRelativeURL"])
        got = self.get(address)
        self.assertEqual(got.code, 200, got.text)
        self.assertIn(f"/apis/{self.BEHIND}/v1/widgets", got.json["paths"])
        self.assertEqual(got.json, ask(self.second, "GET", address).json)
        # Who asks for one that has changed is led to the one that there is now.
        moved = self.get(f"/openapi/v3/apis/{self.BEHIND}/v1?hash=OLD")
        self.assertEqual((moved.code, moved.headers["Location"]), (301, address))
        ours = self.get("/openapi/v3/apis/apps/v1")
        self.assertEqual(ours.code, 200)

    def test_the_document_of_all_has_what_it_has(self):
        path = f"/apis/{self.BEHIND}/v1/widgets"
        self.await_condition("True", "Passed", f"v1.{self.BEHIND}")
        before = self.get("/openapi/v2").headers["ETag"]
        merged = self.until(lambda: (got := self.get("/openapi/v2").json) and
                            path in got["paths"] and got)
        own = ask(self.second, "GET", "/openapi/v2").json
        self.assertEqual(merged["paths"][path], own["paths"][path])
        name = "com.example.behind.v1.Widget"
        self.assertEqual(merged["definitions"][name], own["definitions"][name])
        # What both have stands there once.
        self.assertFalse([each for each in merged["definitions"] if each.endswith("_v2")])
        self.ask("DELETE", f"/apis/apiregistration.k8s.io/v1/apiservices/v1.{self.BEHIND}")
        self.until(lambda: path not in self.get("/openapi/v2").json["paths"])
        self.assertTrue(before)

    @unittest.skipUnless(shutil.which("kubectl"), "kubectl is not installed")
    def test_kubectl_finds_reads_and_explains_it(self):
        self.await_version("Current", group=self.BEHIND)
        self.until(self.document)
        with tempfile.TemporaryDirectory() as folder:
            def kubectl(*words):
                done = subprocess.run(
                    ["kubectl", f"--server=https://127.0.0.1:{self.server.port}",
                     "--insecure-skip-tls-verify", f"--token={ADMIN}", f"--cache-dir={folder}",
                     *words], capture_output=True, text=True, env={"HOME": folder,
                                                                   "PATH": os.environ["PATH"]})
                self.assertEqual(done.returncode, 0, done.stderr)
                return done.stdout
            self.assertRegex(kubectl("api-resources", "--api-group", self.BEHIND),
                             r"widgets +wd +behind.example.com/v1 +true +Widget")
            self.await_forwarding(f"/apis/{self.BEHIND}/v1")
            self.assertRegex(kubectl("explain", "wd.spec"), r"size\s+<integer>")
            self.assertEqual(kubectl("get", "wd", "-o", "name"), "")


if __name__ == "__main__":
    unittest.main()
