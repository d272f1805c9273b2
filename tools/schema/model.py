"""The schema in memory: reads api/<group>/<version>.api into plain dataclasses.

    schema = load("api")
    pod = schema.message("core/v1.Pod")
    for field in pod.fields: print(field.name, field.tag, field.type.text)

nodes.py has the dataclasses, reader.py the grammar; here names are resolved and what follows by
rule is filled in. What a fact means (codecs, defaulting, OpenAPI, storage) is the business of the
readers of a Schema. Everything stays in file order and files are read in sorted order, so output
made from a Schema is the same on every machine. Bad input raises SchemaError "file:line: ...".
"""

import os

from nodes import (  # noqa: F401 (this module is the door to all of them)
    ABSENT, ALL_VERBS, CLASSES, FORMS, OPENAPI_FORMATS, SCALARS, WELL_KNOWN, ZERO_DEFAULTS, Action,
    Column, Columns, Condition, DefaultRule, Field, GroupVersion, Message, Resource, Schema,
    SchemaError, Selectors, Storage, Subresource, TypeRef, Union, Where)
from reader import FileParser


def load(api_dir):
    """Parse and resolve all files below api_dir."""
    schema = Schema()
    for group in sorted(os.listdir(api_dir)):
        directory = os.path.join(api_dir, group)
        if not os.path.isdir(directory):
            continue
        for name in sorted(os.listdir(directory)):
            if name.endswith(".api"):
                gv_path = f"{group}/{name[:-4]}"
                shown = f"api/{group}/{name}"
                gv = FileParser(os.path.join(directory, name), shown, gv_path).parse()
                schema.versions[gv_path] = gv
    Resolver(schema).run()
    return schema


class Resolver:
    """Second pass: names become message keys, and what follows by rule is filled in."""

    def __init__(self, schema):
        self.schema = schema

    def run(self):
        for gv in self.schema.versions.values():
            for name, key in gv.aliases.items():
                if self.schema.message(key) is None:
                    Where(gv.file, 1).fail(f"alias {name}: no message {key}")
            for message in gv.messages.values():
                self.message(message)
            for resource in gv.resources.values():
                self.resource(resource)
            for columns in gv.columns.values():
                columns.kind = self.key(columns.kind, gv, columns.where)

    def key(self, name, gv, where):
        """The key of a message name as written in a file."""
        candidates = [name] if "/" in name else [f"{gv.path}.{name}", WELL_KNOWN.get(name, "")]
        for candidate in candidates:
            found = self.schema.message(candidate) if candidate else None
            if found:
                return found.key
        where.fail(f"no message {name}")

    def message(self, message):
        if message.same_as:
            message.same_as = self.key(message.same_as, message.gv, message.where)
        if message.item:
            message.item = self.key(message.item, message.gv, message.where)
        discriminators = [u.discriminator for u in message.unions]
        for field in message.fields:
            self.type(field.type, message.gv, field.where)
            field.discriminator |= field.name in discriminators and bool(field.name)
            field.proto_wire = self.wire(field, message)
            if message.published and not field.inline and not field.proto_only:
                self.openapi(field)

    def type(self, ref, gv, where):
        if ref.element:
            self.type(ref.element, gv, where)
        elif ref.name not in SCALARS:
            ref.message = self.key(ref.name, gv, where)

    def form(self, ref):
        return self.schema.message(ref.message).form if ref.message else None

    def wire(self, field, message):
        if field.tag is None:
            return None
        leaf = field.type.leaf
        base = "message" if leaf.message else SCALARS[leaf.name]
        if base is None or message.gv.proto is None or message.no_proto:
            field.where.fail(f"field {field.name} has a tag, but cannot be in protobuf")
        if field.type.container == "list":
            return f"repeated {base}"
        return f"map<string,{base}>" if field.type.container == "map" else base

    def zero(self, ref, even_if_optional):
        """The zero default OpenAPI shows for a type; ABSENT when it shows none."""
        if ref.message:
            return {} if self.form(ref) is None else ABSENT
        return ZERO_DEFAULTS.get(ref.name, ABSENT) if even_if_optional else ABSENT

    def openapi(self, field):
        single = field.type.container == "single"
        if field.default_published:
            field.openapi_default = field.default
            field.openapi_declared = True
        elif single and not field.pointer and field.openapi_default is ABSENT:
            field.openapi_default = self.zero(field.type, not field.omitempty)
        if self.form(field.type) == "string-list":
            field.openapi_item_default = ""
        elif not single and not field.type.element.element:
            field.openapi_item_default = self.zero(field.type.element, True)
        field.openapi_format = OPENAPI_FORMATS.get(field.type.name)

    def resource(self, resource):
        gv = resource.gv
        resource.kind = self.key(resource.kind, gv, resource.where)
        for sub in resource.subresources:
            sub.kind = self.key(sub.kind, gv, sub.where)
        if resource.storage:
            kind = resource.kind.rpartition(".")[2]
            stored = resource.storage.stored or gv.path
            name = stored if "." in stored.rpartition("/")[2] else f"{stored}.{kind}"
            resource.storage.stored = self.key(name, gv, resource.where)
