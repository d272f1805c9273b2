"""What kubectl explain and OpenAPI say about the schema: reads api/<group>/<version>.doc.

    schema = model.load("api")
    descriptions = load("api", schema)
    text, fields = descriptions.of("apps/v1.Deployment")   # fields: JSON name -> text

api/README.md explains the form of the files. `like` is resolved here, and what follows by rule is
filled in: apiVersion, kind and metadata of kinds, lists and their items, messages declared with
`same-as`, members of inlined messages. A text in a file wins over the rule.

    python3 -B tools/schema/descriptions.py [--missing] [FILE...]

prints the faults of these files (all, if none is named) and ends with 1 if there are any. With
--missing it also names the group-versions that have no file yet.
"""

import os
import re
import sys

import model

MIN_WORDS = 3
MAX_CHARACTERS = 400
MAX_COLUMNS = 100
CONTINUATION = 6  # blanks before a line that goes on with the one above
STATEMENT = re.compile(r"([\w$-]+)(?: like ([\w.-]+/[\w-]+(?:\.\w+)?)$|:(?: (.*))?$)")
OBJECT_META, LIST_META = "meta/v1.ObjectMeta", "meta/v1.ListMeta"


class Entry:
    """One message as written in a file: its own text or the one it is like, and its fields."""

    def __init__(self, where, text="", like=""):
        self.where, self.text, self.like = where, text, like
        self.fields = {}  # name -> (Where, text)


class Faults:
    """What is wrong, as lines "file:line: ..." in the order found."""

    def __init__(self):
        self.lines = []

    def add(self, where, text):
        self.lines.append(f"{where.file}:{where.line}: {text}")


# ---------------------------------------------------------------- files


def statements(path, shown, faults):
    """(Where, indent, name, like, text) of each message and field, continuations joined."""
    out = []
    with open(path, encoding="utf-8") as source:
        for number, raw in enumerate(source, 1):
            line, where = raw.rstrip("\n"), model.Where(shown, number)
            body = line.strip()
            if len(line) > MAX_COLUMNS:
                faults.add(where, f"more than {MAX_COLUMNS} columns")
            if "\t" in line or line != line.rstrip():
                faults.add(where, "tab or trailing blank")
            if not body or body.startswith("#"):
                continue
            indent = len(line) - len(line.lstrip(" "))
            if indent >= CONTINUATION:
                if not out or out[-1][3]:
                    faults.add(where, "nothing to continue")
                else:
                    out[-1][4] = f"{out[-1][4]} {body}".strip()
                continue
            found = STATEMENT.match(body)
            if indent not in (0, 2) or not found or (indent and found.group(2)):
                faults.add(where, "expected: NAME: TEXT, NAME like GROUP/VERSION, or more text")
                continue
            name, like, text = found.groups(default="")
            out.append([where, indent, name, like, text.strip()])
    return out


def read(path, shown, faults):
    """Message name -> Entry of one file."""
    entries, current = {}, None
    for where, indent, name, like, text in statements(path, shown, faults):
        if indent == 0:
            current = Entry(where, text, like)
            if name in entries:
                faults.add(where, f"{name} is described twice")
            entries[name] = current
        elif current is None:
            faults.add(where, f"field {name} without a message")
        elif name in current.fields:
            faults.add(where, f"{name} is described twice")
        else:
            current.fields[name] = (where, text)
    return entries


def files(api_dir):
    """Paths "group/version" that have a .doc file, sorted."""
    return sorted(
        f"{group}/{name[:-4]}" for group in os.listdir(api_dir)
        if os.path.isdir(os.path.join(api_dir, group))
        for name in os.listdir(os.path.join(api_dir, group)) if name.endswith(".doc"))


# ---------------------------------------------------------------- what follows by rule


def json_fields(schema, message):
    """JSON name -> (Field, key of the inlined message it comes from, or '')."""
    out = {}
    for field in message.fields:
        if field.inline:
            for name, (inner, _) in json_fields(schema, schema.message(field.type.message)).items():
                out.setdefault(name, (inner, field.type.message))
        elif not field.proto_only:
            out[field.name] = (field, "")
    return out


def is_list(message):
    """A kind with the metadata of a list, and items."""
    metadata, items = message.field("metadata"), message.field("items")
    return bool(message.is_kind and metadata and metadata.type.message == LIST_META and items
                and items.type.container == "list")


def item_name(message):
    """What a list holds, in words."""
    key = message.field("items").type.leaf.message or ""
    return "objects of any kind" if key.endswith(".RawExtension") else \
        f"{key.rpartition('.')[2]} objects"


def rule_text(message):
    return f"A list of {item_name(message)}, as one request reads them." if is_list(message) else ""


def rule_fields(message):
    """Texts of the fields that mean the same wherever they occur."""
    out = {}
    if message.is_kind:
        example = "" if message.gv.cls == "common" else f": {message.gv.api_version}"
        out["apiVersion"] = f"Group and version of the schema that this document follows{example}."
        out["kind"] = f"Name of the kind that this document is of: {message.kind_name}."
        metadata = message.field("metadata")
        if metadata and metadata.type.message == OBJECT_META:
            out["metadata"] = ("Name, namespace, labels, owners and what else the server keeps "
                               "about any object.")
        elif metadata and metadata.type.message == LIST_META:
            out["metadata"] = ("State of the store that the answer shows, and how to read on if it "
                               "is just a part.")
    if is_list(message):
        out["items"] = f"The {item_name(message)} that were found."
    return out


# ---------------------------------------------------------------- all together


class Descriptions:
    """Texts of all messages; of() gives "" for what is not described."""

    def __init__(self, schema, entries):
        self.schema, self.entries = schema, entries  # entries: message key -> Entry
        self.resolved = {}

    def of(self, key):
        """(text, {JSON name: text}) of a message, `like` and rules applied."""
        return self.resolve(key, ())

    def target(self, key):
        """Key of the message that this one is like; ''."""
        entry = self.entries.get(key)
        if entry is None:
            return self.schema.message(key).same_as or ""
        if not entry.like:
            return ""
        name = key.rpartition(".")[2]
        whole = entry.like if "." in entry.like.rpartition("/")[2] else f"{entry.like}.{name}"
        found = self.schema.message(whole)
        return found.key if found else whole

    def resolve(self, key, path):
        if key in self.resolved:
            return self.resolved[key]
        message, entry = self.schema.message(key), self.entries.get(key)
        if message is None or key in path:  # faults of this sort are told by check()
            return "", {}
        known = json_fields(self.schema, message)
        text, fields = rule_text(message), {}  # the more special comes later and wins
        for name, (_, origin) in known.items():
            inlined = self.resolve(origin, path + (key,))[1].get(name) if origin else None
            if inlined:
                fields[name] = inlined
        target = self.target(key)
        if target:
            like_text, like_fields = self.resolve(target, path + (key,))
            text = text or like_text
            fields.update({name: t for name, t in like_fields.items() if name in known})
        fields.update(rule_fields(message))
        if entry:
            text = entry.text or text
            fields.update({name: t for name, (_, t) in entry.fields.items()})
        self.resolved[key] = (text, fields)
        return self.resolved[key]


def load(api_dir, schema, faults=None):
    """Descriptions of all .doc files below api_dir; faults of form go to `faults`."""
    faults = faults if faults is not None else Faults()
    entries = {}
    for path in files(api_dir):
        shown = f"api/{path}.doc"
        for name, entry in read(os.path.join(api_dir, f"{path}.doc"), shown, faults).items():
            if path not in schema.versions or name not in schema.versions[path].messages:
                faults.add(entry.where, f"no message {name} in {path}.api")
            else:
                entries[f"{path}.{name}"] = entry
    return Descriptions(schema, entries)


# ---------------------------------------------------------------- faults


def type_name(ref):
    """A type without its group, as several groups have the same type under one name."""
    if ref.element:
        return f"{ref.container} of {type_name(ref.element)}"
    return (ref.message or ref.name).rpartition(".")[2]


def check_text(text, name, where, faults):
    if len(text.split()) < MIN_WORDS:
        faults.add(where, f"{name}: fewer than {MIN_WORDS} words")
    if len(text) > MAX_CHARACTERS:
        faults.add(where, f"{name}: {len(text)} characters, at most {MAX_CHARACTERS}")
    if text and not text.endswith("."):
        faults.add(where, f"{name}: no full stop at the end")


def check_like(descriptions, key, entry, faults):
    """The message that this one is like exists, is described, and is not like this one."""
    seen, current = [key], descriptions.target(key)
    while current:
        if descriptions.schema.message(current) is None:
            return faults.add(entry.where, f"like {entry.like}: no message {current}")
        if current in seen:
            return faults.add(entry.where, f"like {entry.like}: goes round in a circle")
        seen.append(current)
        current = descriptions.target(current)
    if not descriptions.of(seen[-1])[0]:
        faults.add(entry.where, f"like {entry.like}: {seen[-1]} has no description")
    return None


def check_message(descriptions, key, faults):
    """One message that has an entry."""
    schema, entry = descriptions.schema, descriptions.entries[key]
    known = json_fields(schema, schema.message(key))
    name = key.rpartition(".")[2]
    if entry.like:
        check_like(descriptions, key, entry, faults)
    elif entry.text or not rule_text(schema.message(key)):
        check_text(entry.text, name, entry.where, faults)
    for field, (where, text) in entry.fields.items():
        message = schema.message(key)  # members of a form may be described, but need not be
        if not (field in known or message.field(field) or field in rule_fields(message)):
            faults.add(where, f"{name} has no field {field}")
        check_text(text, f"{name}.{field}", where, faults)


def check_complete(descriptions, path, faults):
    """Every message and field of a group-version has a text, written or by rule."""
    for name, message in descriptions.schema.versions[path].messages.items():
        key = f"{path}.{name}"
        entry = descriptions.entries.get(key)
        where = entry.where if entry else model.Where(f"api/{path}.doc", 1)
        text, fields = descriptions.of(key)
        if not text and not (entry and not entry.like):  # an empty text is told by check_text
            faults.add(where, f"{name} is missing")
        for field, (_, origin) in json_fields(descriptions.schema, message).items():
            if field not in fields and not origin:
                faults.add(where, f"{name}.{field} is missing")


def check_repeats(descriptions, faults):
    """A text that is told twice is wrong for one of the two, unless name and type agree.

    Messages are compared with messages, fields with fields.
    """
    first = {}  # (is a message, text) -> (name, type, where) that told it first
    for key, entry in descriptions.entries.items():
        known = json_fields(descriptions.schema, descriptions.schema.message(key))
        title = key.rpartition(".")[2]
        told = [(entry.text, title, "message", entry.where)] if entry.text else []
        told += [(text, name, type_name(known[name][0].type), where)
                 for name, (where, text) in entry.fields.items() if name in known]
        for text, name, kind, where in told:
            place = (kind == "message", " ".join(text.lower().split()))
            before = first.setdefault(place, (name, kind, where))
            if before[:2] != (name, kind):
                faults.add(where, f"{name}: the same text as {before[0]} in {before[2].file}:"
                                  f"{before[2].line}")


def check(api_dir, schema, paths=None):
    """Lines that tell the faults of these group-versions (all that have a file, if None)."""
    faults = Faults()
    descriptions = load(api_dir, schema, faults)
    for key in descriptions.entries:
        check_message(descriptions, key, faults)
    for path in files(api_dir):
        if path in schema.versions:
            check_complete(descriptions, path, faults)
    check_repeats(descriptions, faults)
    wanted = None if paths is None else {f"api/{path}.doc" for path in paths}
    return [line for line in faults.lines if wanted is None or line.split(":")[0] in wanted]


def main(arguments):
    api_dir = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "api")
    schema = model.load(api_dir)
    named = [argument for argument in arguments if argument != "--missing"]
    paths = ["/".join(os.path.abspath(name).split(os.sep)[-2:])[:-len(".doc")] for name in named]
    lines = check(api_dir, schema, paths or None)
    described = files(api_dir)
    for path in paths:
        if path not in described:
            lines.append(f"api/{path}.doc: no such file")
    if "--missing" in arguments:
        lines += [f"api/{path}.doc: no file" for path in schema.versions
                  if path not in described and path not in paths]
    for line in lines:
        print(line)
    print(f"{len(lines)} faults")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
