"""Writes the tables of src/object/published.h from the schema and its descriptions.

    emit_openapi.py API_DIR OUT_DIR

OUT_DIR gets openapi.cc. Descriptions of a group-version are one block of gzip, of lines:

    Deployment<TAB>What it is.
     spec<TAB>What its field spec means.
    Scale=io.k8s.api.autoscaling.v1.Scale<TAB>
     status<TAB>What it means here, and not there.

After `=` is the OpenAPI name of the message that tells what is not told here, so that a text which
several versions share is there once. Messages and their fields are in the order of their names.
"""

import gzip
import json
import os

import descriptions
import model
from cpp import c_text, cpp_bool, identifier, run, string_view, write_if_changed
from wire import Types, emitted

# Classes of versions that an API server's scheme knows.
SPOKEN = ("served", "legacy", "webhook")
# Classes of versions whose types OpenAPI documents have.
SHOWN = ("served", "common")


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


def is_described(gv):
    return gv.cls in SHOWN and bool(gv.openapi) and not gv.unpublished


def description_lines(schema, texts, gv):
    """The block of one group-version, before it is compressed."""
    lines = []
    for name in sorted(gv.messages):
        key = gv.messages[name].key
        text, fields = texts.of(key)
        like = schema.message(texts.target(key)) if texts.target(key) else None
        like_text, like_fields, reference = "", {}, ""
        if like and is_described(like.gv):
            like_text, like_fields = texts.of(like.key)
            reference = f"={like.gv.openapi}.{like.name}"
        own = {field: told for field, told in fields.items() if like_fields.get(field) != told}
        if text or own:
            lines.append(f"{name}{reference}\t{'' if text == like_text else text}\n")
            lines += [f" {field}\t{own[field]}\n" for field in sorted(own)]
    return lines


def description_block(schema, texts, gv):
    lines = description_lines(schema, texts, gv) if is_described(gv) else []
    return gzip.compress("".join(lines).encode(), 9, mtime=0) if lines else b""


def table(schema, texts):
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
                    f"{cpp_bool(gv.cls in SPOKEN)}, {', '.join(members)},\n"
                    f"     {string_view(description_block(schema, texts, gv))}}},")
    return "\n".join([
        "// Generated from api/ by tools/schema/emit_openapi.py.",
        '#include "object/published.h"', "",
        "namespace skiff::api {", "",
        "using namespace object;", "",
        *(f"extern const GroupVersionDesc kGroupVersion_{identifier(gv.path)};" for gv in versions),
        "", "namespace {", "",
        *unions.lists, *tables,
        "constexpr PublishedVersion kPublished[] = {", *rows, "};", "",
        "}  // namespace", "", "}  // namespace skiff::api", "",
        "namespace skiff::object {", "",
        "std::span<const PublishedVersion> PublishedVersions() { return api::kPublished; }",
        "", "}  // namespace skiff::object", ""])


def main(api_dir, out_dir):
    schema = model.load(api_dir)
    texts = descriptions.load(api_dir, schema)
    write_if_changed(os.path.join(out_dir, "openapi.cc"), table(schema, texts))


if __name__ == "__main__":
    run(main)
