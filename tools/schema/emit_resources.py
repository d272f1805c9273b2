"""Writes the resource tables of src/object/resource.h from the schema.

    emit_resources.py API_DIR OUT_DIR

OUT_DIR gets resources.cc.
"""

import json
import os

import model
from cpp import (
    c_text, cpp_bool, identifier, message_symbol, run, string_view, write_if_changed)

DEFAULT_LABELS = ["metadata.name", "metadata.namespace"]


def json_text(value):
    return json.dumps(value, separators=(",", ":"))


def short(message_key):
    return message_key.rpartition(".")[2]


class ResourceWriter:
    """The one file of tables. Equal lists of strings are written once."""

    def __init__(self, schema):
        self.schema = schema
        self.lines = []
        self.arrays = {}
        self.messages = set()

    # ---------------------------------------------------------------- pieces

    def message(self, key):
        symbol = message_symbol(self.schema.message(key))
        self.messages.add(symbol)
        return f"&{symbol}"

    def array(self, kind, rows):
        """The name of a constant array; {} when it is empty."""
        if not rows:
            return "{}"
        key = (kind, tuple(rows))
        if key not in self.arrays:
            name = f"kResourceArray{len(self.arrays)}"
            self.arrays[key] = name
            self.lines += [f"static constexpr {kind} {name}[] = {{",
                           *(f"    {row}," for row in rows), "};"]
        return self.arrays[key]

    def strings(self, values):
        return self.array("std::string_view", [c_text(v) for v in values])

    def verbs(self, verbs, where):
        unknown = [v for v in verbs if v not in model.ALL_VERBS]
        if unknown or verbs != sorted(verbs):
            where.fail("verbs are those of all, in alphabetical order")
        return f"VerbSet({sum(1 << model.ALL_VERBS.index(v) for v in verbs)})"

    def endpoint_paths(self, table):
        return self.array("EndpointPaths", [f"{{{c_text(endpoint)}, {self.strings(paths)}}}"
                                            for endpoint, paths in table.items()])

    def actions(self, table):
        rows = []
        for event, actions in table.items():
            inner = self.array("ActionDesc", [
                f"{{ActionDesc::k{a.verb.capitalize()}, {c_text(a.text)}}}" for a in actions])
            rows.append(f"{{{c_text(event)}, {inner}}}")
        return self.array("EventActions", rows)

    # ---------------------------------------------------------------- hubs

    def storage(self, resource):
        storage = resource.storage
        if storage is None or not resource.persisted:
            return "nullptr"
        row = ", ".join([
            c_text(storage.prefix), self.message(storage.stored),
            f"StorageMedia::k{storage.media.capitalize()}",
            f"DeletePropagation::k{storage.propagation.capitalize()}",
            cpp_bool(storage.create_on_update), cpp_bool(storage.unconditional_update),
            cpp_bool(storage.returns_deleted), cpp_bool(storage.graceful),
            cpp_bool(storage.watch_cache), str(storage.ttl or 0),
            self.endpoint_paths(storage.reset), self.endpoint_paths(storage.keep_only),
            self.actions(storage.actions)])
        symbol = f"kStorage_{self.symbol(resource)}"
        self.lines.append(f"static constexpr StorageDesc {symbol} = {{{row}}};")
        return f"&{symbol}"

    def selectable(self, resource):
        selectors = resource.selectors or model.Selectors()
        labels = selectors.labels or DEFAULT_LABELS
        for label in [*selectors.triggers, *selectors.indexers, *selectors.indexers_if,
                      *selectors.values]:
            if label not in labels:
                resource.where.fail(f"{label} is not among the labels of select")
        return self.array("SelectableField", [
            f"{{{c_text(label)}, {string_view(selectors.values.get(label, ''))}, "
            f"{cpp_bool(label in selectors.triggers)}, {cpp_bool(label in selectors.indexers)}, "
            f"{string_view(selectors.indexers_if.get(label, ''))}}}" for label in labels])

    def columns_of(self, resource):
        """The columns of the preferred version's kind, or else those of the stored kind."""
        keys = [resource.kind] + ([resource.storage.stored] if resource.storage else [])
        for key in keys:
            gv = self.schema.message(key).gv
            if short(key) in gv.columns:
                return f"&kAllColumns[{self.column_order.index(key)}]"
        return "nullptr"

    def hub(self, resource):
        aliases = resource.selectors.aliases if resource.selectors else {}
        row = ", ".join([
            self.resource_reference(resource), self.storage(resource), self.selectable(resource),
            self.array("FieldAlias", [f"{{{c_text(a)}, {c_text(b)}}}" for a, b in aliases.items()]),
            string_view(resource.name_format or ""), string_view(resource.name_note),
            self.strings(resource.immutable), self.strings(resource.immutable_notes),
            self.columns_of(resource)])
        self.lines.append(f"static constexpr ResourceHub {self.hub_symbol(resource)} = {{{row}}};")

    # ---------------------------------------------------------------- resources

    def symbol(self, resource):
        return f"{identifier(resource.gv.path)}_{resource.name}"

    def hub_symbol(self, resource):
        return f"kHub_{identifier(resource.gv.group)}_{resource.name}"

    def resource_reference(self, resource):
        index = sorted(resource.gv.resources).index(resource.name)
        return f"&ResourceTables::kResources_{identifier(resource.gv.path)}[{index}]"

    def resource(self, resource, index):
        kind = self.schema.message(resource.kind)
        lists = [m.key for m in resource.gv.messages.values() if m.item == resource.kind]
        subresources = self.array("SubresourceDesc", [
            f"{{{c_text(sub.name)}, {self.message(sub.kind)}, {self.verbs(sub.verbs, sub.where)}, "
            f"{string_view(sub.gate or '')}}}"
            for sub in sorted(resource.subresources, key=lambda sub: sub.name)])
        return "{" + ", ".join([
            c_text(resource.name), c_text(resource.singular), f"&kServed[{index}]",
            self.message(resource.kind), c_text(kind.kind_name),
            self.message(lists[0]) if lists else "nullptr", f"&{self.hub_symbol(resource)}",
            self.strings(resource.short_names), self.strings(resource.categories), subresources,
            string_view(resource.hash or ""), string_view(resource.gate or ""),
            string_view(resource.since or ""), string_view(resource.removed or ""),
            self.verbs(resource.verbs, resource.where), cpp_bool(resource.namespaced)]) + "}"

    def group_version(self, gv):
        return "{" + ", ".join([
            f"&kGroupVersion_{identifier(gv.path)}", cpp_bool(gv.preferred), cpp_bool(gv.enabled),
            str(gv.group_priority or 0), str(gv.version_priority or 0),
            f"ResourceTables::kResources_{identifier(gv.path)}" if gv.resources else "{}"]) + "}"

    # ---------------------------------------------------------------- columns and defaults

    def columns(self):
        rows = []
        for key in self.column_order:
            columns = self.schema.message(key).gv.columns[short(key)]
            cells = self.array("ColumnDesc", [
                f"{{{c_text(c.name)}, {c_text(c.type)}, {string_view(c.format)}, "
                f"{c_text(c.cell)}, {c.priority}}}" for c in columns.columns])
            rows.append(f"    {{{self.message(key)}, {cells}, "
                        f"{string_view(columns.extra_cell or '')}}},")
        self.lines += ["static constexpr ColumnsDesc kAllColumns[] = {", *rows, "};"]

    def rule(self, rule):
        conditions = self.array("ConditionDesc", [
            f"{{{c_text(c.path)}, {cpp_bool(c.negated)}, {self.strings(c.values)}}}"
            for c in rule.conditions])
        value = "" if rule.value is model.ABSENT else json_text(rule.value)
        return (f"{{{c_text(rule.path)}, {string_view(value)}, {string_view(rule.source or '')}, "
                f"{string_view(rule.note)}, {string_view(rule.gate or '')}, {conditions}}}")

    def defaults(self):
        messages = sorted((m for m in self.schema.messages() if m.defaults),
                          key=lambda m: (m.gv.path, m.name))
        rows = [f"    {{{self.message(m.key)}, "
                f"{self.array('DefaultRuleDesc', [self.rule(r) for r in m.defaults])}}},"
                for m in messages]
        self.lines += ["static constexpr DefaultsDesc kAllDefaults[] = {", *rows, "};"]

    # ---------------------------------------------------------------- the file

    def write(self):
        served = self.schema.served()
        with_resources = [gv for gv in served if gv.resources]
        self.column_order = [columns.kind for gv in sorted(self.schema.versions.values(),
                                                           key=lambda gv: gv.path)
                             for _, columns in sorted(gv.columns.items())]
        self.columns()
        self.defaults()
        tables = []
        for gv in with_resources:
            for resource in gv.resources.values():
                if self.schema.hub(gv.group, resource.name) is resource:
                    self.hub(resource)
        for index, gv in enumerate(served):
            if gv.resources:
                rows = [self.resource(r, index) for _, r in sorted(gv.resources.items())]
                tables += [f"constinit const ResourceDesc ResourceTables::"
                           f"kResources_{identifier(gv.path)}[] = {{",
                           *(f"    {row}," for row in rows), "};"]
        versions = [f"    {self.group_version(gv)}," for gv in served]
        head = [
            "// Generated from api/ by tools/schema/emit_resources.py.",
            '#include "object/resource.h"', "", "namespace skiff::api {", "",
            "using namespace object;", "",
            *(f"extern const MessageDesc {name};" for name in sorted(self.messages)),
            *(f"extern const GroupVersionDesc kGroupVersion_{identifier(gv.path)};"
              for gv in served), "",
            "// Hubs and resources point at each other: the arrays are declared first.",
            "struct ResourceTables {",
            *(f"  static const ResourceDesc kResources_{identifier(gv.path)}"
              f"[{len(gv.resources)}];" for gv in with_resources), "};",
            f"extern const GroupVersionInfo kServed[{len(served)}];", ""]
        return "\n".join([
            *head, *self.lines, "", *tables,
            f"constinit const GroupVersionInfo kServed[{len(served)}] = {{", *versions, "};", "",
            "}  // namespace skiff::api", "", "namespace skiff::object {", "",
            "std::span<const GroupVersionInfo> ServedGroupVersions() { return api::kServed; }",
            "std::span<const ColumnsDesc> AllColumns() { return api::kAllColumns; }",
            "std::span<const DefaultsDesc> AllDefaults() { return api::kAllDefaults; }",
            "", "}  // namespace skiff::object", ""])


def main(api_dir, out_dir):
    text = ResourceWriter(model.load(api_dir)).write()
    write_if_changed(os.path.join(out_dir, "resources.cc"), text)


if __name__ == "__main__":
    run(main)
