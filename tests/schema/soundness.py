"""Checks that need nothing but the schema itself."""

import re

import model

# Slips of the original declarations, which OpenAPI or clients show, so they are kept as they are.
KEPT_SLIPS = {
    "admissionregistration.k8s.io/v1beta1.ValidatingWebhook.sideEffects is a list",
    "kubescheduler.config.k8s.io/v1.ScoringStrategy.resources key topologyKey is a member of its "
    "items",
}


def check(schema, report):
    for gv in schema.versions.values():
        check_version(gv, report)
    for message in schema.messages():
        check_message(schema, message, report)
    for resource in schema.resources():
        check_resource(schema, resource, report)
    for gv in schema.versions.values():
        for columns in gv.columns.values():
            check_columns(schema, columns, report)
    check_kinds(schema, report)


def check_version(gv, report):
    report.check(bool(gv.about), f"{gv.path} begins with a comment that says what it is about")
    report.check(bool(gv.messages), f"{gv.path} has messages")
    report.check(gv.cls == "served" or not gv.resources, f"{gv.path} has resources, so is served")
    report.check(gv.cls != "config" or not gv.proto, f"{gv.path} is config, so not in protobuf")


def check_message(schema, message, report):
    tags = [field.tag for field in message.fields if field.tag is not None]
    report.check(len(tags) == len(set(tags)), f"{message.key} uses each tag once")
    report.check(all(tag >= 1 for tag in tags), f"{message.key} has tags from 1")
    names = member_names(schema, message)
    report.check(len(names) == len(set(names)), f"{message.key} has each member once")
    in_proto = message.gv.proto and not message.no_proto
    for field in message.fields:
        name = f"{message.key}.{field.name or field.type.text}"
        report.check((field.tag is not None) == bool(in_proto), f"{name} has a tag iff in protobuf")
        report.check(not field.inline or field.type.leaf.message, f"{name} inlines a message")
        check_field(schema, field, name, report)
    for union in message.unions:
        for member in union.members + ([union.discriminator] if union.discriminator else []):
            report.check(member in names, f"{message.key} has union member {member}")
    for rule in message.defaults:
        found = rule.by_code or follow(schema, message, rule.path) is not None
        report.check(found, f"{message.key} default path {rule.path} exists")
        for path in [c.path for c in rule.conditions] + ([rule.source] if rule.source else []):
            report.check(follow(schema, message, path) is not None,
                         f"{message.key} default of {rule.path} refers to {path}")


def check_field(schema, field, name, report):
    element = schema.message(field.type.leaf.message) if field.type.leaf.message else None
    for key in field.list_keys + ([field.merge_key] if field.merge_key else []):
        found = element is not None and key in member_names(schema, element)
        text = f"{name} key {key} is a member of its items"
        report.check(found or text in KEPT_SLIPS, text)
    report.check((field.list_type == "map") == bool(field.list_keys), f"{name} map lists have keys")
    listed = field.type.container == "list" or field.type.name == "bytes" or not field.list_type
    report.check(listed or f"{name} is a list" in KEPT_SLIPS, f"{name} is a list")
    for choices in (field.enum, field.known):
        if choices is None:
            continue
        report.check(len(set(choices)) == len(choices), f"{name} has each choice once")
        if isinstance(field.default, str):
            report.check(field.default in choices, f"{name} default {field.default} is a choice")
    report.check(not field.default_published or field.default is not model.ABSENT,
                 f"{name} publishes a default it has")
    if field.default is not model.ABSENT:
        report.check(fits(field.default, field.type), f"{name} default {field.default} fits")


def fits(value, ref):
    """May a value stand for a type, roughly?"""
    if ref.container != "single":
        return isinstance(value, list if ref.container == "list" else dict)
    expected = {"string": str, "bool": bool, "int32": int, "int64": int}.get(ref.name)
    return expected is None or type(value) is expected


def member_names(schema, message):
    out = []
    for field in message.fields:
        if field.inline:
            out += member_names(schema, schema.message(field.type.message))
        else:
            out.append(field.name)
    return out


def follow(schema, message, path):
    """The field at a dotted path below a message, or None; [*] and [n] step into items."""
    field = None
    for part in re.sub(r"\[[^\]]*\]", "", path).strip(".").split("."):
        if field is not None and field.type.container == "map":
            continue  # any key of a map will do
        field = find_member(schema, message, part) if message else None
        if field is None:
            return None
        leaf = field.type.leaf.message
        message = schema.message(leaf) if leaf else None
    return field


def find_member(schema, message, name):
    for field in message.fields:
        if field.inline:
            found = find_member(schema, schema.message(field.type.message), name)
            if found:
                return found
        elif field.name == name:
            return field
    return None


def check_resource(schema, resource, report):
    name = f"{resource.gv.path} {resource.name}"
    kind = schema.message(resource.kind)
    report.check(kind.is_kind, f"{name}: {resource.kind} is a kind")
    report.check(bool(resource.verbs), f"{name} has verbs")
    report.check("list" not in resource.verbs or f"{kind.name}List" in kind.gv.messages,
                 f"{name} can be listed, so its kind has a list")
    for sub in resource.subresources:
        report.check(schema.message(sub.kind).is_kind, f"{name}/{sub.name}: {sub.kind} is a kind")
    hub = schema.hub(resource.gv.group, resource.name)
    report.check(resource is hub or not resource.storage, f"{name} leaves storage to the hub")
    report.check(hub.storage is not None or not hub.persisted, f"{name} says how it is stored")
    if resource.storage:
        storage, subs = resource.storage, {sub.name for sub in resource.subresources}
        for endpoint in list(storage.reset) + list(storage.keep_only):
            report.check(endpoint in subs | {"main"}, f"{name} resets known endpoint {endpoint}")
        for paths in storage.reset.values():
            for path in paths:
                report.check(follow(schema, kind, path) is not None, f"{name} has {path}")
    for path in resource.immutable:
        report.check(follow(schema, kind, path) is not None, f"{name} has immutable {path}")


def check_columns(schema, columns, report):
    kind = schema.message(columns.kind)
    for column in columns.columns:
        name = f"{columns.kind} column {column.name}"
        report.check(column.type in ("string", "integer", "boolean"), f"{name} has a known type")
        for path in re.findall(r"(?<![\w\]])\.([A-Za-z][\w.\[\]]*)", without_quotes(column.cell)):
            report.check(follow(schema, kind, path) is not None, f"{name} path {path} exists")


def without_quotes(text):
    return re.sub(r'"[^"]*"', '""', text)


def check_kinds(schema, report):
    """Every kind is found by its apiVersion and kind, and only one file declares it."""
    seen = {}
    for message in schema.messages():
        if message.is_kind and message.gv.version != "none":
            label = (message.gv.api_version, message.kind_name)
            report.check(label not in seen, f"{label} is declared once")
            seen[label] = message
            report.check(schema.find_kind(*label) is message, f"{label} is found")
    for api_version, kind, key in [
            ("v1", "Status", "meta/v1.Status"), ("v1", "APIVersions", "meta/v1.APIVersions"),
            ("v1", "DeleteOptions", "meta/v1.DeleteOptions"),
            ("apps/v1", "ListOptions", "meta/v1.ListOptions"),
            ("batch/v1", "WatchEvent", "meta/v1.WatchEvent"), ("v1", "List", "core/v1.List"),
            ("meta.k8s.io/v1beta1", "Table", "meta/v1.Table"),
            ("v1", "Config", "kubeconfig/v1.Config")]:
        found = schema.find_kind(api_version, kind)
        report.check(found is not None and found.key == key, f"{api_version} {kind} is {key}")
    report.check(schema.find_kind("no.such/v1", "Status") is None, "no.such/v1 has no Status")
