"""OpenAPI documents equal those of a real server, but for the descriptions.

    openapi_reference_test.py DOCUMENT_DUMP

SKIFF_REFERENCE names a directory with the api/openapi-spec of Kubernetes' sources; without it the
test is skipped, by name. Those documents are of a server with every version and every feature
enabled, and without enums. What therefore differs is put right here before they are compared:
  - CBOR, a feature that is off by default, and /logs, a handler that is;
  - enums, which a server with default features shows;
  - one type of an alpha version that the schema takes from the stable one, where Kubernetes has a
    second type of the same fields;
  - where a parameter of version 2 is written: at the operation or once for all.
"""

import json
import os
import subprocess
import sys
import tempfile

HIDDEN = "/logs/", "/logs/{logpath}"
TWICE = ("io.k8s.api.admissionregistration.v1alpha1.MatchCondition",
         "io.k8s.api.admissionregistration.v1.MatchCondition")


def without(value):
    """The document without descriptions, enums and CBOR."""
    if isinstance(value, dict):
        return {key: without(item) for key, item in value.items()
                if "cbor" not in key and not (key in ("description", "enum")
                                              and isinstance(item, (str, list)))}
    if isinstance(value, list):
        return [without(item) for item in value if item not in ("application/cbor",
                "application/cbor-seq", "application/apply-patch+cbor")]
    return value


def plain_references(value):
    """A reference alone in allOf, which is there for the sake of a description, as a reference."""
    if isinstance(value, dict):
        if list(value) == ["allOf"]:
            return plain_references(value["allOf"][0])
        return {key: plain_references(item) for key, item in value.items()}
    return [plain_references(item) for item in value] if isinstance(value, list) else value


def by_name(parameters, shared):
    resolved = [shared[p["$ref"].rpartition("/")[2]] if "$ref" in p else p for p in parameters]
    return sorted(resolved, key=lambda p: (p["name"], p["in"]))


def normal(document):
    document = plain_references(without(document))
    shared = document.pop("parameters", {})
    for path in HIDDEN:
        document["paths"].pop(path, None)
    for path in document["paths"].values():
        for key, operation in path.items():
            if key == "parameters":
                path[key] = by_name(operation, shared)
            elif "parameters" in operation:
                operation["parameters"] = by_name(operation["parameters"], shared)
    return document


def differences(got, wanted, where, out):
    """Fills `out` with lines about the places where two values differ."""
    if isinstance(got, dict) and isinstance(wanted, dict):
        for key in sorted(set(got) | set(wanted)):
            if key not in wanted:
                out.append(f"{where}: has {key} = {json.dumps(got[key])[:200]}")
            elif key not in got:
                out.append(f"{where}: lacks {key} = {json.dumps(wanted[key])[:200]}")
            else:
                differences(got[key], wanted[key], f"{where} > {key}", out)
    elif got != wanted:
        out.append(f"{where}: {json.dumps(got)[:200]} instead of {json.dumps(wanted)[:200]}")


def paths_of(directory):
    """Files of the reference, by the path that answers with them."""
    found = {"/openapi/v2": os.path.join(directory, "swagger.json")}
    for name in sorted(os.listdir(os.path.join(directory, "v3"))):
        if name.startswith("logs"):
            continue
        path = name.removesuffix("_openapi.json").replace("__", "/")
        found[f"/openapi/v3/{path}"] = os.path.join(directory, "v3", name)
    return found


def main(arguments):
    reference = os.environ.get("SKIFF_REFERENCE")
    if not reference:
        print("skipped: SKIFF_REFERENCE does not name the documents of a real server")
        return 0
    found = paths_of(os.path.join(reference, "api", "openapi-spec"))
    lines = []
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run([arguments[0], "api/all=true", directory, "/openapi/v3", *found], check=True)
        for path, file in found.items():
            name = path[1:].replace("/", "__")
            with open(os.path.join(directory, name), encoding="utf-8") as got:
                ours = normal(json.load(got))
            with open(file, encoding="utf-8") as wanted:
                text = wanted.read().replace(*TWICE)
            differences(ours, normal(json.loads(text)), path, lines)
        with open(os.path.join(directory, "openapi__v3"), encoding="utf-8") as got:
            listed = {f"/openapi/v3/{name}" for name in json.load(got)["paths"]}
        differences(sorted(listed), sorted(set(found) - {"/openapi/v2"}), "/openapi/v3", lines)
    for line in lines[:200]:
        print(line)
    print(f"{len(found)} documents compared, {len(lines)} differences")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
