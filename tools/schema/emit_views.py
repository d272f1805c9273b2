"""Writes the typed views of src/object/view.h from the schema.

    emit_views.py API_DIR OUT_DIR

OUT_DIR gets one header per schema file, under the same path: core/v1.api -> core/v1.h. A header
includes those of the group-versions whose messages its own fields have, and no more.
"""

import os
import re

import model
from cpp import c_text, identifier, message_symbol, run, write_if_changed
from wire import Types, emitted, json_name

KEYWORDS = set("""
alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept
const continue co_await co_return co_yield decltype default delete do double else enum explicit
export extern false float for friend goto if inline int long mutable namespace new noexcept not
not_eq nullptr operator or or_eq private protected public register requires return short signed
sizeof static struct switch template this throw true try typedef typeid typename union unsigned
using virtual void volatile wchar_t while xor xor_eq
""".split())
WORD = re.compile(
    r"[A-Z]+(?=V\d)|V\d+|[A-Z]{2,}s(?![a-z])|[A-Z]+\d*(?![a-z])|[A-Z]?[a-z0-9]+")
SCALARS = {  # FieldType -> C++ type, reader of View, writer of MutableView
    "kString": ("std::string_view", "Text", "Text"),
    "kBytes": ("std::string_view", "Text", "Text"),
    "kBool": ("bool", "Bool", "Bool"),
    "kInt32": ("int32_t", "Int32", "Int"),
    "kInt64": ("int64_t", "Int", "Int"),
    "kUint32": ("int64_t", "Int", "Int"),
    "kUint64": ("uint64_t", "Uint", "Uint"),
    "kDouble": ("double", "Double", "Double"),
    "kTime": ("object::Timestamp", "Time", "Time"),
    "kMicroTime": ("object::Timestamp", "Time", "Time"),
    "kDuration": ("int64_t", "Int", "Int"),
    "kQuantity": ("std::string_view", "Quantity", "Text"),
    "kIntOrString": ("object::IntOrStringValue", "IntOrString", "Int"),
    "kRawJson": ("std::string_view", "Text", "Text"),
    "kFieldsV1": ("std::string_view", "Text", "Text"),
    "kUnknown": ("std::string_view", "Text", "Text"),
}
RAW = {"kRawJson", "kFieldsV1", "kUnknown"}  # no text is empty, so none needs an optional
VALUES = {  # rare in lists and maps
    "kBool": "object::Value::Bool(v)", "kTime": "object::Value::Time(v)"}


def words(name):
    return WORD.findall(name)


def method(name):
    """nodeName -> node_name, podIPs -> pod_ips."""
    return "_".join(word.lower() for word in words(name))


def plain(name):
    """A method that stands alone, which may be a C++ keyword: template -> template_."""
    return name + "_" if name in KEYWORDS else name


def constant(name):
    return "k" + "".join(word[:1].upper() + word[1:] for word in words(name))


def namespace(gv):
    return identifier(gv.path)


class ViewWriter:
    """The header of one schema file."""

    def __init__(self, gv, types):
        self.gv = gv
        self.types = types
        self.includes = set()
        self.lines = []

    def viewed(self, field):
        """(FieldType, message): messages with a form of their own are seen as bare values."""
        kind, message = self.types.element(field)
        if message is not None and message.form is not None:
            return "kAny", None
        return kind, message

    def type_name(self, message, prefix=""):
        name = prefix + message.name
        if message.gv is self.gv:
            return name
        self.includes.add(message.gv.path)
        return f"{namespace(message.gv)}::{name}"

    def element_type(self, kind, message):
        if kind == "kMessage":
            return self.type_name(message)
        if kind == "kStringList":
            return "object::ListView<std::string_view>"
        return "const object::Value*" if kind == "kAny" else SCALARS[kind][0]

    # ---------------------------------------------------------------- reading

    def getter(self, field):
        kind, message = self.viewed(field)
        name, index = json_name(field), constant(json_name(field))
        call = plain(method(name))
        element = self.element_type(kind, message)
        container = field.type.container
        if container != "single":
            view = f"object::{container.capitalize()}View<{element}>"
            yield f"{view} {call}() const {{ return {view}(Get({index})); }}"
        elif kind == "kMessage":
            yield f"{element} {call}() const {{ return {element}(Get({index})); }}"
        elif kind == "kStringList":
            yield f"{element} {call}() const {{ return {element}(Get({index})); }}"
        elif kind == "kAny":
            yield f"{element} {call}() const {{ return Get({index}); }}"
        elif field.pointer and kind not in RAW:
            reader = "Text" if kind == "kQuantity" else SCALARS[kind][1]
            yield (f"std::optional<{element}> {call}() const "
                   f"{{ return Optional{reader}({index}); }}")
            return
        else:
            yield f"{element} {call}() const {{ return {SCALARS[kind][1]}({index}); }}"
        if field.pointer or (kind == "kMessage" and container == "single"):
            yield f"bool has_{method(name)}() const {{ return Has({index}); }}"

    def reader(self, message, fields):
        name = message.name
        yield f"class {name} : public object::View {{"
        yield " public:"
        constants = [constant(json_name(f)) for f in fields]
        if constants:
            yield f"  enum Field : uint16_t {{ {', '.join(constants)} }};"
        yield "  using View::View;"
        if message.is_kind:
            yield f"  explicit {name}(const object::Document& d) : View(d, Type()) {{}}"
            yield (f"  static object::Document New() {{ return object::NewDocument(Type(), "
                   f"{c_text(message.kind_name)}); }}")
        yield (f"  static const object::MessageDesc* Type() "
               f"{{ return &api::{message_symbol(message)}; }}")
        for field in fields:
            for line in self.getter(field):
                yield f"  {line}"
        yield "};"

    # ---------------------------------------------------------------- writing

    def single_setters(self, field, name, at):
        kind, message = self.viewed(field)
        if kind == "kMessage":
            twin = self.type_name(message, "Mutable")
            yield (f"void set_{name}(const {self.type_name(message)}& v) "
                   f"{{ SetMessage({at}, v); }}")
            yield f"{twin} mutable_{name}() {{ return {twin}(Message({at})); }}"
        elif kind == "kAny":
            yield f"void set_{name}(const object::Value& v) {{ SetCopy({at}, v); }}"
        elif kind == "kStringList":
            yield f"void add_{name}(std::string_view v) {{ AddText({at}, v); }}"
        elif kind == "kIntOrString":
            yield f"void set_{name}(int32_t v) {{ SetInt({at}, v); }}"
            yield f"void set_{name}(std::string_view v) {{ SetText({at}, v); }}"
        else:
            yield f"void set_{name}({SCALARS[kind][0]} v) {{ Set{SCALARS[kind][2]}({at}, v); }}"

    def list_setters(self, field, name, at):
        kind, message = self.viewed(field)
        if kind == "kMessage":
            twin = self.type_name(message, "Mutable")
            yield f"{twin} add_{name}() {{ return {twin}(AddMessage({at})); }}"
            yield (f"void add_{name}(const {self.type_name(message)}& v) "
                   f"{{ AddCopy({at}, *v.AsValue()); }}")
            yield f"{twin} mutable_{name}(size_t i) {{ return {twin}(Item({at}, i)); }}"
        elif kind == "kAny":
            yield f"void add_{name}(const object::Value& v) {{ AddCopy({at}, v); }}"
        elif kind in VALUES:
            yield (f"void add_{name}({SCALARS[kind][0]} v) "
                   f"{{ AddCopy({at}, {VALUES[kind]}); }}")
        else:
            yield f"void add_{name}({SCALARS[kind][0]} v) {{ Add{SCALARS[kind][2]}({at}, v); }}"
        yield f"void erase_{name}(size_t i) {{ EraseItem({at}, i); }}"

    def map_setters(self, field, name, at):
        kind, message = self.viewed(field)
        key = "std::string_view key"
        if kind == "kMessage":
            twin = self.type_name(message, "Mutable")
            yield f"{twin} mutable_{name}({key}) {{ return {twin}(Entry({at}, key)); }}"
        elif kind == "kStringList":
            yield (f"void add_{name}({key}, std::string_view v) "
                   f"{{ PutListItem({at}, key, v); }}")
        elif kind == "kAny":
            yield f"void put_{name}({key}, const object::Value& v) {{ PutCopy({at}, key, v); }}"
        elif kind in VALUES:
            yield (f"void put_{name}({key}, {SCALARS[kind][0]} v) "
                   f"{{ PutCopy({at}, key, {VALUES[kind]}); }}")
        else:
            yield (f"void put_{name}({key}, {SCALARS[kind][0]} v) "
                   f"{{ Put{SCALARS[kind][2]}({at}, key, v); }}")
        yield f"void erase_{name}({key}) {{ EraseEntry({at}, key); }}"

    def writer(self, message, fields):
        name = f"Mutable{message.name}"
        yield f"class {name} : public object::MutableView {{"
        yield f"  using F = {message.name};"
        yield ""
        yield " public:"
        yield "  using MutableView::MutableView;"
        if message.is_kind:
            yield f"  explicit {name}(object::Document& d) : MutableView(d, F::Type()) {{}}"
        yield "  F Read() const { return F(&AsValue()); }"
        setters = {"single": self.single_setters, "list": self.list_setters,
                   "map": self.map_setters}
        for field in fields:
            at = f"F::{constant(json_name(field))}"
            called = method(json_name(field))
            for line in setters[field.type.container](field, called, at):
                yield f"  {line}"
            yield f"  void clear_{called}() {{ Clear({at}); }}"
        yield "};"

    # ---------------------------------------------------------------- the file

    def ordered(self, messages):
        """Messages after those that their fields have, so that bodies can stand in classes."""
        out, state = [], {}

        def visit(message):
            if state.get(message.key) == "done" or message.gv is not self.gv:
                return
            if message.key in state:
                message.where.fail(f"{message.name} contains itself by way of other messages")
            state[message.key] = "open"
            for field in self.types.flattened(message):
                kind, inner = self.viewed(field)
                if kind == "kMessage" and inner is not message:
                    visit(inner)
            state[message.key] = "done"
            out.append(message)

        for message in messages:
            visit(message)
        return out

    def check_names(self, message, lines):
        names = re.findall(r"(\w+)\([^()]*\) (?:const )?\{", "\n".join(lines))
        overloads = {n for n in names if n.startswith(("set_", "add_"))}
        for name in names:
            if names.count(name) > 1 and name not in overloads:
                message.where.fail(f"{message.name}: two accessors are called {name}")

    def write(self):
        messages = [m for m in emitted(self.gv) if m.form is None]
        for message in self.ordered(messages):
            fields = self.types.flattened(message)
            for part in (self.reader, self.writer):
                lines = list(part(message, fields))
                self.check_names(message, lines)
                self.lines += lines
            self.lines.append("")
        space = f"skiff::views::{namespace(self.gv)}"
        return "\n".join([
            f"// Generated from {self.gv.file} by tools/schema/emit_views.py.",
            "#pragma once", "",
            '#include "object/view.h"',
            *(f'#include "views/{path}.h"' for path in sorted(self.includes)), "",
            "namespace skiff::api {",
            *(f"extern const object::MessageDesc {message_symbol(m)};" for m in messages),
            "}  // namespace skiff::api", "",
            f"namespace {space} {{", "",
            *(f"class {m.name};" for m in messages), "",
            *self.lines,
            f"}}  // namespace {space}", ""])


def main(api_dir, out_dir):
    schema = model.load(api_dir)
    types = Types(schema)
    for gv in schema.versions.values():
        path = os.path.join(out_dir, gv.path + ".h")
        write_if_changed(path, ViewWriter(gv, types).write())


if __name__ == "__main__":
    run(main)
