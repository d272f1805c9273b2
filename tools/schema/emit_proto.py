"""Writes .proto files (proto2) of some messages of the schema and of all that they need.

    emit_proto.py API_DIR OUT_DIR MESSAGE...

MESSAGE is such as core/v1.Pod. OUT_DIR gets one file per schema file that holds a needed message,
named by its path (core/v1.api -> core/v1.proto), with the packages, names and numbers of
Kubernetes. Only the benchmarks use this, to hold our codec against code made by protoc: Skiff
itself is driven by the descriptor tables.
"""

import os
import sys

import model
from emit_descriptors import write_if_changed


class ProtoWriter:
    """The messages that some roots reach, by schema file."""

    def __init__(self, schema):
        self.schema = schema
        self.needed = {}  # message key -> Message, in the order of discovery

    def need(self, key, where):
        message = self.schema.message(key)
        if message is None or message.gv.proto is None or message.no_proto:
            raise model.SchemaError(f"{where}: {key} is no message of protobuf")
        if message.key in self.needed:
            return
        self.needed[message.key] = message
        for field in message.fields:
            if field.tag is not None and field.type.leaf.message:
                self.need(field.type.leaf.message, message.key)

    def files(self):
        """The path and text of each file."""
        by_version = {}
        for message in self.needed.values():
            by_version.setdefault(message.gv.path, []).append(message)
        return {f"{path}.proto": self.file(messages) for path, messages in by_version.items()}

    def file(self, messages):
        gv = messages[0].gv
        imports = {self.schema.message(f.type.leaf.message).gv.path
                   for m in messages for f in m.fields if f.tag is not None and f.type.leaf.message}
        lines = [f"// Generated from {gv.file} by tools/schema/emit_proto.py.",
                 'syntax = "proto2";', f"package {gv.proto};",
                 *(f'import "{path}.proto";' for path in sorted(imports - {gv.path}))]
        for message in sorted(messages, key=lambda m: m.name):
            lines += [f"message {message.name} {{", *self.fields(message), "}"]
        return "\n".join(lines) + "\n"

    def fields(self, message):
        for field in sorted((f for f in message.fields if f.tag is not None),
                            key=lambda f: f.tag):
            yield f"  {self.type(field)} {field.proto_name} = {field.tag};"

    def type(self, field):
        leaf = field.type.leaf
        if leaf.message:
            target = self.schema.message(leaf.message)
            name = f".{target.gv.proto}.{target.name}"
        else:
            name = model.SCALARS[leaf.name]
        if field.type.container == "map":
            return f"map<string, {name}>"
        return f"repeated {name}" if field.type.container == "list" else f"optional {name}"


def main(api_dir, out_dir, *roots):
    writer = ProtoWriter(model.load(api_dir))
    for root in roots:
        writer.need(root, "command line")
    for path, text in writer.files().items():
        path = os.path.join(out_dir, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write_if_changed(path, text)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except model.SchemaError as error:
        sys.exit(str(error))
