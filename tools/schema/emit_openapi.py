"""Writes the tables of src/object/published.h from the schema.

    emit_openapi.py API_DIR OUT_DIR

OUT_DIR gets openapi.cc.
"""

import json
import os

import model
from cpp import c_text, cpp_bool, identifier, run, write_if_changed
from wire import Types, emitted

# Classes of versions that an API server's scheme knows.
SPOKEN = ("served", "legacy", "webhook")


def defaults(gv, types):
    """The defaults that OpenAPI shows and that do not follow from the type."""
    return [f"    {{{c_text(message.name)}, {c_text(field.name)}, "
            f"{c_text(json.dumps(field.openapi_default))}}},"
            for message in emitted(gv) for field in types.flattened(message)
            if field.openapi_declared]


class UnionWriter:
    def __init__(self):
        self.lists = []

    def write(self, gv):
        lines = []
        for message in gv.messages.values():
            for union in message.unions:
                symbol = f"kMembers{len(self.lists)}"
                members = ", ".join(c_text(m) for m in union.members)
                self.lists.append(f"constexpr std::string_view {symbol}[] = {{{members}}};")
                lines.append(f"    {{{c_text(message.name)}, {c_text(union.discriminator or '')}, "
                             f"{symbol}}},")
        return lines


def table(schema):
    versions = sorted(schema.versions.values(), key=lambda gv: gv.path)
    types = Types(schema)
    unions = UnionWriter()
    tables = []
    rows = []
    for gv in versions:
        name = identifier(gv.path)
        members = ["{}", "{}"]
        if gv.unpublished:
            parts = ()
        else:
            parts = (("Default", defaults(gv, types)), ("Union", unions.write(gv)))
        for i, (kind, lines) in enumerate(parts):
            if lines:
                members[i] = f"k{kind}s_{name}"
                tables += [f"constexpr Published{kind} {members[i]}[] = {{", *lines, "};"]
        rows.append(f"    {{&kGroupVersion_{name}, {c_text(gv.openapi or '')}, "
                    f"{cpp_bool(gv.cls in SPOKEN)}, {', '.join(members)}}},")
    return "\n".join([
        "// Generated from api/ by tools/schema/emit_openapi.py.",
        '#include "object/published.h"', "",
        "namespace skiff {", "",
        *(f"extern const GroupVersionDesc kGroupVersion_{identifier(gv.path)};" for gv in versions),
        "", "namespace {", "",
        *unions.lists, *tables,
        "constexpr PublishedVersion kPublished[] = {", *rows, "};", "",
        "}  // namespace", "",
        "std::span<const PublishedVersion> PublishedVersions() { return kPublished; }",
        "", "}  // namespace skiff", ""])


def main(api_dir, out_dir):
    write_if_changed(os.path.join(out_dir, "openapi.cc"), table(model.load(api_dir)))


if __name__ == "__main__":
    run(main)
