"""What the schema consists of: one dataclass for each thing a file in api/ can say.

Readers come here through model.py. Keys of messages are "group/version.Message", with the
directory and file name as group and version: "core/v1.Pod", "meta/v1.ObjectMeta".
"""

from dataclasses import dataclass, field as datafield

SCALARS = {  # scalar type -> protobuf wire type (None: never in protobuf)
    "string": "string", "bool": "bool", "int32": "int32", "int64": "int64",
    "uint32": None, "uint64": None,
    "double": "double", "bytes": "bytes", "any": None,
}
OPENAPI_FORMATS = {"int32": "int32", "int64": "int64", "double": "double", "bytes": "byte"}
ZERO_DEFAULTS = {"string": "", "bool": False, "int32": 0, "int64": 0, "double": 0}
WELL_KNOWN = {  # short names usable in every file, unless the file declares the same name itself
    "Time": "meta/v1.Time", "MicroTime": "meta/v1.MicroTime", "Duration": "meta/v1.Duration",
    "FieldsV1": "meta/v1.FieldsV1", "Quantity": "common/quantity.Quantity",
    "IntOrString": "common/intstr.IntOrString", "RawExtension": "common/runtime.RawExtension",
}
ACTIONS = {"clear", "keep", "set", "bump", "generation", "code"}
FORMS = {
    "time", "micro-time", "timestamp", "duration", "quantity", "int-or-string", "raw-json",
    "fields-v1", "string-list", "schema-or-array", "schema-or-bool", "schema-or-string-array",
    "unknown-envelope",
}
CLASSES = {"served", "common", "webhook", "aggregated", "config", "legacy"}
ALL_VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
ABSENT = object()  # "no default", since None, "" and 0 are all possible values


class SchemaError(Exception):
    """Bad input; the text begins with file:line."""


@dataclass(frozen=True)
class Where:
    """A place in a schema file, for error messages."""
    file: str
    line: int

    def fail(self, text):
        raise SchemaError(f"{self.file}:{self.line}: {text}")


@dataclass
class TypeRef:
    """A type as written: container of element, or a single scalar or message."""
    text: str                       # as written, without the pointer star
    container: str                  # 'single' | 'list' | 'map' (keys are always strings)
    name: str                       # single: scalar name or message name as written; else ''
    element: "TypeRef | None" = None   # of a list or map; may itself be a list
    message: str | None = None      # resolved key "group/version.Message"; None for a scalar

    @property
    def leaf(self):
        """The innermost single type."""
        return self.element.leaf if self.element else self


@dataclass
class Field:
    """One member of a message. `name` is the JSON name ('' when inline)."""
    name: str
    tag: int | None
    type: TypeRef
    where: Where
    pointer: bool = False
    omitempty: bool = False
    omitzero: bool = False
    required: bool = False          # in OpenAPI
    inline: bool = False            # JSON: members appear in place; protobuf: a nested message
    proto_only: bool = False        # member of a type with a form: no JSON member of its own
    proto_name: str = ""
    proto_wire: str | None = None   # 'string', 'message', 'repeated int32', 'map<string,message>'
    list_type: str | None = None    # atomic | set | map
    list_keys: list[str] = datafield(default_factory=list)
    map_type: str | None = None     # atomic | granular
    patch_strategy: str | None = None
    merge_key: str | None = None
    enum: list[str] | None = None   # closed set, published
    known: list[str] | None = None  # constants of an open set
    gates: list[str] = datafield(default_factory=list)
    one_of: str | None = None
    union_member: bool = False
    discriminator: bool = False
    default: object = ABSENT        # applied when the value is unset
    default_published: bool = False # the default is in OpenAPI too
    openapi_declared: bool = False  # OpenAPI shows a declared default, not just a zero value
    openapi_default: object = ABSENT       # what OpenAPI shows, zero values included
    openapi_item_default: object = ABSENT  # the same for list items and map values
    openapi_format: str | None = None


@dataclass
class Condition:
    """Part of if(...): a path that must be set, must not be, or must have one of some values."""
    path: str
    negated: bool = False
    values: list[str] = datafield(default_factory=list)


@dataclass
class DefaultRule:
    """A default that is more than the constant of one field; rules apply in order, if unset."""
    path: str                       # below the message; [*] is every item, [r] every key
    where: Where
    value: object = ABSENT          # a constant; missing parents are created
    source: str | None = None       # or a copy of the value at this path
    by_code: bool = False           # or computed: note says what and when
    note: str = ""
    conditions: list[Condition] = datafield(default_factory=list)  # all must hold
    gate: str | None = None


@dataclass
class Union:
    discriminator: str | None
    members: list[str]


@dataclass
class Message:
    name: str
    gv: "GroupVersion"
    where: Where
    fields: list[Field] = datafield(default_factory=list)
    is_kind: bool = False           # top level: has apiVersion and kind, printed first
    is_list: bool = False           # declared with the `list` shorthand
    item: str | None = None         # of a list kind: the kind of its items
    kind_name: str = ""             # the kind as clients write it (differs rarely from name)
    form: str | None = None         # special JSON form
    map_type: str | None = None     # atomic: server-side apply treats it as one value
    openapi_type: object = ABSENT   # published under this type; None: no type at all
    openapi_format: str | None = None
    published: bool = True          # appears in OpenAPI
    no_proto: bool = False
    same_as: str | None = None      # key of the message this one is another name of
    unions: list[Union] = datafield(default_factory=list)
    defaults: list[DefaultRule] = datafield(default_factory=list)

    @property
    def key(self):
        return f"{self.gv.path}.{self.name}"

    def field(self, name):
        return next((f for f in self.fields if f.name == name and not f.inline), None)


@dataclass
class Subresource:
    name: str
    kind: str                       # message key
    verbs: list[str]
    where: Where
    gate: str | None = None


@dataclass
class Action:
    """What the server does to an object on the way in: clear, keep, set, bump, generation, code."""
    verb: str
    text: str                       # what stands between the brackets

    @property
    def paths(self):
        return self.text.split(",")


@dataclass
class Storage:
    """How a resource is kept; one per group and resource."""
    prefix: str                     # below /registry, e.g. "pods" or "services/specs"
    stored: str                     # message key of the version written to the store
    media: str = "protobuf"
    create_on_update: bool = False
    unconditional_update: bool = True
    returns_deleted: bool = False   # an immediate delete answers with the object, not a Status
    graceful: bool = False
    propagation: str = "Background"
    ttl: int | None = None
    watch_cache: bool = True
    reset: dict[str, list[str]] = datafield(default_factory=dict)      # endpoint -> paths
    keep_only: dict[str, list[str]] = datafield(default_factory=dict)  # endpoint -> paths
    actions: dict[str, list[Action]] = datafield(default_factory=dict)  # by endpoint or event


@dataclass
class Selectors:
    labels: list[str] = datafield(default_factory=list)
    values: dict[str, str] = datafield(default_factory=dict)   # label -> where its value comes from
    aliases: dict[str, str] = datafield(default_factory=dict)  # accepted label -> label
    triggers: list[str] = datafield(default_factory=list)
    indexers: list[str] = datafield(default_factory=list)
    indexers_if: dict[str, str] = datafield(default_factory=dict)  # label -> condition, in words


@dataclass
class Resource:
    name: str
    gv: "GroupVersion"
    kind: str                       # message key
    namespaced: bool
    where: Where
    singular: str = ""
    short_names: list[str] = datafield(default_factory=list)
    categories: list[str] = datafield(default_factory=list)
    verbs: list[str] = datafield(default_factory=list)
    hash: str | None = None
    gate: str | None = None
    since: str | None = None        # first release that serves this version
    removed: str | None = None      # release in which this version goes away
    subresources: list[Subresource] = datafield(default_factory=list)
    persisted: bool = True
    # What follows stands only in the preferred version of the resource (Schema.hub finds it).
    storage: Storage | None = None
    name_format: str | None = None      # pattern of metadata.name, e.g. dns1123Subdomain
    name_note: str = ""                 # or, in words, a rule that code follows
    immutable: list[str] = datafield(default_factory=list)        # paths no update may change
    immutable_notes: list[str] = datafield(default_factory=list)  # the same with exceptions
    selectors: Selectors | None = None  # None: metadata.name and metadata.namespace


@dataclass
class Column:
    name: str
    type: str
    format: str
    priority: int
    cell: str
    where: Where


@dataclass
class Columns:
    kind: str                       # message key
    where: Where
    columns: list[Column] = datafield(default_factory=list)
    extra_cell: str | None = None   # a cell that rows carry beyond the declared columns


@dataclass
class GroupVersion:
    path: str                       # "apps/v1": directory and file stem; the name of references
    file: str
    group: str = ""
    version: str = ""
    cls: str = ""
    proto: str | None = None
    openapi: str | None = None
    unpublished: bool = False       # nothing of this file is in OpenAPI
    preferred: bool = False
    enabled: bool = True            # served by default
    group_priority: int | None = None
    version_priority: int | None = None
    about: str = ""
    messages: dict[str, Message] = datafield(default_factory=dict)
    aliases: dict[str, str] = datafield(default_factory=dict)      # name -> message key
    resources: dict[str, Resource] = datafield(default_factory=dict)
    columns: dict[str, Columns] = datafield(default_factory=dict)  # by kind name
    notes: list[str] = datafield(default_factory=list)  # names of rules that code follows
    registers: list[tuple[str, str]] = datafield(default_factory=list)  # (api version, kind)

    @property
    def api_version(self):
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def kinds(self):
        return [m for m in self.messages.values() if m.is_kind]


@dataclass
class Schema:
    versions: dict[str, GroupVersion] = datafield(default_factory=dict)

    def message(self, key):
        """The message of a key such as "core/v1.Pod"; aliases are followed. None if unknown."""
        path, _, name = key.rpartition(".")
        gv = self.versions.get(path)
        if gv is None:
            return None
        if name in gv.aliases:
            return self.message(gv.aliases[name])
        return gv.messages.get(name)

    def messages(self):
        for gv in self.versions.values():
            yield from gv.messages.values()

    def resources(self):
        for gv in self.versions.values():
            yield from gv.resources.values()

    def served(self):
        """Served group-versions in discovery order: groups by priority, versions by priority."""
        served = [gv for gv in self.versions.values() if gv.cls == "served"]
        return sorted(served, key=lambda gv: (
            gv.group != "", -(gv.group_priority or 10**9), gv.group, -(gv.version_priority or 0)))

    def hub(self, group, resource):
        """The Resource that holds storage, names, immutability and selectors for all versions."""
        return next((gv.resources[resource] for gv in self.served()
                     if gv.group == group and resource in gv.resources), None)

    def find_kind(self, api_version, kind):
        """The message behind apiVersion and kind in a document, or None.

        A kind of the group-version itself wins, then an alias, then what meta/v1 registers under
        other versions (Status in v1; DeleteOptions and the like everywhere).
        """
        found = None
        for gv in self.versions.values():
            if gv.api_version != api_version or (gv.cls == "common" and not gv.group):
                continue
            for m in gv.messages.values():
                if m.is_kind and m.kind_name == kind:
                    return m
            if kind in gv.aliases:
                return self.message(gv.aliases[kind])
            found = found or gv
        for gv in self.versions.values():
            for target, name in gv.registers:
                if name == kind and (target == api_version or target == "every" and found):
                    return gv.messages[name]
        return None
