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

import model
from cpp import (
    c_text, cpp_bool, identifier, message_symbol, run, string_view, write_if_changed)
from wire import LENGTH, WIRE_TYPES, Types, emitted, json_name


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
        default = [] if field.default is model.ABSENT else [field.default]
        key = repr((parts, lists, default, field.gates))
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
                f"{' | '.join('FieldDesc::' + f for f in flags) or '0'}, "
                f"{self.proto_key(field)}}},")

    def proto_key(self, field):
        kind, _ = self.types.element(field)
        wire = LENGTH if field.type.container == "map" else WIRE_TYPES.get(kind, LENGTH)
        return field.tag << 3 | wire if field.tag else 0

    def proto_field(self, field, first, inlined):
        target = self.reference(inlined) if inlined else "nullptr"
        return f"    {{{self.proto_key(field)}, {first}, {target}}},"

    @staticmethod
    def proto_slots(proto):
        slots = [len(proto)] * (proto[-1][0].tag + 1)
        for index, (field, _, _) in enumerate(proto):
            slots[field.tag] = index
        return slots

    def same_order(self, message):
        """Whether ascending tags, inlined messages in their place, are the order of JSON."""
        proto = self.types.proto_fields(message)
        firsts = [first for _, first, _ in proto]
        return firsts == sorted(firsts) and all(
            self.same_order(inlined) for _, _, inlined in proto if inlined)

    def message(self, message):
        symbol = message_symbol(message)
        fields = self.types.flattened(message)
        proto = self.types.proto_fields(message)
        in_protobuf = self.gv.proto is not None and not message.no_proto
        seed, slots = name_slots([json_name(f) for f in fields], message.where)
        shown_unset = sum(1 << i for i, f in enumerate(fields[:64]) if f.tag is not None
                          and self.types.zero_field_json(f) is not None)
        field_lines = [self.field(f) for f in fields]
        proto_lines = [self.proto_field(*entry) for entry in proto]
        self.externs.add(symbol)
        if fields:
            self.lines += [f"constexpr FieldDesc kFields_{symbol}[] = {{", *field_lines, "};",
                           f"constexpr uint16_t kSlots_{symbol}[] = "
                           f"{{{', '.join(map(str, slots))}}};"]
        if proto:
            self.lines += [f"constexpr ProtoFieldDesc kProto_{symbol}[] = {{", *proto_lines,
                           "    {0, 0, nullptr}};",
                           f"constexpr uint8_t kTags_{symbol}[] = "
                           f"{{{', '.join(map(str, self.proto_slots(proto)))}}};"]
        self.lines += [
            f"constinit const MessageDesc {symbol} = {{",
            f"    {c_text(message.name)}, &kGroupVersion_{self.prefix},",
            f"    {f'kFields_{symbol}' if fields else '{}'}, "
            f"{f'{{kProto_{symbol}, {len(proto)}}}' if proto else '{}'},",
            f"    {string_view(self.types.zero_json(message))},",
            f"    {string_view(self.types.zero_proto(message))},",
            f"    {f'kSlots_{symbol}' if fields else '{}'}, {seed}u,",
            f"    MessageForm::{self.types.form(message)}, "
            f"MapType::k{(message.map_type or 'unset').capitalize()},",
            f"    {cpp_bool(message.is_kind)}, {cpp_bool(in_protobuf)}, "
            f"{cpp_bool(self.same_order(message))}, "
            f"{f'kTags_{symbol}' if proto else '{}'}, {shown_unset:#x}u}};",
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
            "namespace skiff::api {", "", "using namespace object;", "",
            *(f"extern const MessageDesc {name};" for name in sorted(self.externs)),
            f"extern const GroupVersionDesc {gv_symbol};", "",
            f"static constexpr char kKeys_{self.prefix}[{len(self.pool)} + kKeyPadding] =",
            (pool or '    ""') + ";",
        ]
        body = [f"static {line}" if line.startswith("constexpr") else line for line in self.lines]
        tail = [f"static {line}" if line.startswith("constexpr") else line for line in tail]
        return "\n".join([*head, "", *body, *tail, "", "}  // namespace skiff::api", ""])


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
        "namespace skiff::api {", "", "using namespace object;", "",
        *(f"extern const MessageDesc {s};" for s in symbols),
        *(f"extern const GroupVersionDesc {s};" for s in gv_symbols), "",
        "static constexpr KindDesc kKinds[] = {",
        *(f"    {{{c_text(version)}, {c_text(kind)}, &{message_symbol(message)}}},"
          for (version, kind), message in sorted(kinds.items())),
        "};",
        "static constexpr const GroupVersionDesc* kGroupVersions[] = {",
        *(f"    &{s}," for s in gv_symbols),
        "};", "",
        "}  // namespace skiff::api", "",
        "namespace skiff::object {", "",
        "std::span<const KindDesc> AllKinds() { return api::kKinds; }",
        "std::span<const GroupVersionDesc* const> AllGroupVersions() {",
        "  return api::kGroupVersions;", "}",
        "", "}  // namespace skiff::object", ""])


def main(api_dir, out_dir):
    schema = model.load(api_dir)
    types = Types(schema)
    for gv in schema.versions.values():
        path = os.path.join(out_dir, identifier(gv.path) + ".cc")
        write_if_changed(path, TableWriter(gv, types).write())
    write_if_changed(os.path.join(out_dir, "kinds.cc"), kinds_table(schema))


if __name__ == "__main__":
    run(main)
