"""The grammar of the files in api/: text in, nodes out, names not yet resolved.

A file is read in two steps: logical_lines() joins continuations and drops comments, then FileParser
takes statement after statement. api/README.md explains the format to people who write it.
"""

import json
import re

from nodes import (
    ACTIONS, ALL_VERBS, CLASSES, FORMS, Action, Column, Columns, Condition, DefaultRule, Field,
    GroupVersion, Message, Resource, Selectors, Storage, Subresource, TypeRef, Union, Where)

# ---------------------------------------------------------------- lines and words


def logical_lines(path, shown):
    """(Where, indent, text) of each statement; deeper indentation than a member continues it."""
    out = []
    with open(path, encoding="utf-8") as source:
        for number, raw in enumerate(source, 1):
            text = raw.rstrip()
            if not text.strip() or text.lstrip().startswith("#"):
                continue
            indent = len(text) - len(text.lstrip(" "))
            if "\t" in text:
                Where(shown, number).fail("tab in schema file")
            if indent >= 6:
                if not out or out[-1][1] == 0:
                    Where(shown, number).fail("continuation line without a line to continue")
                where, first, before = out[-1]
                out[-1] = (where, first, before + " " + text.strip())
            elif indent in (0, 2):
                out.append((Where(shown, number), indent, text.strip()))
            else:
                Where(shown, number).fail("indent by 0, 2 (member) or 6 and more (continuation)")
    return out


CLOSING = {"(": ")", "[": "]", "{": "}"}


def words(text, where):
    """Split at blanks, but not inside quotes or brackets."""
    out, current, stack, quoted = [], "", [], False
    for i, c in enumerate(text):
        if quoted:
            current += c
            quoted = not (c == '"' and text[i - 1] != "\\")
        elif c == " " and not stack:
            if current:
                out.append(current)
            current = ""
        else:
            current += c
            if c == '"':
                quoted = True
            elif c in CLOSING:
                stack.append(CLOSING[c])
            elif stack and c == stack[-1]:
                stack.pop()
    if quoted or stack:
        where.fail("unclosed quote or bracket")
    return out + [current] if current else out


def value(text, where):
    """A default value: JSON, or a bare word that stands for a string."""
    try:
        return json.loads(text)
    except ValueError:
        if re.search(r'["\s{}\[\]]', text):
            where.fail(f"bad value {text}")
        return text


def choices(text):
    """The inside of enum(...) and known(...): values between bars; "" is the empty string."""
    return ["" if item.strip() == '""' else item.strip() for item in text.split("|")]


# ---------------------------------------------------------------- types and fields


def parse_type(text, where):
    if text.startswith("[]"):
        return TypeRef(text, "list", "", parse_type(text[2:], where))
    if text.startswith("map[string]"):
        return TypeRef(text, "map", "", parse_type(text[len("map[string]"):], where))
    if not re.fullmatch(r"[\w./-]+", text):
        where.fail(f"bad type {text}")
    return TypeRef(text, "single", text)


def lower_first(text):
    return text[:1].lower() + text[1:]


def camel(name):
    """The protobuf name of a JSON name: x-a-b becomes xAB, $ref becomes ref."""
    head, *rest = name.lstrip("$").split("-")
    return head + "".join(part[:1].upper() + part[1:] for part in rest)


def parse_field(tokens, message, where):
    """NAME[?] [TAG|-] [*]TYPE ATTRIBUTE..."""
    name, rest = tokens[0], tokens[1:]
    tag = None
    if rest and re.fullmatch(r"\d+|-", rest[0]):
        tag = None if rest[0] == "-" else int(rest[0])
        rest = rest[1:]
    if not rest:
        where.fail(f"field {name} has no type")
    if tag is not None and tag < 1:
        where.fail(f"field {name}: tags begin at 1")
    omitempty = name.endswith("?")
    name = name[:-1] if omitempty else name
    if not re.fullmatch(r"[$\w-]+", name):
        where.fail(f"bad field name {name}")
    pointer = rest[0].startswith("*")
    field = Field(name, tag, parse_type(rest[0].lstrip("*"), where), where, pointer, omitempty)
    field.inline = name == "inline"
    field.proto_only = message.form is not None
    explicit = {}
    for attribute in rest[1:]:
        parse_attribute(field, attribute, explicit, where)
    if field.inline:
        field.name, field.required = "", False
        field.proto_name = lower_first(field.type.name.rpartition(".")[2])
    else:
        field.required = explicit.get("required", not (omitempty or field.omitzero))
        field.proto_name = camel(name)
    field.proto_name = explicit.get("proto-name", field.proto_name)
    return field


FLAGS = {"omitzero": "omitzero", "union-member": "union_member", "discriminator": "discriminator",
         "published": "default_published"}


def parse_attribute(field, text, explicit, where):
    if text in FLAGS:
        setattr(field, FLAGS[text], True)
        return
    if text in ("required", "optional"):
        explicit["required"] = text == "required"
        return
    match = re.fullmatch(r"(enum|known)\((.*)\)", text)
    if match:
        setattr(field, match.group(1), choices(match.group(2)))
        return
    name, equals, rest = text.partition("=")
    if not equals:
        where.fail(f"unknown attribute {text}")
    argument = re.fullmatch(r"([\w,-]+)(?:\((.*)\))?", rest)
    if name == "list" and argument and argument.group(1) in ("atomic", "set", "map"):
        field.list_type = argument.group(1)
        field.list_keys = argument.group(2).split(",") if argument.group(2) else []
    elif name == "map" and rest in ("atomic", "granular"):
        field.map_type = rest
    elif name == "patch" and argument:
        field.patch_strategy, field.merge_key = argument.groups()
    elif name == "gate":
        field.gates = rest.split(",")
    elif name == "one-of":
        field.one_of = rest
    elif name == "proto-name":
        explicit["proto-name"] = rest
    elif name == "default":
        field.default = value(rest, where)
    elif name == "openapi-default":
        field.openapi_default = value(rest, where)
        field.openapi_declared = True
    else:
        where.fail(f"unknown attribute {text}")


# ---------------------------------------------------------------- files


class FileParser:
    """Reads one file into a GroupVersion; block by block, line by line."""

    def __init__(self, path, shown, gv_path):
        self.gv = GroupVersion(gv_path, shown)
        self.lines = logical_lines(path, shown)
        self.gv.about = leading_comment(path)
        self.at = 0

    def parse(self):
        while self.at < len(self.lines):
            where, indent, text = self.lines[self.at]
            self.at += 1
            if indent:
                where.fail("indented line outside a block")
            tokens = words(re.sub(r"\{\}?$", "", text), where)
            handler = getattr(self, "on_" + tokens[0].replace("-", "_"), None)
            if handler is None:
                where.fail(f"unknown statement {tokens[0]}")
            handler(tokens[1:], text, where)
        for name in ("version", "cls"):
            if not getattr(self.gv, name):
                Where(self.gv.file, 1).fail(f"no {name} line")
        return self.gv

    def body(self, text, where):
        """The member lines of the block whose head was just read."""
        if text.endswith("{}"):
            return
        if not text.endswith("{"):
            where.fail("expected { at the end of the line")
        while self.at < len(self.lines):
            inner, indent, line = self.lines[self.at]
            self.at += 1
            if line == "}" and indent == 0:
                return
            if indent == 0:
                inner.fail("expected } before this line")
            yield inner, line
        where.fail("block is not closed")

    def on_group(self, tokens, _, where):
        self.gv.group = "" if tokens == ['""'] else tokens[0]

    def on_version(self, tokens, _, where):
        self.gv.version = tokens[0]

    def on_class(self, tokens, _, where):
        if tokens[0] not in CLASSES:
            where.fail(f"unknown class {tokens[0]}")
        self.gv.cls = tokens[0]

    def on_proto(self, tokens, _, where):
        self.gv.proto = tokens[0]

    def on_openapi(self, tokens, _, where):
        self.gv.openapi = tokens[0]

    def on_unpublished(self, tokens, _, where):
        self.gv.unpublished = True

    def on_discovery(self, tokens, _, where):
        for token in tokens:
            name, _, rest = token.partition("=")
            if token == "preferred":
                self.gv.preferred = True
            elif token == "off-by-default":
                self.gv.enabled = False
            elif name in ("group-priority", "version-priority"):
                setattr(self.gv, name.replace("-", "_"), int(rest))
            else:
                where.fail(f"unknown word {token}")

    def on_alias(self, tokens, _, where):
        if len(tokens) != 3 or tokens[1] != "=":
            where.fail("expected: alias NAME = group/version.Message")
        self.gv.aliases[tokens[0]] = tokens[2]

    def on_note(self, tokens, _, where):
        self.gv.notes += tokens

    def on_register(self, tokens, _, where):
        self.gv.registers += [(tokens[0], kind) for kind in tokens[1:]]

    def new_message(self, tokens, where):
        if not tokens or not re.fullmatch(r"\w+", tokens[0]):
            where.fail("expected a message name")
        message = Message(tokens[0], self.gv, where, kind_name=tokens[0],
                          published=not self.gv.unpublished)
        if message.name in self.gv.messages:
            where.fail(f"{message.name} is declared twice")
        self.gv.messages[message.name] = message
        for token in tokens[1:]:
            name, _, rest = token.partition("=")
            if token == "unpublished":
                message.published = False
            elif token == "no-proto":
                message.no_proto = True
            elif name == "form" and rest in FORMS:
                message.form = rest
            elif name == "map":
                message.map_type = rest
            elif name == "openapi":
                kind, _, form = rest.partition("/")
                message.openapi_type = None if kind == "any" else kind
                message.openapi_format = form or None
            elif name == "same-as":
                message.same_as = rest
            elif name == "as":
                message.kind_name = rest
            else:
                where.fail(f"unknown word {token}")
        return message

    def on_type(self, tokens, text, where):
        self.fill(self.new_message(tokens, where), text, where)

    def on_kind(self, tokens, text, where):
        message = self.new_message(tokens, where)
        message.is_kind = True
        self.fill(message, text, where)

    def on_list(self, tokens, _, where):
        if len(tokens) < 3 or tokens[1] != "of":
            where.fail("expected: list NAME of KIND")
        message = self.new_message(tokens[:1] + tokens[3:], where)
        message.is_kind = message.is_list = True
        message.item = tokens[2]
        for line in ("metadata? 1 meta/v1.ListMeta", f"items 2 []{tokens[2]}"):
            message.fields.append(parse_field(line.split(), message, where))

    def fill(self, message, text, where):
        for inner, line in self.body(text, where):
            tokens = words(line, inner)
            if tokens[0] in ("union", "union:"):
                message.unions.append(parse_union(line, inner))
            elif tokens[0] == "default" and tokens[2:3] in (["="], ["from"], ["by-code"]):
                message.defaults.append(parse_default_rule(tokens, inner))
            else:
                message.fields.append(parse_field(tokens, message, inner))

    def on_resource(self, tokens, text, where):
        if len(tokens) != 4 or tokens[1] != "of" or tokens[3] not in ("namespaced", "cluster"):
            where.fail("expected: resource NAME of KIND namespaced|cluster {")
        resource = Resource(tokens[0], self.gv, tokens[2], tokens[3] == "namespaced", where)
        resource.singular = tokens[2].rpartition(".")[2].lower()
        if resource.name in self.gv.resources:
            where.fail(f"resource {resource.name} is declared twice")
        self.gv.resources[resource.name] = resource
        for inner, line in self.body(text, where):
            parse_resource_line(resource, words(line, inner), line, inner)

    def on_columns(self, tokens, text, where):
        if len(tokens) != 1:
            where.fail("expected: columns KIND {")
        columns = Columns(tokens[0], where)
        self.gv.columns[tokens[0]] = columns
        for inner, line in self.body(text, where):
            parse_column(columns, line, inner)


def leading_comment(path):
    out = []
    with open(path, encoding="utf-8") as source:
        for line in source:
            if not line.startswith("#"):
                break
            out.append(line.lstrip("# ").strip())
    return " ".join(out)


def parse_union(line, where):
    match = re.fullmatch(r"union(?: by (\w+))?: ([\w ]+)", line)
    if not match:
        where.fail("expected: union [by FIELD]: MEMBER...")
    return Union(match.group(1), match.group(2).split())


def parse_default_rule(tokens, where):
    """default PATH = VALUE | from PATH | by-code "note", then if(...) and gate=G."""
    if len(tokens) < 4:
        where.fail('expected: default PATH = VALUE, from PATH or by-code "note"')
    rule = DefaultRule(tokens[1], where)
    if tokens[2] == "=":
        rule.value = value(tokens[3], where)
    elif tokens[2] == "from":
        rule.source = tokens[3]
    else:
        rule.by_code, rule.note = True, json.loads(tokens[3])
    for token in tokens[4:]:
        if token.startswith("gate="):
            rule.gate = token[len("gate="):]
        elif token.startswith("if(") and token.endswith(")"):
            rule.conditions = [parse_condition(part) for part in token[3:-1].split(",")]
        else:
            where.fail(f"unknown word {token}")
    return rule


def parse_condition(text):
    path, equals, values = text.partition("=")
    return Condition(path.lstrip("!"), path.startswith("!"), values.split("|") if equals else [])


# ---------------------------------------------------------------- resources and columns


def parse_resource_line(resource, tokens, line, where):
    word, rest = tokens[0], tokens[1:]
    if word == "names":
        parse_names(resource, rest, where)
    elif word == "verbs":
        resource.verbs = parse_verbs(rest)
    elif word in ("hash", "gate", "since", "removed"):
        setattr(resource, word, rest[0])
    elif word == "sub":
        gates = [token[len("gate="):] for token in rest[2:] if token.startswith("gate=")]
        verbs = parse_verbs([token for token in rest[2:] if not token.startswith("gate=")])
        resource.subresources.append(
            Subresource(rest[0], rest[1], verbs, where, gates[0] if gates else None))
    elif word == "not-persisted":
        resource.persisted = False
    elif word == "immutable":
        resource.immutable += rest
    elif word == "immutable-by-code":
        resource.immutable_notes.append(json.loads(rest[0]))
    elif word == "name-format":
        resource.name_format = rest[0]
    elif word == "name-by-code":
        resource.name_note = json.loads(rest[0])
    elif word == "storage":
        resource.storage = parse_storage(resource, rest, where)
    elif word in ("reset", "keep-only", "on"):
        parse_storage_line(resource, word, line, where)
    elif word.startswith("select"):
        resource.selectors = resource.selectors or Selectors()
        parse_selector_line(resource.selectors, word, line, where)
    else:
        where.fail(f"unknown statement {word} in a resource")


def parse_verbs(tokens):
    return list(ALL_VERBS) if tokens == ["all"] else tokens


def parse_names(resource, tokens, where):
    for token in tokens:
        name, _, rest = token.partition("=")
        if name == "short":
            resource.short_names = rest.split(",")
        elif name == "categories":
            resource.categories = rest.split(",")
        elif name == "singular":
            resource.singular = rest
        else:
            where.fail(f"unknown word {token}")


STORAGE_FLAGS = {"create-on-update": ("create_on_update", True),
                 "no-unconditional-update": ("unconditional_update", False),
                 "returns-deleted": ("returns_deleted", True),
                 "graceful": ("graceful", True),
                 "no-watch-cache": ("watch_cache", False)}


def parse_storage(resource, tokens, where):
    storage = Storage(resource.name, "")
    for token in tokens:
        name, _, rest = token.partition("=")
        if token in STORAGE_FLAGS:
            setattr(storage, *STORAGE_FLAGS[token])
        elif name == "prefix":
            storage.prefix = rest
        elif name in ("stored", "media", "propagation"):
            setattr(storage, name, rest)
        elif name == "ttl":
            storage.ttl = int(rest)
        else:
            where.fail(f"unknown word {token}")
    return storage


def parse_storage_line(resource, word, line, where):
    match = re.fullmatch(r"(?:reset|keep-only|on)\s+(\w+):\s*(.+)", line)
    if not match or not resource.storage:
        where.fail(f"expected: {word} ENDPOINT: ..., after the storage line")
    endpoint, rest = match.groups()
    if word == "on":
        actions = [parse_action(token, where) for token in words(rest, where)]
        resource.storage.actions[endpoint] = actions
    else:
        table = resource.storage.reset if word == "reset" else resource.storage.keep_only
        table[endpoint] = rest.split()


def parse_action(token, where):
    match = re.fullmatch(r"(\w+)\((.*)\)", token)
    if not match or match.group(1) not in ACTIONS:
        where.fail(f"unknown action {token}")
    verb, text = match.groups()
    return Action(verb, json.loads(text) if verb == "code" else text)


def parse_selector_line(selectors, word, line, where):
    rest = line[len(word):].strip()
    name, equals, source = (part.strip() for part in rest.partition("="))
    if word == "select":
        selectors.labels += rest.split()
    elif word == "select-value" and equals:
        selectors.values[name] = source
    elif word == "select-alias" and equals:
        selectors.aliases[name] = source
    elif word == "select-trigger":
        selectors.triggers += rest.split()
    elif word == "select-index":
        selectors.indexers += rest.split()
    elif word == "select-index-if" and equals:
        selectors.indexers_if[name] = source
    else:
        where.fail(f"cannot read {word} line")


def parse_column(columns, line, where):
    """NAME TYPE [format=F] [wide] = CELL"""
    head, equals, cell = (part.strip() for part in line.partition(" = "))
    tokens = words(head, where)
    if equals and tokens == ["extra-cell"]:
        columns.extra_cell = cell
        return
    if not equals or len(tokens) < 2:
        where.fail("expected: NAME TYPE [format=F] [wide] = CELL")
    name = json.loads(tokens[0]) if tokens[0].startswith('"') else tokens[0]
    column = Column(name, tokens[1], "", 0, cell, where)
    for token in tokens[2:]:
        if token == "wide":
            column.priority = 1
        elif token.startswith("format="):
            column.format = token[len("format="):]
        else:
            where.fail(f"unknown word {token}")
    columns.columns.append(column)
