"""The resources that are stored, as api/ declares them: their kinds, and where they are at rest."""
import re
from pathlib import Path

API = Path(__file__).resolve().parent.parent.parent / "api"


class Stored:
    """A resource in the store: where it is, and what its objects are called there."""

    def __init__(self, resource, kind, scope, words, group, version):
        given = dict(word.split("=", 1) for word in words.split() if "=" in word)
        api_version = given.get("stored", f"{group}/{version}" if group else version)
        self.kind = kind
        self.api_version = api_version.removeprefix("core/")
        self.prefix = "/registry/" + given.get("prefix", resource) + "/"
        self.namespaced = scope == "namespaced"
        self.is_json = given.get("media") == "json"

    def key(self, name, namespace="default"):
        return self.prefix + (namespace + "/" if self.namespaced else "") + name


def stored_resources():
    """By group and resource, from the schema."""
    found = {}
    for path in sorted(API.glob("*/*.api")):
        text = path.read_text()
        group = re.search(r"^group\s+(\S+)", text, re.M)
        version = re.search(r"^version\s+(\S+)", text, re.M)
        if not group or not version:
            continue
        name = group[1].strip('"')
        for match in re.finditer(r"^resource (\S+) of (\S+) (\S+) \{\n(.*?)^\}", text, re.M | re.S):
            storage = re.search(r"^  storage(.*)$", match[4], re.M)
            if storage:
                found[name, match[1]] = Stored(*match.group(1, 2, 3), storage[1], name, version[1])
    return found
