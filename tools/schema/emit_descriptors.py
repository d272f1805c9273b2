"""Writes the descriptor tables of src/object/descriptor.h from the schema.

    emit_descriptors.py API_DIR OUT_DIR

OUT_DIR gets one .cc per schema file, named by its path (core/v1.api -> core_v1.cc), and kinds.cc
with the table of every kind. Files whose content would not change are left alone, so that a
change of one schema file rebuilds one table.
"""

import json
import os
import random
import re
import sys

import model

FORM_TYPES = {  # forms that are scalars to the codecs
    "time": "kTime", "micro-time": "kMicroTime", "duration": "kDuration", "quantity": "kQuantity",
    "int-or-string": "kIntOrString", "raw-json": "kRawJson", "fields-v1": "kFieldsV1",
    "string-list": "kStringList", "unknown-envelope": "kUnknown",
}
FORM_MESSAGES = {
    None: "kPlain", "schema-or-array": "kSchemaOrArray", "schema-or-bool": "kSchemaOrBool",
    "schema-or-string-array": "kSchemaOrStringArray",
}
SCALAR_TYPES = {
    "string": "kString", "bool": "kBool", "int32": "kInt32", "int64": "kInt64",
    "uint32": "kUint32", "uint64": "kUint64", "double": "kDouble", "bytes": "kBytes",
    "any": "kAny",
}
ZERO_JSON = {  # what Go prints for the zero value of a type that omitempty cannot leave out
    "kTime": "null", "kMicroTime": "null", "kDuration": '"0s"', "kQuantity": '"0"',
    "kIntOrString": "0", "kRawJson": "null", "kFieldsV1": "null",
    "kUnknown": "null",
}
ZERO_SCALAR_JSON = {
    "kString": '""', "kBool": "false", "kInt32": "0", "kInt64": "0", "kUint32": "0",
    "kUint64": "0", "kDouble": "0", "kBytes": "null", "kStringList": "null", "kAny": "null",
}
ZERO_FORM_JSON = {"kSchemaOrArray": "null", "kSchemaOrBool": "false",
                  "kSchemaOrStringArray": "null"}
ZERO_PROTO = {
    "kTime": b"", "kMicroTime": b"", "kDuration": b"\x08\0", "kQuantity": b"\x0a\x010",
    "kIntOrString": b"\x08\0\x10\0\x1a\0", "kRawJson": b"", "kFieldsV1": b"",
    "kUnknown": b"\x0a\x04\x0a\0\x12\0\x1a\0\x22\0",
}
VARINT, FIXED64, LENGTH = 0, 1, 2
WIRE_TYPES = {"kBool": VARINT, "kInt32": VARINT, "kInt64": VARINT, "kDouble": FIXED64}
MAX_FIELDS = 256  # codecs keep one bit per field of a message on the stack


def identifier(text):
    return re.sub(r"[^A-Za-z0-9]", "_", text)


def message_symbol(message):
    return f"kMessage_{identifier(message.gv.path)}_{message.name}"


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def c_bytes(data):
    """A C string literal; octal escapes, since hexadecimal ones have no end."""
    out = ""
    for byte in data:
        c = chr(byte)
        out += c if 32 <= byte < 127 and c not in '"\\?' else f"\\{byte:03o}"
    return f'"{out}"'


def c_text(text):
    return c_bytes(text.encode())


def view(data):
    """A string_view of bytes that may hold zeros."""
    if isinstance(data, str):
        data = data.encode()
    return f"std::string_view({c_bytes(data)}, {len(data)})" if data else "{}"


class Types:
    """What the codecs want to know of fields and messages, derived from the schema."""

    def __init__(self, schema):
        self.schema = schema
        self.flat_cache = {}

    def element(self, field):
        """(FieldType, message or None) of a field, a list's items or a map's values."""
        ref = field.type if field.type.container == "single" else field.type.element
        if ref.container == "list":
            if ref.element.name != "string":
                field.where.fail("lists of lists exist for strings only")
            return "kStringList", None
        if ref.container == "map":
            field.where.fail("maps of maps are not supported")
        if ref.message is None:
            return SCALAR_TYPES[ref.name], None
        message = self.schema.message(ref.message)
        if message.form in FORM_TYPES:
            return FORM_TYPES[message.form], None
        return "kMessage", message

    def form(self, message):
        return FORM_MESSAGES[message.form]

    def flattened(self, message):
        """The fields of the JSON form: kind and apiVersion first, inlined messages in place."""
        if message.key not in self.flat_cache:
            fields = type_meta(message) if message.is_kind else []
            for field in message.fields:
                if field.inline:
                    fields = fields + self.flattened(self.schema.message(field.type.message))
                else:
                    fields = fields + [field]
            names = [json_name(f) for f in fields]
            if len(set(names)) != len(names):
                message.where.fail(f"{message.name}: two fields have the same JSON name")
            if len(fields) > MAX_FIELDS:
                message.where.fail(f"{message.name}: more than {MAX_FIELDS} fields")
            self.flat_cache[message.key] = fields
        return self.flat_cache[message.key]

    def proto_fields(self, message):
        """(field, index of its first flattened field, inlined message or None) by tag."""
        out, at = [], 2 if message.is_kind else 0
        for field in message.fields:
            inlined = self.schema.message(field.type.message) if field.inline else None
            if field.tag is not None:
                out.append((field, at, inlined))
            at += len(self.flattened(inlined)) if inlined else 1
        return sorted(out, key=lambda entry: entry[0].tag)

    def zero_json(self, message):
        if message.form is not None:
            return ZERO_FORM_JSON[self.form(message)]
        members = []
        for field in self.flattened(message):
            text = self.zero_field_json(field)
            if text is not None:
                members.append(f"{json.dumps(json_name(field))}:{text}")
        return "{" + ",".join(members) + "}"

    def zero_field_json(self, field):
        """What an unset field prints; None when it is left out."""
        if field.omitzero:
            return None
        if field.pointer or field.type.container != "single":
            return None if field.omitempty else "null"
        kind, message = self.element(field)
        if kind == "kMessage":
            return self.zero_json(message)
        if kind in ZERO_JSON:
            return ZERO_JSON[kind]
        return None if field.omitempty else ZERO_SCALAR_JSON[kind]

    def zero_proto(self, message):
        out = b""
        for field, _, inlined in self.proto_fields(message):
            if field.pointer or field.type.container != "single":
                continue
            kind, element = self.element(field)
            if kind in ("kBytes", "kStringList"):
                continue
            out += varint(field.tag << 3 | WIRE_TYPES.get(kind, LENGTH))
            if kind == "kMessage":
                inner = self.zero_proto(inlined or element)
                out += varint(len(inner)) + inner
            elif kind in ZERO_PROTO:
                out += varint(len(ZERO_PROTO[kind])) + ZERO_PROTO[kind]
            else:
                out += bytes(8) if kind == "kDouble" else b"\0"
        return out


def type_meta(message):
    """kind and apiVersion, which every kind begins with and protobuf keeps in the envelope."""
    return [model.Field(name, None, model.TypeRef("string", "single", "string"), message.where,
                        omitempty=True) for name in ("kind", "apiVersion")]


def json_name(field):
    return field.proto_name if field.proto_only else field.name


def hash_name(name, seed):
    """HashFieldName of descriptor.h."""
    data = name.encode()
    head = int.from_bytes(data[:8], "little")
    middle = tail = 0
    if len(data) >= 8:
        start = len(data) // 2 - 4
        middle = int.from_bytes(data[start:start + 8], "little")
        tail = int.from_bytes(data[-8:], "little")
    mixed = (head ^ middle * 0xC2B2AE3D27D4EB4F ^ tail * 0x9E3779B97F4A7C15 ^ len(data))
    mixed &= 0xFFFFFFFFFFFFFFFF
    return (mixed * seed & 0xFFFFFFFFFFFFFFFF) >> 40 & 0xFFFFFFFF


def name_slots(names, where):
    """(seed, slots) of a hash without collisions."""
    if not names:
        return 0, []
    size = 1
    while size < 2 * len(names):
        size *= 2
    source = random.Random("skiff")
    while size < 64 * len(names):
        for _ in range(200):
            seed = source.getrandbits(64) | 1
            slots = [0xFFFF] * size
            for index, name in enumerate(names):
                slot = hash_name(name, seed) & (size - 1)
                if slots[slot] != 0xFFFF:
                    break
                slots[slot] = index
            else:
                return seed, slots
        size *= 2
    where.fail("two field names are alike to HashFieldName of descriptor.h")


class TableWriter:
    """The tables of one schema file."""

    def __init__(self, gv, types):
        self.gv = gv
        self.types = types
        self.prefix = identifier(gv.path)
        self.pool = ""
        self.offsets = {}
        self.traits = {}
        self.lines = []
        self.externs = set()

    def key_offset(self, name):
        if name not in self.offsets:
            self.offsets[name] = len(self.pool)
            self.pool += f',"{name}":'
        return self.offsets[name]

    def string_list(self, values):
        if not values:
            return "{}"
        symbol = f"kList{len(self.lines)}_{self.prefix}"
        self.lines.append(f"constexpr std::string_view {symbol}[] = "
                          f"{{{', '.join(c_text(v) for v in values)}}};")
        return symbol

    def traits_of(self, field):
        strategy = (field.patch_strategy or "").split(",")
        parts = []
        if field.list_type:
            parts.append(f".list_type = ListType::k{field.list_type.capitalize()}")
        if field.map_type:
            parts.append(f".map_type = MapType::k{field.map_type.capitalize()}")
        for word, member in (("merge", "patch_merge"), ("retainKeys", "patch_retain_keys"),
                             ("replace", "patch_replace")):
            if word in strategy:
                parts.append(f".{member} = true")
        if field.merge_key:
            parts.append(f".merge_key = {c_text(field.merge_key)}")
        lists = (("list_map_keys", field.list_keys), ("enum_values", field.enum),
                 ("known_values", field.known))
        key = repr((parts, lists, field.default, field.gates)) if field.default is not model.ABSENT \
            else repr((parts, lists, field.gates))
        if key in self.traits:
            return self.traits[key]
        for member, values in lists:
            if values:
                parts.append(f".{member} = {self.string_list(values)}")
        if field.default is not model.ABSENT:
            parts.append(f".default_json = {c_text(json.dumps(field.default))}")
        if field.gates:
            parts.append(f".feature_gates = {self.string_list(field.gates)}")
        if not parts:
            symbol = "kNoTraits"
        else:
            symbol = f"kTraits{len(self.traits)}_{self.prefix}"
            self.lines.append(f"constexpr FieldTraits {symbol} = {{{', '.join(parts)}}};")
        self.traits[key] = symbol
        return symbol

    def reference(self, message):
        symbol = message_symbol(message)
        self.externs.add(symbol)
        return f"&{symbol}"

    def field(self, field):
        kind, message = self.types.element(field)
        flags = [flag for flag, on in (("kOmitEmpty", field.omitempty),
                                       ("kOmitZero", field.omitzero),
                                       ("kPointer", field.pointer),
                                       ("kRequired", field.required),
                                       ("kShownUnset",
                                        self.types.zero_field_json(field) is not None)) if on]
        name = json_name(field)
        return (f"    {{kKeys_{self.prefix} + {self.key_offset(name)}, "
                f"{self.reference(message) if message else 'nullptr'}, &{self.traits_of(field)}, "
                f"{field.tag or 0}, {len(name)}, FieldType::{kind}, "
                f"Cardinality::k{field.type.container.capitalize()}, "
                f"{' | '.join('FieldDesc::' + f for f in flags) or '0'}}},")

    def proto_field(self, field, first, inlined):
        kind, _ = self.types.element(field)
        wire = WIRE_TYPES.get(kind, LENGTH)
        if field.type.container == "map":
            wire = LENGTH
        target = self.reference(inlined) if inlined else "nullptr"
        return f"    {{{field.tag << 3 | wire}, {first}, {target}}},"

    def message(self, message):
        symbol = message_symbol(message)
        fields = self.types.flattened(message)
        proto = self.types.proto_fields(message)
        in_protobuf = self.gv.proto is not None and not message.no_proto
        seed, slots = name_slots([json_name(f) for f in fields], message.where)
        tags = [f.tag for f in fields if f.tag is not None]
        same_order = tags == sorted(tags) and not any(inlined for _, _, inlined in proto) \
            and len(tags) == len(proto)
        field_lines = [self.field(f) for f in fields]
        proto_lines = [self.proto_field(*entry) for entry in proto]
        self.externs.add(symbol)
        if fields:
            self.lines += [f"constexpr FieldDesc kFields_{symbol}[] = {{", *field_lines, "};",
                           f"constexpr uint16_t kSlots_{symbol}[] = "
                           f"{{{', '.join(map(str, slots))}}};"]
        if proto:
            self.lines += [f"constexpr ProtoFieldDesc kProto_{symbol}[] = {{", *proto_lines, "};"]
        self.lines += [
            f"constinit const MessageDesc {symbol} = {{",
            f"    {c_text(message.name)}, &kGroupVersion_{self.prefix},",
            f"    {f'kFields_{symbol}' if fields else '{}'}, "
            f"{f'kProto_{symbol}' if proto else '{}'},",
            f"    {view(self.types.zero_json(message))},",
            f"    {view(self.types.zero_proto(message))},",
            f"    {f'kSlots_{symbol}' if fields else '{}'}, {seed}u,",
            f"    MessageForm::{self.types.form(message)}, "
            f"MapType::k{(message.map_type or 'unset').capitalize()},",
            f"    {cpp_bool(message.is_kind)}, {cpp_bool(in_protobuf)}, {cpp_bool(same_order)}}};",
        ]

    def write(self):
        messages = emitted(self.gv)
        for message in messages:
            self.message(message)
        names = sorted(messages, key=lambda m: m.name)
        gv_symbol = f"kGroupVersion_{self.prefix}"
        table = f"kMessages_{self.prefix}"
        tail = []
        if names:
            tail = [f"constexpr const MessageDesc* {table}[] = {{",
                    *(f"    &{message_symbol(m)}," for m in names), "};"]
        tail += [f"constinit const GroupVersionDesc {gv_symbol} = {{{c_text(self.gv.path)}, "
                 f"{c_text(self.gv.group)}, {c_text(self.gv.version)}, "
                 f"{c_text(self.gv.api_version)}, {table if names else '{}'}}};"]
        pool = "\n".join(f"    {c_text(key)}" for key in re.findall(r',"[^"]*":', self.pool))
        head = [
            f"// Generated from {self.gv.file} by tools/schema/emit_descriptors.py.",
            '#include "object/descriptor.h"', "",
            "namespace skiff {", "",
            *(f"extern const MessageDesc {name};" for name in sorted(self.externs)),
            f"extern const GroupVersionDesc {gv_symbol};", "",
            f"static constexpr char kKeys_{self.prefix}[{len(self.pool)} + kKeyPadding] =",
            (pool or '    ""') + ";",
        ]
        body = [f"static {line}" if line.startswith("constexpr") else line for line in self.lines]
        tail = [f"static {line}" if line.startswith("constexpr") else line for line in tail]
        return "\n".join([*head, "", *body, *tail, "", "}  // namespace skiff", ""])


def emitted(gv):
    """The messages that have a table: all but those that are scalars to the codecs."""
    return [m for m in gv.messages.values()
            if m.form not in FORM_TYPES and m.form in FORM_MESSAGES]


def cpp_bool(value):
    return "true" if value else "false"


def kinds_table(schema):
    """kinds.cc: every (apiVersion, kind) that a document may name, and all group-versions."""
    kinds = {}
    for gv in schema.versions.values():
        if gv.cls == "common" and not gv.group:
            continue
        names = [m.kind_name for m in gv.kinds] + list(gv.aliases)
        names += [kind for other in schema.versions.values() for _, kind in other.registers]
        for name in names:
            message = schema.find_kind(gv.api_version, name)
            if message is not None and message.is_kind:
                kinds[(gv.api_version, name)] = message
    symbols = sorted({message_symbol(m) for m in kinds.values()})
    versions = sorted(schema.versions.values(), key=lambda gv: gv.path)
    gv_symbols = [f"kGroupVersion_{identifier(gv.path)}" for gv in versions]
    return "\n".join([
        "// Generated from api/ by tools/schema/emit_descriptors.py.",
        '#include "object/descriptor.h"', "",
        "namespace skiff {", "",
        *(f"extern const MessageDesc {s};" for s in symbols),
        *(f"extern const GroupVersionDesc {s};" for s in gv_symbols), "",
        "static constexpr KindDesc kKinds[] = {",
        *(f"    {{{c_text(version)}, {c_text(kind)}, &{message_symbol(message)}}},"
          for (version, kind), message in sorted(kinds.items())),
        "};",
        "static constexpr const GroupVersionDesc* kGroupVersions[] = {",
        *(f"    &{s}," for s in gv_symbols),
        "};", "",
        "std::span<const KindDesc> AllKinds() { return kKinds; }",
        "std::span<const GroupVersionDesc* const> AllGroupVersions() { return kGroupVersions; }",
        "", "}  // namespace skiff", ""])


def write_if_changed(path, text):
    try:
        with open(path, encoding="utf-8") as old:
            if old.read() == text:
                return
    except FileNotFoundError:
        pass
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)


def main(api_dir, out_dir):
    schema = model.load(api_dir)
    types = Types(schema)
    os.makedirs(out_dir, exist_ok=True)
    for gv in schema.versions.values():
        path = os.path.join(out_dir, identifier(gv.path) + ".cc")
        write_if_changed(path, TableWriter(gv, types).write())
    write_if_changed(os.path.join(out_dir, "kinds.cc"), kinds_table(schema))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:3])
    except model.SchemaError as error:
        sys.exit(str(error))
