"""Compares what the schema says beyond types with the facts: resources, storage, selectors,
columns, defaults, names and immutability."""

import json
import re

import model
import soundness

VERB_ACTIONS = {  # phrases of the facts -> our actions; other phrases are code("...")
    "status={}": "clear(status)", "status removed": "clear(status)",
    "generation=1": "generation(1)", "status kept": "keep(status)",
    "status kept from old": "keep(status)", "spec kept": "keep(spec)",
    "generation+1 if spec changed": "bump(spec)",
    "generation+1 if template changed": "bump(template)",
    "generation+1 if webhooks changed": "bump(webhooks)",
    "generation+1 if spec OR metadata.annotations changed": "bump(spec,metadata.annotations)",
    "spec kept, metadata as status reset": "keep(spec,metadata)",
    "spec and status kept": "keep(spec,status)",
    "spec.finalizers and status kept from old": "keep(spec.finalizers,status)",
    "spec and metadata.labels kept": "keep(spec,metadata.labels)",
    "spec, labels, annotations, finalizers, ownerReferences kept":
        "keep(spec,metadata.labels,metadata.annotations) "
        "keep(metadata.finalizers,metadata.ownerReferences)",
    "spec and all metadata except managedFields kept": "keep(spec,metadata.*)",
    "status={phase:Active}": 'set(status={"phase":"Active"})',
}
MEDIA = {"protobuf": "application/vnd.kubernetes.protobuf", "json": "application/json"}


# ---------------------------------------------------------------- resources


def resource_facts(schema, resource):
    """A resource as facts/resources.json has it."""
    out = {"resource": resource.name, "singular": resource.singular,
           "kind": schema.message(resource.kind).kind_name, "namespaced": resource.namespaced,
           "verbs": resource.verbs}
    optional = {"shortNames": resource.short_names, "categories": resource.categories,
                "storageVersionHash": resource.hash, "featureGate": resource.gate,
                "subresources": [subresource_facts(schema, resource, sub)
                                 for sub in resource.subresources]}
    return out | {key: fact for key, fact in optional.items() if fact}


def subresource_facts(schema, resource, sub):
    kind = schema.message(sub.kind)
    out = {"name": sub.name, "kind": kind.kind_name, "verbs": sub.verbs}
    if kind.gv is not resource.gv:
        out |= {"group": kind.gv.group, "version": kind.gv.version}
    return out | ({"featureGate": sub.gate} if sub.gate else {})


def check_resources(schema, facts, report):
    groups = {}
    for gv in schema.served():
        groups.setdefault(gv.group, []).append(gv)
    report.check(list(groups) == [g["group"] for g in facts["groups"]], "groups, in order")
    for group in facts["groups"]:
        versions = groups.get(group["group"], [])
        report.check([v.version for v in versions] == [v["version"] for v in group["versions"]],
                     f"versions of {group['group']}, in order")
        preferred = [v.version for v in versions if v.preferred]
        report.check(preferred == [group["preferred"]], f"preferred version of {group['group']}")
        for gv, version in zip(versions, group["versions"]):
            check_version(schema, gv, version, report)


def check_version(schema, gv, version, report):
    report.compare(gv.path, {
        "groupVersion": version["groupVersion"], "enabled": version["enabledByDefault"],
        "groupPriority": version["groupPriorityMinimum"],
        "versionPriority": version["versionPriority"],
        "resources": sorted(r["resource"] for r in version["resources"]),
    }, {
        "groupVersion": gv.api_version, "enabled": gv.enabled, "groupPriority": gv.group_priority,
        "versionPriority": gv.version_priority, "resources": sorted(gv.resources),
    })
    for resource in version["resources"]:
        if resource["resource"] in gv.resources:
            ours = resource_facts(schema, gv.resources[resource["resource"]])
            report.compare(f"{gv.path} {resource['resource']}", resource, ours)


# ---------------------------------------------------------------- storage


def actions_of(text):
    """A sentence of the facts as a sorted list of actions and phrases."""
    out = []
    for phrase in [] if text == "nothing set" else text.split("; "):
        out += VERB_ACTIONS[phrase].split() if phrase in VERB_ACTIONS else [phrase]
    return sorted(out)


def written_actions(actions):
    out = []
    for action in actions:
        coded = action.verb == "code"
        out += action.text.split("; ") if coded else [f"{action.verb}({action.text})"]
    return sorted(out)


def storage_facts(schema, group, resource):
    """What storage.json says of a resource, rebuilt."""
    storage, kind = resource.storage, schema.message(resource.storage.stored)
    scope = "{namespace}/" if resource.namespaced else ""
    key = f"/registry/{storage.prefix}/{scope}" + "{name}"
    versions = [gv.resources[resource.name] for gv in schema.served()
                if gv.group == group and resource.name in gv.resources]
    reset = {end: paths for end, paths in storage.reset.items()}
    reset |= {end: {"keepOnly": paths} for end, paths in storage.keep_only.items()}
    return {
        "kind": schema.message(resource.kind).kind_name, "namespaced": resource.namespaced,
        "servedVersions": sorted(r.gv.version for r in versions), "key": key,
        "storageGVK": f"{kind.gv.api_version} {kind.kind_name}",
        "storageMediaType": MEDIA[storage.media], "returnDeletedObject": storage.returns_deleted,
        "allowCreateOnUpdate": storage.create_on_update,
        "allowUnconditionalUpdate": storage.unconditional_update,
        "gracefulDelete": storage.graceful, "defaultPropagation": storage.propagation,
        "ttlSeconds": storage.ttl, "watchCache": storage.watch_cache, "resetFields": reset,
        "sinceByVersion": {r.gv.version: r.since for r in versions if r.since},
        "removedInByVersion": {r.gv.version: r.removed for r in versions if r.removed},
    }


# What the facts have wrong: one took a line for code that is a comment, the other missed a method.
CORRECTIONS = {
    "customresourcedefinitions": {"resetFields": {"main": ["status"], "status": ["spec"]}},
    "resourcepoolstatusrequests": {
        "resetFields": {"main": ["status"], "status": ["metadata", "spec"]}},
}


def check_storage(schema, facts, report):
    for entry in facts["resources"]:
        group, name = entry["group"], entry["resource"]
        entry = entry | CORRECTIONS.get(name, {})
        hub = schema.hub(group, name)
        report.check(hub is not None and hub.storage is not None, f"{group} {name} is stored")
        if hub is None or hub.storage is None:
            continue
        expected = {"watchCache": True, "resetFields": {}, "removedInByVersion": {}} | entry
        prepare = dict(expected.pop("prepare", {}))
        for key in ("group", "resource"):
            expected.pop(key)
        if isinstance(expected["gracefulDelete"], str):
            prepare["grace"], expected["gracefulDelete"] = expected["gracefulDelete"], True
        expected["servedVersions"] = sorted(expected["servedVersions"])
        report.compare(f"storage {group} {name}", expected, storage_facts(schema, group, hub))
        prepare = {end: actions_of(text) for end, text in prepare.items()}
        report.compare(f"storage {group} {name} on",
                       {end: actions for end, actions in prepare.items() if actions},
                       {end: written_actions(a) for end, a in hub.storage.actions.items()})
    stored = {(e["group"], e["resource"]) for e in facts["resources"]}
    for entry in facts["notPersisted"]:
        hub = schema.hub(entry["group"], entry["resource"])
        report.check(not hub.persisted, f"{entry['group']} {entry['resource']} is not stored")
    for resource in schema.resources():
        listed = (resource.gv.group, resource.name) in stored
        report.check(listed or not resource.storage, f"{resource.name} is in the facts of storage")


# ---------------------------------------------------------------- selectors


def check_selectors(schema, facts, report):
    listed = set()
    for entry in facts["kinds"]:
        kind = schema.find_kind(entry["groupVersion"], entry["kind"])
        hub = next(schema.hub(r.gv.group, r.name) for r in kind.gv.resources.values()
                   if r.kind == kind.key)
        listed.add((hub.gv.path, hub.name))
        ours = hub.selectors or model.Selectors()
        index = entry.get("watchCacheIndex", {})
        aliases = {label: target.removeprefix("stored as ")
                   for label, target in entry.get("aliases", {}).items()}
        report.compare(f"selectors {kind.key}", {
            "labels": entry["labels"], "aliases": aliases, "trigger": index.get("trigger", []),
            "indexers": index.get("indexers", []), "conditional": index.get("conditional", {}),
        }, {
            "labels": ours.labels, "aliases": ours.aliases, "trigger": ours.triggers,
            "indexers": ours.indexers, "conditional": ours.indexers_if,
        })
        stored = schema.message(hub.kind)
        for label in entry["labels"]:
            plain = soundness.follow(schema, stored, label) is not None
            report.check(label in ours.values or plain, f"{kind.key} has a value for {label}")
    for resource in schema.resources():
        known = (resource.gv.path, resource.name) in listed
        report.check(known or not resource.selectors, f"{resource.name} selectors are in the facts")


# ---------------------------------------------------------------- columns


def plain_cell(text):
    """Our notation of a cell that the facts give as a plain path; None for others."""
    path = r"[A-Za-z]\w*(?:\.[A-Za-z]\w*|\[\d+\])*"
    if text == "name":
        return ".metadata.name", "metadata.name"
    for pattern, form in [
            (rf"({path})", ".{0}"), (rf"age\(({path})\)", "age(.{0})"),
            (rf"({path}) or (<\w+>|N/A)", '.{0} or "{1}"'), (rf"(?:int) ({path})", "int(.{0})"),
            (rf"(?:bool) ({path})", "bool(.{0})"), (rf"int len\(({path})\)", "int(len(.{0}))"),
            (rf"labels\(({path})\)", "labels(.{0})"),
            (rf"selector\(({path})\)", "selector(.{0})")]:
        match = re.fullmatch(pattern, text)
        if match:
            return form.format(*match.groups()), match.group(1)
    return None, None


def check_columns(schema, facts, report):
    ours = {}
    for gv in schema.versions.values():
        for kind, columns in gv.columns.items():
            group = "meta" if gv.path == "meta/v1" else gv.group
            report.check((group, kind) not in ours, f"columns of {kind} are declared once")
            ours[group, kind] = columns
    expected = {(entry["group"], entry["kind"]): entry for entry in facts["kinds"]}
    report.check(set(ours) == set(expected), f"kinds with columns: {set(ours) ^ set(expected)}")
    for key in sorted(set(ours) & set(expected)):
        columns, entry = ours[key], expected[key]
        shape = [(c.name, c.type, c.format, c.priority) for c in columns.columns]
        wanted = [(c["name"], c["type"], c["format"], c["priority"]) for c in entry["columns"]]
        report.check(shape == wanted, f"columns of {key}: {shape} instead of {wanted}")
        report.check(bool(columns.extra_cell) == ("third cell" in entry.get("note", "")),
                     f"columns of {key}: extra cell")
        for column, fact in zip(columns.columns, entry["columns"]):
            cell, path = plain_cell(fact["cell"])
            known = path and soundness.follow(schema, schema.message(columns.kind), path)
            report.check(not known or column.cell == cell,
                         f"{key} {column.name}: {column.cell} instead of {cell}")


# ---------------------------------------------------------------- defaults


def check_defaults(schema, facts, report):
    used = set()
    for entry in facts["defaults"]:
        path = entry["gv"] if "/" in entry["gv"] else f"core/{entry['gv']}"
        if entry["message"].startswith("("):
            report.check(bool(schema.versions[path].notes), f"{path} notes {entry['default']}")
        elif not entry["field"].startswith("("):  # those say what is not done by defaulting
            message = schema.message(f"{path}.{entry['message']}")
            found = find_default(schema, message, entry)
            used.update(found)
            report.check(bool(found), f"{path}.{entry['message']} default {entry['field']} = "
                                      f"{entry['default']!r} when {entry['when']}")
    for message in schema.messages():
        # One has the defaults of a Container; and versions that are not served are no facts.
        unknown = message.name == "EphemeralContainerCommon" or not message.published
        for field in message.fields:
            if field.default is not model.ABSENT:
                label = (message.key, field.name)
                report.check(label in used or unknown, f"{label} default is in the facts")
        for rule in message.defaults:
            label = (message.key, rule.where.line)
            report.check(label in used or unknown, f"{message.key} {rule.path} is in the facts")


def find_default(schema, message, entry):
    """Labels of the schema entries that say what a line of the facts says."""
    wanted, path = entry["default"], entry["field"]
    field = soundness.follow(schema, message, path)
    if entry["when"].startswith("schema only"):
        same = field.default is model.ABSENT and field.openapi_default == wanted
        return [(message.key, path)] if same else []
    direct = message.field(path)
    if direct and same_value(direct.default, wanted):
        return [(message.key, path)]
    if field and entry["src"] == "marker" and same_value(field.default, wanted):
        owner = schema.message(message.field(path.split(".")[0]).type.message)
        return [(owner.key, field.name)]
    out = []
    for rule in message.defaults:
        label = (message.key, rule.where.line)
        part = rule.path.removeprefix(path + ".")
        if rule.path == path and (same_value(rule.value, wanted) or computed_same(rule, entry)):
            out.append(label)
        elif isinstance(wanted, dict) and part in wanted and same_value(rule.value, wanted[part]):
            out.append(label)
    return out


def same_value(ours, wanted):
    return ours is not model.ABSENT and ours == wanted and type(ours) is type(wanted)


def computed_same(rule, entry):
    wanted = entry["default"]
    if rule.source:
        return isinstance(wanted, str) and rule.source.endswith(wanted)
    text = wanted if isinstance(wanted, str) else json_text(wanted)
    return rule.by_code and rule.note.startswith(text + "; ")


def json_text(value):
    return json.dumps(value, separators=(",", ":")).replace('"', "'")


# ---------------------------------------------------------------- names and immutability


def check_names(schema, facts, report):
    by_kind = {(r.gv.group, schema.message(r.kind).name): schema.hub(r.gv.group, r.name)
               for r in schema.resources()}
    for entry in facts["kinds"]:
        hub = by_kind.get((entry["group"], entry["kind"]))
        if hub is None:  # Scale, TokenRequest and custom resources are no resources of their own
            continue
        name = entry["name"].removesuffix(" only")
        plain = [path for text in entry["immutable"] if plain_paths(text)
                 for path in text.split(", ")]
        report.compare(f"{hub.gv.path} {hub.name}", {
            "name": None if name == "-" else name.replace('"', "'"), "immutable": plain,
            "notes": [text for text in entry["immutable"] if not plain_paths(text)],
        }, {
            "name": hub.name_format or hub.name_note or None, "immutable": hub.immutable,
            "notes": hub.immutable_notes,
        })


def plain_paths(text):
    return re.fullmatch(r"[\w.\[\]*]+(, [\w.\[\]*]+)*", text) is not None
