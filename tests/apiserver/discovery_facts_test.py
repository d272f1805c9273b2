"""Discovery equals the facts: every group, version, resource, subresource, verb, name and kind.

    discovery_facts_test.py DOCUMENT_DUMP

The facts are ../shared/facts/resources.json beside the project. Where SKIFF_REFERENCE names a
directory with the api/discovery of Kubernetes' sources, the documents are also compared with those,
which are of a server with every version enabled. What is not there is skipped, by name.
"""

import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
FACTS = os.path.join(ROOT, "..", "shared", "facts", "resources.json")


def dump(program, config, paths):
    """The documents at these paths, decoded."""
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run([program, config, directory, *paths], check=True)
        documents = {}
        for path in paths:
            name = path.lstrip("/").replace("/", "__").replace(":", "_")
            with open(os.path.join(directory, name), encoding="utf-8") as file:
                documents[path] = json.load(file)
        return documents


def version_path(group, version):
    return f"/apis/{group}/{version}" if group else f"/api/{version}"


def expected_resources(version):
    """The entries of an APIResourceList that the facts of one version call for."""
    for resource in version["resources"]:
        entry = {"name": resource["resource"], "singularName": resource["singular"],
                 "namespaced": resource["namespaced"], "kind": resource["kind"],
                 "verbs": resource["verbs"]}
        for key in ("shortNames", "categories", "storageVersionHash"):
            if key in resource:
                entry[key] = resource[key]
        yield entry
        for sub in resource.get("subresources", []):
            entry = {"name": f"{resource['resource']}/{sub['name']}", "singularName": "",
                     "namespaced": resource["namespaced"], "kind": sub["kind"],
                     "verbs": sub["verbs"]}
            for key in ("group", "version"):
                if key in sub:
                    entry[key] = sub[key]
            yield entry


def expected_group(group, versions):
    entries = [{"groupVersion": v["groupVersion"], "version": v["version"]} for v in versions]
    return {"name": group, "versions": entries, "preferredVersion": entries[0]}


def expected_aggregated(version):
    """The aggregated form of the same resources."""
    resources = []
    for entry in expected_resources(version):
        kind = {"group": entry.get("group", ""), "version": entry.get("version", ""),
                "kind": entry["kind"]}
        if "/" in entry["name"]:
            resources[-1].setdefault("subresources", []).append(
                {"subresource": entry["name"].split("/")[1], "responseKind": kind,
                 "verbs": entry["verbs"]})
            continue
        resources.append({"resource": entry["name"], "responseKind": kind,
                          "scope": "Namespaced" if entry["namespaced"] else "Cluster",
                          "singularResource": entry["singularName"], "verbs": entry["verbs"],
                          **{k: entry[k] for k in ("shortNames", "categories") if k in entry}})
    return {"version": version["version"], "resources": resources, "freshness": "Current"}


class Report:
    def __init__(self):
        self.failures = 0
        self.checks = 0

    def same(self, what, got, wanted):
        self.checks += 1
        if got == wanted:
            return
        self.failures += 1
        if isinstance(got, list) and isinstance(wanted, list) and len(got) == len(wanted):
            for one, other in zip(got, wanted):
                if one != other:
                    print(f"{what}:\n  got    {json.dumps(one)}\n  wanted {json.dumps(other)}")
            return
        print(f"{what}:\n  got    {json.dumps(got)}\n  wanted {json.dumps(wanted)}")


def check_set(program, groups, config, enabled, report):
    """All documents of a server with these versions."""
    served = []
    for group in groups:
        versions = [v for v in group["versions"] if enabled(v)]
        if versions:
            served.append((group["group"], versions))
    paths = ["/api", "/apis", "aggregated:/api", "aggregated:/apis"]
    paths += [version_path(name, v["version"]) for name, vs in served for v in vs]
    paths += [f"/apis/{name}" for name, _ in served if name]
    documents = dump(program, config, paths)

    named = [(name, versions) for name, versions in served if name]
    report.same("/apis", documents["/apis"]["groups"],
                [expected_group(name, versions) for name, versions in named])
    for name, versions in served:
        if name:
            report.same(f"/apis/{name}", documents[f"/apis/{name}"],
                        {"kind": "APIGroup", "apiVersion": "v1", **expected_group(name, versions)})
        for version in versions:
            path = version_path(name, version["version"])
            report.same(path, documents[path]["resources"], list(expected_resources(version)))
    core = [v for name, vs in served if not name for v in vs]
    report.same("aggregated /api", documents["aggregated:/api"]["items"],
                [{"metadata": {}, "versions": [expected_aggregated(v) for v in core]}])
    report.same("aggregated /apis", documents["aggregated:/apis"]["items"],
                [{"metadata": {"name": name},
                  "versions": [expected_aggregated(v) for v in versions]}
                 for name, versions in named])


def check_reference(program, directory, report):
    """Documents of a real server, by the names of their files."""
    files = {}
    for name in sorted(os.listdir(directory)):
        path = "/" + name.removesuffix(".json").replace("__", "/")
        files["aggregated:/apis" if name == "aggregated_v2.json" else path] = name
    documents = dump(program, "api/all=true", list(files))
    for path, name in files.items():
        with open(os.path.join(directory, name), encoding="utf-8") as file:
            wanted = json.load(file)
        got = documents[path]
        if path == "/api":
            got["serverAddressByClientCIDRs"] = wanted["serverAddressByClientCIDRs"]
        if path.startswith("aggregated"):
            wanted.setdefault("metadata", {})  # the kept file is without it
        report.same(path, got, wanted)


def main(arguments):
    report = Report()
    if os.path.exists(FACTS):
        with open(FACTS, encoding="utf-8") as file:
            groups = json.load(file)["groups"]
        check_set(arguments[0], groups, "", lambda v: v["enabledByDefault"], report)
        check_set(arguments[0], groups, "api/all=true", lambda v: True, report)
    else:
        print("skipped: ../shared/facts/resources.json is not there")
    reference = os.environ.get("SKIFF_REFERENCE")
    if reference:
        check_reference(arguments[0], os.path.join(reference, "api", "discovery"), report)
    else:
        print("skipped: SKIFF_REFERENCE does not name the documents of a real server")
    print(f"{report.checks} documents compared, {report.failures} differ")
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
