"""Is the schema whole and sound?

    python3 tests/schema/facts_test.py [FACTS_DIR]

Always: the schema loads, references resolve, tags, keys, defaults and resources are consistent.
With the facts (the argument, or ../shared/facts beside the project): every type, field, resource,
storage rule, selector, column and default is rebuilt from the schema and compared with the facts.
Last, the schema is damaged in many small ways, each of which some check must notice.
"""

import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools", "schema"))

import behaviour_facts  # noqa: E402
import model  # noqa: E402
import mutations  # noqa: E402
import rebuild  # noqa: E402
import soundness  # noqa: E402

API = os.path.join(ROOT, "api")


class Report:
    """Counts checks and prints those that fail."""

    def __init__(self):
        self.passed, self.failures = 0, []

    def check(self, ok, text):
        if ok:
            self.passed += 1
        else:
            self.failures.append(text)
            self.failed(text)

    def failed(self, text):
        print(f"FAIL {text}")

    def compare(self, name, expected, actual):
        """Two flat dictionaries: one check a key."""
        found, count = rebuild.differences(expected, actual)
        self.passed += count - len(found)
        for text in found:
            self.check(False, f"{name} {text}")


class Noticed(Exception):
    """A check failed."""


class Alarm(Report):
    """A report that is over with the first failure."""

    def failed(self, text):
        raise Noticed(text)


class Facts:
    """The facts directory, read once."""

    def __init__(self, directory):
        self.directory, self.files = directory, {}

    def read(self, name):
        if name not in self.files:
            with open(os.path.join(self.directory, name), encoding="utf-8") as source:
                self.files[name] = json.load(source)
        return self.files[name]


def check_types(schema, facts, report):
    entries = facts.read("types/index.json")["files"]
    described = {rebuild.fact_path(entry["file"]) for entry in entries}
    for gv in schema.versions.values():
        report.check((gv.path in described) == (gv.cls != "legacy"),
                     f"{gv.path} is legacy iff the facts do not describe it")
    for entry in entries:
        path = rebuild.fact_path(entry["file"])
        gv = schema.versions.get(path)
        report.check(gv is not None, f"{path} exists")
        if gv is None:
            continue
        file = facts.read(f"types/{entry['file']}.json")
        report.compare(path, {
            "group": file["group"], "version": file["version"] or "none", "class": file["class"],
            "proto": file["protoPackage"], "openapi": file["openapiPrefix"],
            "kinds": sorted(file["kinds"]), "aliases": file.get("aliases", {}),
        }, {
            "group": gv.group, "version": gv.version, "class": gv.cls, "proto": gv.proto,
            "openapi": gv.openapi, "kinds": sorted(m.name for m in gv.kinds),
            "aliases": gv.aliases,
        })
        if path != "scheduler-extender/v1":  # the facts list no messages of it
            check_messages(schema, gv, file, report)


def check_messages(schema, gv, file, report):
    missing = sorted(set(file["messages"]) - set(gv.messages))
    extra = sorted(set(gv.messages) - set(file["messages"]))
    report.check(not missing, f"{gv.path} lacks {missing}")
    report.check(not extra, f"{gv.path} has unknown {extra}")
    for name, facts in file["messages"].items():
        if name not in gv.messages:
            continue
        expected = rebuild.normal_message(facts, gv.path, schema)
        actual = rebuild.message_facts(schema, gv.messages[name])
        old, new = expected.pop("fields"), actual.pop("fields")
        report.compare(f"{gv.path}.{name}", expected, actual)
        names = [[f["json"] or f.get("protoName") or f["type"] for f in side]
                 for side in (old, new)]
        report.check(names[0] == names[1], f"{gv.path}.{name} members, in order: {names}")
        if names[0] == names[1]:
            for label, one, other in zip(names[0], old, new):
                report.compare(f"{gv.path}.{name}.{label}", one, other)


def check_all(schema, facts, report):
    soundness.check(schema, report)
    if facts is None:
        return
    check_types(schema, facts, report)
    behaviour_facts.check_resources(schema, facts.read("resources.json"), report)
    behaviour_facts.check_storage(schema, facts.read("storage.json"), report)
    behaviour_facts.check_selectors(schema, facts.read("selectors.json"), report)
    behaviour_facts.check_columns(schema, facts.read("columns.json"), report)
    behaviour_facts.check_defaults(schema, facts.read("defaults.json"), report)
    behaviour_facts.check_names(schema, facts.read("immutability.json"), report)


def find_facts(arguments):
    directory = arguments[0] if arguments else os.path.join(ROOT, "..", "shared", "facts")
    if os.path.exists(os.path.join(directory, "types", "index.json")):
        return Facts(directory)
    if arguments:
        sys.exit(f"no facts in {directory}")
    print("skipped: ../shared/facts is not there")
    return None


def main(arguments):
    facts = find_facts(arguments)
    report = Report()
    schema = model.load(API)
    check_all(schema, facts, report)
    whole = not report.failures
    mutations.check_bad_files(report)
    if whole:  # damage proves nothing about a schema that is damaged already
        mutations.check_damage(schema, lambda damaged: check_all(damaged, facts, Alarm()),
                               facts is not None, report)
    print(f"{report.passed} passed, {len(report.failures)} failed")
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
