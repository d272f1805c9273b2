#!/usr/bin/env python3
"""Definitions of custom resources that are made to cost much: they are refused with a reason or
taken, in bounded time and memory, while others go on being answered.

    bad_definitions_test.py KUBE_APISERVER [unittest options]
"""
import json
import os
import re
import sys
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from surface import SANITIZED, Figures, ServerCase, ask, connect  # noqa: E402

ServerCase.BINARY = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
PROMPT_SECONDS = 60  # what takes time out of proportion takes longer; a busy machine does not
WAIT_SECONDS = 20    # that others may wait meanwhile; a quiet machine shows a tenth of a second
ROOM_MB = 250        # what the server may hold more than before
MANY_VERSIONS = 1000
REFUSAL_BYTES = 1 << 20


def definition(name="bombs", schema=None, versions=None, **more):
    group = f"{name}.example.com"
    return {
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": f"things.{group}"},
        "spec": {"group": group, "scope": "Namespaced",
                 "names": {"plural": "things", "kind": "Thing"},
                 "versions": versions or [version("v1", schema)], **more}}


def version(name, schema=None, storage=True):
    return {"name": name, "served": True, "storage": storage,
            "schema": {"openAPIV3Schema": schema or {"type": "object"}}}


def with_spec(spec):
    return {"type": "object", "properties": {"spec": spec}}


def with_rule(rule, of=None, **more):
    return with_spec({**(of or {"type": "string"}),
                      "x-kubernetes-validations": [{"rule": rule, **more}]})


def nested(depth, before, after, inner):
    """A text of JSON, since json.dumps gives up early."""
    return before * depth + inner + after * depth


class Beside:
    """Somebody who asks all the time: how long he waited at most."""

    def __init__(self, server):
        self.slowest, self.failed = 0.0, None
        self._server, self._end = server, threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._end.set()
        self._thread.join()

    def _run(self):
        try:
            while not self._end.is_set():
                began = time.monotonic()
                with_own = connect(self._server)
                code = ask(self._server, "GET", "/api/v1/namespaces/default/configmaps?limit=1",
                           connection=with_own).code
                with_own.close()
                if code != 200:
                    self.failed = code
                self.slowest = max(self.slowest, time.monotonic() - began)
                self._end.wait(0.02)
        except OSError as error:
            self.failed = error


class BadDefinitionsCase(ServerCase):
    def setUp(self):
        self.memory = Figures(self.server).resident_mb
        self.beside = self.enterContext(Beside(self.server))

    def tearDown(self):
        self.assertIsNone(self.server.process.poll(), "the server died:\n" + self.server.log())
        self.assertIsNone(self.beside.failed)
        more_mb = Figures(self.server).resident_mb - self.memory
        print(f"{self._testMethodName}: others waited {self.beside.slowest * 1000:.0f} ms at most, "
              f"{more_mb:.0f} MB more", flush=True)
        self.assertLess(self.beside.slowest, WAIT_SECONDS, "others waited too long")
        if not SANITIZED:
            self.assertLess(more_mb, ROOM_MB)

    def post(self, body):
        began = time.monotonic()
        answer = self.ask("POST", DEFINITIONS, body, headers={"Content-Type": "application/json"})
        self.assertLess(time.monotonic() - began, PROMPT_SECONDS, "this took too long")
        return answer

    def refused(self, body, code, pattern):
        answer = self.post(body)
        self.assertEqual(answer.code, code, answer.text[:500])
        self.assertLess(len(answer.body), REFUSAL_BYTES)
        self.assertRegex(answer.json["message"], pattern)
        return answer

    def taken(self, body):
        """Served in all its versions; gone with the test."""
        answer = self.post(body)
        self.assertEqual(answer.code, 201, answer.text[:500])
        path = f"{DEFINITIONS}/{answer.json['metadata']['name']}"
        self.addCleanup(self.gone, path)
        deadline = time.monotonic() + PROMPT_SECONDS
        while not any(each["type"] == "Established" and each["status"] == "True"
                      for each in self.get(path).json["status"].get("conditions") or []):
            self.assertLess(time.monotonic(), deadline, "it is not served")
            time.sleep(0.02)

    def gone(self, path):
        self.assertEqual(self.ask("DELETE", path).code, 200)
        deadline = time.monotonic() + PROMPT_SECONDS
        while self.get(path).code != 404:
            self.assertLess(time.monotonic(), deadline, "it does not go")
            time.sleep(0.02)

    def thing(self, name="bombs", of_version="v1", **fields):
        group = f"{name}.example.com"
        return self.ask("POST", f"/apis/{group}/{of_version}/namespaces/default/things?dryRun=All",
                        {"apiVersion": f"{group}/{of_version}", "kind": "Thing",
                         "metadata": {"name": "one"}, **fields})


class BadSchemasTest(BadDefinitionsCase):
    def test_keywords_that_make_schemas_unbounded_are_forbidden(self):
        for keyword, value in {
                "$ref": "#/definitions/x", "definitions": {"x": {"type": "object"}},
                "patternProperties": {"^a": {"type": "string"}}, "dependencies": {"a": ["b"]},
                "additionalItems": {"type": "string"}, "deprecated": True, "id": "x"}.items():
            with self.subTest(keyword):
                pattern = ".*" if keyword == "deprecated" else re.escape(keyword) + ".*Forbidden"
                if keyword == "deprecated":  # no keyword of Kubernetes: dropped
                    self.taken(definition(schema=with_spec({"type": "string", keyword: value})))
                else:
                    self.refused(definition(schema=with_spec({"type": "string", keyword: value})),
                                 422, pattern)

    def test_depth_is_bounded(self):
        shapes = {"properties": ('{"type":"object","properties":{"a":', "}}"),
                  "items": ('{"type":"array","items":', "}"), "not": ('{"not":', "}"),
                  "anyOf": ('{"anyOf":[', "]}"),
                  "additionalProperties": ('{"type":"object","additionalProperties":', "}")}
        whole = json.dumps(definition(schema=with_spec("HERE")))
        for what, (before, after) in shapes.items():
            for depth in (5000, 60_000):
                with self.subTest(what, depth=depth):
                    bomb = nested(depth, before, after, '{"type":"string"}')
                    if len(bomb) < 3_000_000:
                        answer = self.post(whole.replace('"HERE"', bomb))
                        self.assertIn(answer.code, (400, 422), answer.text[:300])
                        self.assertLess(len(answer.body), REFUSAL_BYTES)
        # What is deep but not too deep is served.
        deep = nested(100, *shapes["properties"], '{"type":"string"}')
        self.taken(whole.replace('"HERE"', deep))
        spec = json.loads(nested(100, '{"a":', "}", "1"))
        answer = self.thing(spec=spec)
        self.assertEqual(answer.code, 422, answer.text[:300])
        self.assertIn("must be of type string", answer.json["message"])

    def test_width_is_served(self):
        count = 20_000
        self.taken(definition(schema=with_spec({"type": "object", "properties": {
            f"p{number}": {"type": "integer"} for number in range(count)}})))
        self.assertEqual(self.thing(spec={f"p{number}": 1 for number in range(count)}).code, 201)
        answer = self.thing(spec={f"p{number}": "x" for number in range(count)})
        self.assertEqual(answer.code, 422)
        self.assertLess(len(answer.body), REFUSAL_BYTES)
        openapi = self.get("/openapi/v3/apis/bombs.example.com/v1")
        self.assertEqual(openapi.code, 200)
        self.assertIn(f'"p{count - 1}"', openapi.text)

    def test_enumerations_and_defaults_of_any_size_are_served(self):
        words = [f"word-{number}" for number in range(50_000)]
        self.taken(definition(schema=with_spec({"type": "object", "properties": {
            "word": {"type": "string", "enum": words},
            "words": {"type": "array", "items": {"type": "string"}, "default": words}}})))
        self.assertEqual(self.thing(spec={"word": words[-1]}).code, 201)
        answer = self.thing(spec={"word": "another"})
        self.assertEqual(answer.code, 422)
        self.assertIn("Unsupported value", answer.json["message"])
        self.assertLess(len(answer.body), REFUSAL_BYTES)

    def test_patterns_that_explode_are_refused(self):
        for pattern in ("((a{1000}){1000}){1000}", "(" * 2000 + ")" * 2000, "a{1001}", "[",
                        r"(((\p{L}{100}){100}){100}){100}", "(?=a)", r"(a)\1"):
            with self.subTest(pattern[:40]):
                self.refused(definition(schema=with_spec({"type": "string", "pattern": pattern})),
                             422, "pattern: Invalid value.*must be a valid regular expression")
        # Known by its size alone, when it is needed: no object passes it.
        with self.subTest("large"):
            self.taken(definition("large", schema=with_spec(
                {"type": "string", "pattern": r"(\p{L}{30}\pN{30}){30}" * 10})))
            self.assertEqual(self.thing("large", spec="a").code, 422)
        # What is only slow for those who backtrack is fast here.
        self.taken(definition(schema=with_spec({"type": "string", "pattern": "^(a*)*(a|aa)+$"})))
        answer = self.thing(spec="a" * 1_000_000 + "b")
        self.assertEqual(answer.code, 422)
        self.assertLess(len(answer.body), REFUSAL_BYTES)

    def test_alternatives_within_alternatives_end(self):
        inner = {"not": {}}
        for _ in range(18):
            inner = {"anyOf": [{"oneOf": [inner, inner]}, {"allOf": [inner]}]}
            if len(json.dumps(inner)) > 300_000:
                break
        self.taken(definition(schema=with_spec({"type": "object", **inner})))
        began = time.monotonic()
        answer = self.thing(spec={"a": 1})
        self.assertLess(time.monotonic() - began, PROMPT_SECONDS)
        self.assertIn(answer.code, (201, 422), answer.text[:300])

    def test_a_thousand_faults_are_counted_and_not_told(self):
        schema = with_spec({"type": "object", "properties": {
            f"p{number}": {"type": "nonsense", "pattern": "["} for number in range(5000)}})
        self.refused(definition(schema=schema), 422, "more|omitted|errors|p0")


class BadExpressionsTest(BadDefinitionsCase):
    def test_expressions_are_bounded(self):
        for what, (rule, pattern) in {
                "deep": ("(" * 3000 + "true" + ")" * 3000, "compil"),
                "long": ("self != '" + "a" * 200_000 + "'", "compil"),
                "calls": ("self" + ".lowerAscii()" * 3000 + " == ''", "compil"),
                "pattern": ("self.matches('((a{1000}){1000}){1000}')", "compil"),
                "no syntax": ("self ===", "compil"),
                "unknown": ("nobody.knows(self)", "compil")}.items():
            with self.subTest(what):
                self.refused(definition(schema=with_rule(rule)), 422, pattern)

    def test_what_would_cost_too_much_is_refused(self):
        numbers = {"type": "array", "items": {"type": "integer"}}
        cubic = "self.all(x, self.all(y, self.all(z, x + y + z > 0)))"
        self.refused(definition(schema=with_rule(cubic, numbers)), 422,
                     "estimated rule cost exceeds budget by factor of more than 100x")
        many = with_spec({"type": "object", "properties": {
            f"p{number}": {"type": "array", "maxItems": 1000, "items": {
                "type": "string", "maxLength": 1000, "x-kubernetes-validations": [
                    {"rule": f"self.contains('{number}')"}]}} for number in range(300)}})
        self.refused(definition(schema=many), 422, "cost")

    def test_thousands_of_rules_take_bounded_time(self):
        rules = [{"rule": f"self.a != {number} && self.b.startsWith('x{number}')"}
                 for number in range(10_000)]
        schema = with_spec({"type": "object", "properties": {
            "a": {"type": "integer"}, "b": {"type": "string", "maxLength": 10}},
            "required": ["a", "b"], "x-kubernetes-validations": rules})
        answer = self.post(definition(schema=schema))
        self.assertIn(answer.code, (201, 422), answer.text[:300])
        if answer.code == 201:
            self.addCleanup(self.gone, f"{DEFINITIONS}/things.bombs.example.com")
            answer = self.thing(spec={"a": 1, "b": "x"})
            self.assertIn(answer.code, (201, 404, 422), answer.text[:300])
        self.assertLess(len(answer.body), REFUSAL_BYTES)

    def test_a_costly_rule_on_a_large_object_is_stopped(self):
        texts = {"type": "array", "maxItems": 60, "items": {"type": "string", "maxLength": 60}}
        self.taken(definition(schema=with_rule("self.all(x, self.all(y, !x.contains(y) || x == y))",
                                               texts)))
        answer = self.thing(spec=[f"text-{number:03}" + "x" * 40 for number in range(60)])
        self.assertIn(answer.code, (201, 422), answer.text[:300])


class ManyVersionsTest(BadDefinitionsCase):
    def test_a_thousand_versions_are_served_and_go_again(self):
        schema = with_spec({"type": "object", "properties": {
            f"p{number}": {"type": "string"} for number in range(20)}})
        versions = [version(f"v{number + 1}", schema, number == 0)
                    for number in range(MANY_VERSIONS)]
        self.taken(definition("many", versions=versions))
        group = self.get("/apis/many.example.com").json
        self.assertEqual(len(group["versions"]), MANY_VERSIONS)
        self.assertEqual(group["preferredVersion"]["version"], f"v{MANY_VERSIONS}")
        for number in (1, MANY_VERSIONS // 2, MANY_VERSIONS):
            self.assertEqual(self.thing("many", f"v{number}", spec={"p1": "x"}).code, 201)
        path = "/apis/many.example.com/v1/namespaces/default/things"
        made = self.ask("POST", path, {"apiVersion": "many.example.com/v1", "kind": "Thing",
                                       "metadata": {"name": "one"}, "spec": {"p1": "x"}})
        self.assertEqual(made.code, 201, made.text)
        connection = connect(self.server)
        for number in range(1, MANY_VERSIONS + 1):
            answer = self.get(path.replace("/v1/", f"/v{number}/") + "/one", connection=connection)
            self.assertEqual((answer.code, answer.json["apiVersion"]),
                             (200, f"many.example.com/v{number}"))
        for document in ("/openapi/v3", "/openapi/v2", f"/openapi/v3/apis/many.example.com/v7"):
            self.assertEqual(self.get(document).code, 200)

    def test_no_name_or_list_of_a_definition_is_too_long_to_be_refused(self):
        long = "x" * 100_000
        for what, change in {
                "group": {"group": long}, "scope": {"scope": long},
                "names": {"names": {"plural": long, "kind": long}},
                "short names": {"names": {"plural": "things", "kind": "Thing",
                                          "shortNames": [long] * 20}},
                "a version": {"versions": [version(long)]},
                "columns": {"versions": [{**version("v1"), "additionalPrinterColumns": [
                    {"name": f"c{number}", "type": "nonsense", "jsonPath": "[" * 500}
                    for number in range(2000)]}]},
                "fields": {"versions": [{**version("v1"), "selectableFields": [
                    {"jsonPath": f".spec.a{number}"} for number in range(5000)]}]}}.items():
            with self.subTest(what):
                self.refused(definition(**change), 422, "is invalid")


if __name__ == "__main__":
    unittest.main()
