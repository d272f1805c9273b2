"""What codecs and views want to know of fields and messages, derived from the schema."""

import json

import model

FORM_TYPES = {  # forms that are scalars to the codecs
    "time": "kTime", "micro-time": "kMicroTime", "duration": "kDuration", "quantity": "kQuantity",
    "int-or-string": "kIntOrString", "raw-json": "kRawJson", "fields-v1": "kFieldsV1",
    "string-list": "kStringList", "unknown-envelope": "kUnknown",
}
FORM_MESSAGES = {
    None: "kPlain", "schema-or-array": "kSchemaOrArray", "schema-or-bool": "kSchemaOrBool",
    "schema-or-string-array": "kSchemaOrStringArray",
}
SCALAR_TYPES = {
    "string": "kString", "bool": "kBool", "int32": "kInt32", "int64": "kInt64",
    "uint32": "kUint32", "uint64": "kUint64", "double": "kDouble", "bytes": "kBytes",
    "any": "kAny",
}
ZERO_JSON = {  # what Go prints for the zero value of a type that omitempty cannot leave out
    "kTime": "null", "kMicroTime": "null", "kDuration": '"0s"', "kQuantity": '"0"',
    "kIntOrString": "0", "kRawJson": "null", "kFieldsV1": "null",
    "kUnknown": "null",
}
ZERO_SCALAR_JSON = {
    "kString": '""', "kBool": "false", "kInt32": "0", "kInt64": "0", "kUint32": "0",
    "kUint64": "0", "kDouble": "0", "kBytes": "null", "kStringList": "null", "kAny": "null",
}
ZERO_FORM_JSON = {"kSchemaOrArray": "null", "kSchemaOrBool": "false",
                  "kSchemaOrStringArray": "null"}
ZERO_PROTO = {
    "kTime": b"", "kMicroTime": b"", "kDuration": b"\x08\0", "kQuantity": b"\x0a\x010",
    "kIntOrString": b"\x08\0\x10\0\x1a\0", "kRawJson": b"", "kFieldsV1": b"",
    "kUnknown": b"\x0a\x04\x0a\0\x12\0\x1a\0\x22\0",
}
VARINT, FIXED64, LENGTH = 0, 1, 2
WIRE_TYPES = {"kBool": VARINT, "kInt32": VARINT, "kInt64": VARINT, "kUint32": VARINT,
              "kUint64": VARINT, "kDouble": FIXED64}
MAX_FIELDS = 256  # codecs keep one bit per field of a message on the stack


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


class Types:
    """What the codecs want to know of fields and messages, derived from the schema."""

    def __init__(self, schema):
        self.schema = schema
        self.flat_cache = {}

    def element(self, field):
        """(FieldType, message or None) of a field, a list's items or a map's values."""
        ref = field.type if field.type.container == "single" else field.type.element
        if ref.container == "list":
            if ref.element.name != "string":
                field.where.fail("lists of lists exist for strings only")
            return "kStringList", None
        if ref.container == "map":
            field.where.fail("maps of maps are not supported")
        if ref.message is None:
            return SCALAR_TYPES[ref.name], None
        message = self.schema.message(ref.message)
        if message.form in FORM_TYPES:
            return FORM_TYPES[message.form], None
        return "kMessage", message

    def form(self, message):
        return FORM_MESSAGES[message.form]

    def flattened(self, message):
        """The fields of the JSON form: kind and apiVersion first, inlined messages in place."""
        if message.key not in self.flat_cache:
            fields = type_meta(message) if message.is_kind else []
            for field in message.fields:
                if field.inline:
                    fields = fields + self.flattened(self.schema.message(field.type.message))
                else:
                    fields = fields + [field]
            names = [json_name(f) for f in fields]
            if len(set(names)) != len(names):
                message.where.fail(f"{message.name}: two fields have the same JSON name")
            if len(fields) > MAX_FIELDS:
                message.where.fail(f"{message.name}: more than {MAX_FIELDS} fields")
            self.flat_cache[message.key] = fields
        return self.flat_cache[message.key]

    def proto_fields(self, message):
        """(field, index of its first flattened field, inlined message or None) by tag."""
        out, at = [], 2 if message.is_kind else 0
        for field in message.fields:
            inlined = self.schema.message(field.type.message) if field.inline else None
            if field.tag is not None:
                out.append((field, at, inlined))
            at += len(self.flattened(inlined)) if inlined else 1
        return sorted(out, key=lambda entry: entry[0].tag)

    def zero_json(self, message):
        if message.form is not None:
            return ZERO_FORM_JSON[self.form(message)]
        members = []
        for field in self.flattened(message):
            text = self.zero_field_json(field)
            if text is not None:
                members.append(f"{json.dumps(json_name(field))}:{text}")
        return "{" + ",".join(members) + "}"

    def zero_field_json(self, field):
        """What an unset field prints; None when it is left out."""
        if field.omitzero:
            return None
        if field.pointer or field.type.container != "single":
            return None if field.omitempty else "null"
        kind, message = self.element(field)
        if kind == "kMessage":
            return self.zero_json(message)
        if kind in ZERO_JSON:
            return ZERO_JSON[kind]
        return None if field.omitempty else ZERO_SCALAR_JSON[kind]

    def zero_proto(self, message):
        out = b""
        for field, _, inlined in self.proto_fields(message):
            if field.pointer or field.type.container != "single":
                continue
            kind, element = self.element(field)
            if kind in ("kBytes", "kStringList"):
                continue
            out += varint(field.tag << 3 | WIRE_TYPES.get(kind, LENGTH))
            if kind == "kMessage":
                inner = self.zero_proto(inlined or element)
                out += varint(len(inner)) + inner
            elif kind in ZERO_PROTO:
                out += varint(len(ZERO_PROTO[kind])) + ZERO_PROTO[kind]
            else:
                out += bytes(8) if kind == "kDouble" else b"\0"
        return out


def type_meta(message):
    """kind and apiVersion, which every kind begins with and protobuf keeps in the envelope."""
    return [model.Field(name, None, model.TypeRef("string", "single", "string"), message.where,
                        omitempty=True) for name in ("kind", "apiVersion")]


def json_name(field):
    return field.proto_name if field.proto_only else field.name


def emitted(gv):
    """The messages that have a table: all but those that are scalars to the codecs."""
    return [m for m in gv.messages.values()
            if m.form not in FORM_TYPES and m.form in FORM_MESSAGES]
