"""Turns a Schema back into the shape of the facts, so that the two can be compared key by key."""

import model

FACT_FILES = {  # schema path of facts/types files that are not named <group>_<version>
    "runtime": "common/runtime", "quantity": "common/quantity", "intstr": "common/intstr",
    "version": "common/version", "kubelet_stats_v1alpha1": "kubelet-stats/v1alpha1",
    "componentbase_v1alpha1": "component-base/v1alpha1", "logsapi_v1": "component-logs/v1",
    "tracingapi_v1": "component-tracing/v1", "webhookadmission_v1": "webhook-admission/v1",
    "resourcequota_admission_v1": "resourcequota-admission/v1",
    "scheduler_extender_v1": "scheduler-extender/v1",
}
FORM_WORDS = [  # how the facts describe each form -> our name of it
    ("raw JSON value", "raw-json"), ("array of schemas", "schema-or-array"),
    ("schema object if schema set", "schema-or-bool"),
    ("string array if property", "schema-or-string-array"), ("bare []string", "string-list"),
    ("JSON number when type=0", "int-or-string"), ("Go duration", "duration"),
    ("raw JSON object, bytes kept", "fields-v1"), ("RFC3339 string in UTC with", "micro-time"),
    ("RFC3339 string in UTC, whole", "time"), ("protobuf form of Time", "timestamp"),
    ("string in canonical", "quantity"), ("as Quantity", "quantity"),
    ("envelope after", "unknown-envelope"),
]
DEFAULTS = {"proto": None, "enum": None, "known": None, "listMapKeys": [], "featureGates": [],
            "oneOf": []}


def fact_path(file):
    """facts/types file stem -> schema path."""
    if file in FACT_FILES:
        return FACT_FILES[file]
    group, _, version = file.rpartition("_")
    return f"{group}/{version}"


def form_of(words):
    return next((form for start, form in FORM_WORDS if words.startswith(start)), words)


def type_text(schema, ref):
    """A type in the words of the facts, with full references."""
    if ref.container == "list":
        return "[]" + type_text(schema, ref.element)
    if ref.container == "map":
        return f"map<string,{type_text(schema, ref.element)}>"
    if ref.message and schema.message(ref.message).form == "string-list":
        return "[]string"
    if ref.message:
        return ref.message
    return "number" if ref.name == "double" else ref.name


def full_type(text, path, schema):
    """A type text of the facts with every message name made a full reference."""
    if text == "repeated string":
        return "[]string"
    if text.startswith("[]"):
        return "[]" + full_type(text[2:], path, schema)
    if text.startswith("map<string,"):
        return f"map<string,{full_type(text[11:-1], path, schema)}>"
    if text in model.SCALARS or text == "number":
        return text
    if "/" in text:
        found = schema.message(text)
    elif "." in text:
        file, _, name = text.rpartition(".")
        found = schema.message(f"{fact_path(file)}.{name}")
    else:
        found = schema.message(f"{path}.{text}") or schema.message(model.WELL_KNOWN.get(text, ""))
    return found.key if found else text


def field_facts(schema, field):
    """One field as facts/types describes it; keys that do not apply are left out."""
    out = {"type": type_text(schema, field.type), "proto": field.proto_wire}
    if field.tag is not None:
        out["tag"] = field.tag
    if field.proto_only:
        out |= {"json": "", "protoOnly": True, "protoName": field.proto_name}
        return out
    out |= {"json": field.name, "omitempty": field.omitempty, "pointer": field.pointer}
    if field.inline:
        out["inline"] = True
    else:
        out["required"] = field.required
    if field.tag is not None and field.proto_name != field.name:
        out["protoName"] = field.proto_name
    optional = {
        "omitzero": field.omitzero, "patchStrategy": field.patch_strategy,
        "patchMergeKey": field.merge_key, "listType": field.list_type,
        "listMapKeys": field.list_keys, "mapType": field.map_type, "enum": field.enum,
        "known": field.known, "unionDiscriminator": field.discriminator,
        "unionMember": field.union_member, "featureGates": field.gates,
        "oneOf": [field.one_of] if field.one_of else [], "format": field.openapi_format,
        "explicitDefault": field.openapi_declared,
    }
    out |= {key: fact for key, fact in optional.items() if fact}
    if field.openapi_default is not model.ABSENT:
        out["default"] = field.openapi_default
    if field.openapi_item_default is not model.ABSENT:
        out["itemDefault"] = field.openapi_item_default
    return out


def message_facts(schema, message):
    out = {"fields": [field_facts(schema, field) for field in message.fields]}
    if message.is_kind:
        out["gvk"] = True
        out["fields"].insert(0, {"json": "", "type": "meta/v1.TypeMeta", "proto": None,
                                 "inline": True, "omitempty": False, "pointer": False})
    if message.map_type:
        out["mapType"] = message.map_type
    if message.form:
        out["jsonForm"] = message.form
    if message.openapi_type is not model.ABSENT:
        out["openapiType"] = message.openapi_type
    if message.openapi_format:
        out["openapiFormat"] = message.openapi_format
    if message.no_proto:
        out["noProto"] = True
    if message.same_as:
        out["sameAs"] = message.same_as
    unions = [union_facts(union) for union in message.unions]
    if unions:
        out["unions"] = unions
    return out


def union_facts(union):
    members = {name: name[0].upper() + name[1:] for name in union.members}
    out = {"fields-to-discriminateBy": members}
    if union.discriminator:
        out["discriminator"] = union.discriminator
    return out


def normal_message(facts, path, schema):
    """A message of the facts with spellings that mean the same made equal."""
    out = dict(facts)
    if "jsonForm" in out:
        out["jsonForm"] = form_of(out["jsonForm"])
    fields = [normal_field(field, path, schema) for field in facts["fields"]]
    if out.get("gvk") and [f["json"] for f in fields[:2]] == ["kind", "apiVersion"]:
        # The kubeconfig writes the two members out; they are those of TypeMeta.
        fields[:2] = [{"json": "", "type": "meta/v1.TypeMeta", "proto": None, "inline": True,
                       "omitempty": False, "pointer": False}]
    out["fields"] = fields
    return out


def normal_field(facts, path, schema):
    out = dict(facts)
    out.setdefault("proto", None)
    out["type"] = full_type(out["type"], path, schema)
    if out.get("protoOnly") and out["proto"].startswith("repeated "):
        out["type"] = "[]" + out["type"].removeprefix("[]")
    if "featureGates" in out:
        out["featureGates"] = [gate for text in out["featureGates"] for gate in text.split(",")]
    return out


def differences(expected, actual):
    """Pairs (key, description) of what differs between two flat dictionaries, and the number of
    keys compared."""
    keys = sorted(set(expected) | set(actual))
    return [f"{key}: facts say {expected.get(key, '-')!r}, schema says {actual.get(key, '-')!r}"
            for key in keys if expected.get(key, "-") != actual.get(key, "-")], len(keys)
