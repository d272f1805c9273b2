#include "object/json/encode.h"

#include <cstring>
#include <utility>

#include "object/json/scalar.h"
#include "object/json/text.h"
#include "object/scalar/base64.h"
#include "object/scalar/duration.h"
#include "object/unset.h"

namespace skiff::object {
namespace {

void AppendKey(ByteBuffer& out, const FieldDesc& field) {
  const std::string_view key = field.key_text();
  char* to = out.Reserve(key.size() + kKeyPadding);
  std::memcpy(to, key.data(), key.size());
  out.CommitTo(to + key.size());
}

void EncodeValue(const Value& value, ByteBuffer& out);

// Members are written with a leading comma each; the first one then becomes the brace.
void EncodeObject(const Value& object, ByteBuffer& out) {
  const size_t start = out.size();
  const MessageDesc& type = *object.type();
  const std::span<const Value> members = object.members();
  size_t next = 0;
  for (size_t i = 0; i < type.fields.size(); ++i) {
    const FieldDesc& field = type.fields[i];
    if (next < members.size() && members[next].field() == i) {
      const Value& member = members[next++];
      if (!PrintsAsUnset(field, member)) {
        AppendKey(out, field);
        // Go prints a schema union that holds an empty list as one that holds nothing.
        const bool is_union = field.type == FieldType::kMessage && member.is_list() &&
                              field.cardinality == Cardinality::kSingle;
        EncodeValue(is_union && member.size() == 0 ? Value() : member, out);
        continue;
      }
    }
    if (field.shown_unset()) {
      AppendKey(out, field);
      out.Append(UnsetJson(field));
    }
  }
  if (out.size() == start) {
    out.Append('{');
  } else {
    out.data()[start] = '{';
  }
  out.Append('}');
}

void EncodeMap(const Value& map, ByteBuffer& out) {
  out.Append('{');
  bool first = true;
  for (const MapEntry& entry : map.entries()) {
    if (!first) out.Append(',');
    first = false;
    AppendJsonString(out, entry.key);
    out.Append(':');
    EncodeValue(entry.value, out);
  }
  out.Append('}');
}

void EncodeList(const Value& list, ByteBuffer& out) {
  out.Append('[');
  bool first = true;
  for (const Value& item : list.items()) {
    if (!first) out.Append(',');
    first = false;
    EncodeValue(item, out);
  }
  out.Append(']');
}

void EncodeValue(const Value& value, ByteBuffer& out) {
  switch (value.tag()) {
    case Tag::kObject:
      return EncodeObject(value, out);
    case Tag::kMap:
      return EncodeMap(value, out);
    case Tag::kList:
      return EncodeList(value, out);
    default:
      return AppendJsonScalar(out, value);
  }
}

void AppendQuoted(ByteBuffer& out, size_t room, auto format) {
  char* to = out.Reserve(room + 2);
  to[0] = '"';
  const size_t size = format(to + 1);
  to[1 + size] = '"';
  out.CommitTo(to + size + 2);
}

void AppendLine(ByteBuffer& out, int depth, int indent) {
  const auto spaces = static_cast<size_t>(depth) * static_cast<size_t>(indent);
  char* to = out.Reserve(1 + spaces);
  *to = '\n';
  std::memset(to + 1, ' ', spaces);
  out.CommitTo(to + 1 + spaces);
}

}  // namespace

void AppendJsonScalar(ByteBuffer& out, const Value& value) {
  switch (value.tag()) {
    case Tag::kBool:
      return out.Append(value.AsBool() ? "true" : "false");
    case Tag::kInt:
      return AppendJsonInt(out, value.AsInt());
    case Tag::kUint:
      return AppendJsonUint(out, value.AsUint());
    case Tag::kDouble:
      return AppendJsonDouble(out, value.AsDouble());
    case Tag::kString:
      return AppendJsonString(out, value.AsText());
    case Tag::kBytes: {
      const std::string_view bytes = value.AsText();
      const size_t size = Base64EncodedSize(bytes.size());
      return AppendQuoted(out, size, [&](char* to) {
        EncodeBase64(bytes, to);
        return size;
      });
    }
    case Tag::kTime:
    case Tag::kMicroTime: {
      const Timestamp time = value.AsTime();
      if (IsZero(time)) return out.Append("null");
      const auto format = value.tag() == Tag::kTime ? FormatTime : FormatMicroTime;
      return AppendQuoted(out, kMaxTimeBytes, [&](char* to) { return format(time, to); });
    }
    case Tag::kDuration:
      return AppendQuoted(out, kMaxDurationBytes,
                          [&](char* to) { return FormatDuration(value.AsInt(), to); });
    case Tag::kRawJson:
      return AppendCompactJson(out, value.AsText(), JsonEscapes::kAsGo);
    default:
      return out.Append("null");
  }
}

void EncodeJson(const Value& value, ByteBuffer& out) { EncodeValue(value, out); }

std::string EncodeJson(const Value& value, int indent) {
  ByteBuffer compact;
  EncodeValue(value, compact);
  if (indent <= 0) return compact.ToString();
  ByteBuffer pretty;
  AppendPrettyJson(pretty, compact.view(), indent);
  return pretty.ToString();
}

void AppendPrettyJson(ByteBuffer& out, std::string_view json, int indent) {
  PrettyJsonWriter(indent).Append(out, json);
}

// As much of `rest` as belongs to the string that it begins within; how much that was.
size_t PrettyJsonWriter::AppendString(ByteBuffer& out, std::string_view rest) {
  size_t at = 0;
  while (in_string_ && at < rest.size()) {
    const char c = rest[at++];
    if (escaped_) {
      escaped_ = false;
    } else if (c == '\\') {
      escaped_ = true;
    } else if (c == '"') {
      in_string_ = false;
    }
  }
  out.Append(rest.substr(0, at));
  return at;
}

void PrettyJsonWriter::Append(ByteBuffer& out, std::string_view piece) {
  for (size_t i = 0; i < piece.size();) {
    if (in_string_) {
      i += AppendString(out, piece.substr(i));
      continue;
    }
    const char c = piece[i++];
    const bool closes = c == '}' || c == ']';
    if (std::exchange(opened_, false)) {
      if (closes) {
        out.Append(c);
        continue;
      }
      AppendLine(out, ++depth_, indent_);
    }
    if (closes) AppendLine(out, --depth_, indent_);
    out.Append(c);
    if (c == ',') AppendLine(out, depth_, indent_);
    if (c == ':') out.Append(' ');
    in_string_ = c == '"';
    opened_ = c == '{' || c == '[';
  }
}

}  // namespace skiff::object
