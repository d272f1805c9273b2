#include "store/etcd_server/json_transcode.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/strings.h"
#include "object/json/decode.h"
#include "object/json/text.h"
#include "object/scalar/base64.h"

namespace skiff::store {
namespace {

constexpr uint32_t kVarint = 0;
constexpr uint32_t kFixed64 = 1;
constexpr uint32_t kDelimited = 2;
constexpr uint32_t kFixed32 = 5;

void AppendVarint(std::string& out, uint64_t number) {
  for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
  out += static_cast<char>(number);
}

void AppendTag(std::string& out, const ProtoField& field, uint32_t wire) {
  AppendVarint(out, uint64_t{field.number} << 3 | wire);
}

void AppendDelimited(std::string& out, const ProtoField& field, std::string_view bytes) {
  AppendTag(out, field, kDelimited);
  AppendVarint(out, bytes.size());
  out.append(bytes);
}

template <typename T>
std::optional<uint64_t> ParseAs(std::string_view text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return static_cast<uint64_t>(
      static_cast<std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>(number));
}

std::optional<uint64_t> ParseNumber(ProtoType type, std::string_view text) {
  switch (type) {
    case ProtoType::kInt32:
    case ProtoType::kEnum:
      return ParseAs<int32_t>(text);
    case ProtoType::kUint32:
      return ParseAs<uint32_t>(text);
    case ProtoType::kUint64:
      return ParseAs<uint64_t>(text);
    default:
      return ParseAs<int64_t>(text);
  }
}

// A number, or a string that has one in it.
std::optional<uint64_t> NumberOf(ProtoType type, const object::Value& value) {
  if (value.is_string()) return ParseNumber(type, value.AsText());
  if (value.tag() == object::Tag::kInt) return ParseNumber(type, std::to_string(value.AsInt()));
  return std::nullopt;
}

std::optional<uint64_t> ScalarOf(const ProtoField& field, const object::Value& value) {
  if (field.type == ProtoType::kBool) {
    if (value.tag() != object::Tag::kBool) return std::nullopt;
    return value.AsBool() ? 1 : 0;
  }
  if (field.type == ProtoType::kEnum && value.is_string()) {
    for (const auto& [name, number] : field.enumeration->values) {
      if (name == value.AsText()) return static_cast<uint64_t>(number);
    }
    return std::nullopt;
  }
  return NumberOf(field.type, value);
}

Result<void> AppendMessage(std::string& out, const ProtoMessage& message,
                           const object::Value& value);

Result<void> AppendOne(std::string& out, const ProtoField& field, const object::Value& value) {
  const auto bad = [&] { return BadRequest("bad value for field " + Quoted(field.name)); };
  switch (field.type) {
    case ProtoType::kMessage: {
      std::string inner;
      SKIFF_RETURN_IF_ERROR(AppendMessage(inner, *field.message, value));
      AppendDelimited(out, field, inner);
      return {};
    }
    case ProtoType::kString:
      if (!value.is_string()) return bad();
      AppendDelimited(out, field, value.AsText());
      return {};
    case ProtoType::kBytes: {
      if (!value.is_string()) return bad();
      const Result<std::string> bytes = object::DecodeBase64(value.AsText());
      if (!bytes) return BadRequest(field.name + ": " + bytes.error().message());
      AppendDelimited(out, field, *bytes);
      return {};
    }
    default: {
      const std::optional<uint64_t> number = ScalarOf(field, value);
      if (!number) return bad();
      AppendTag(out, field, kVarint);
      AppendVarint(out, *number);
      return {};
    }
  }
}

Result<void> AppendMessage(std::string& out, const ProtoMessage& message,
                           const object::Value& value) {
  if (!value.is_map()) return BadRequest("a " + message.name + " is an object");
  for (const object::MapEntry& entry : value.entries()) {
    const auto field = std::ranges::find_if(message.fields, [&](const ProtoField& known) {
      return entry.key == known.name || entry.key == known.camel_name;
    });
    if (field == message.fields.end() || entry.value.is_null()) continue;
    if (!field->is_repeated) {
      SKIFF_RETURN_IF_ERROR(AppendOne(out, *field, entry.value));
      continue;
    }
    if (!entry.value.is_list()) return BadRequest(Quoted(field->name) + " is a list");
    for (const object::Value& item : entry.value.items())
      SKIFF_RETURN_IF_ERROR(AppendOne(out, *field, item));
  }
  return {};
}

// A field as it lies in the bytes of a message.
struct WireField {
  uint32_t number = 0;
  uint64_t scalar = 0;
  std::string_view bytes;
};

// False: the bytes end too early, or in what proto3 does not have.
bool TakeVarint(std::string_view& bytes, uint64_t* out) {
  *out = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (bytes.empty()) return false;
    const auto byte = static_cast<uint8_t>(bytes[0]);
    bytes.remove_prefix(1);
    *out |= uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool TakeField(std::string_view& bytes, WireField* out) {
  uint64_t tag = 0;
  if (!TakeVarint(bytes, &tag)) return false;
  out->number = static_cast<uint32_t>(tag >> 3);
  uint64_t size = 0;
  switch (tag & 7) {
    case kVarint:
      return TakeVarint(bytes, &out->scalar);
    case kDelimited:
      if (!TakeVarint(bytes, &size)) return false;
      break;
    case kFixed64:
      size = 8;
      break;
    case kFixed32:
      size = 4;
      break;
    default:
      return false;
  }
  if (size > bytes.size()) return false;
  out->bytes = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return true;
}

void AppendEnum(const ProtoField& field, int64_t number, ByteBuffer& out) {
  for (const auto& [name, value] : field.enumeration->values) {
    if (value == number) return object::AppendJsonString(out, name);
  }
  object::AppendJsonInt(out, number);
}

Result<void> AppendValue(const ProtoField& field, const WireField& wire, ByteBuffer& out) {
  const auto number = static_cast<int64_t>(wire.scalar);
  switch (field.type) {
    case ProtoType::kBool:
      out.Append(wire.scalar != 0 ? "true" : "false");
      break;
    case ProtoType::kInt32:
    case ProtoType::kUint32:
      object::AppendJsonInt(out, number);
      break;
    case ProtoType::kInt64:
    case ProtoType::kUint64:
      out.Append("\"");
      field.type == ProtoType::kInt64 ? object::AppendJsonInt(out, number)
                                      : object::AppendJsonUint(out, wire.scalar);
      out.Append("\"");
      break;
    case ProtoType::kEnum:
      AppendEnum(field, number, out);
      break;
    case ProtoType::kString:
      object::AppendJsonString(out, wire.bytes);
      break;
    case ProtoType::kBytes: {
      const size_t size = object::Base64EncodedSize(wire.bytes.size());
      out.Append("\"");
      char* to = out.Reserve(size);
      object::EncodeBase64(wire.bytes, to);
      out.CommitTo(to + size);
      out.Append("\"");
      break;
    }
    case ProtoType::kMessage:
      return ProtoToJson(wire.bytes, *field.message, out);
  }
  return {};
}

}  // namespace

Result<std::string> JsonToProto(std::string_view json, const ProtoMessage& message,
                                size_t max_bytes) {
  std::string out;
  if (TrimSpace(json).empty()) return out;
  object::DecodeOptions options;
  options.max_bytes = max_bytes;
  options.borrow_text = true;
  SKIFF_ASSIGN_OR_RETURN(const object::Document document,
                         object::DecodeJson(json, nullptr, options));
  SKIFF_RETURN_IF_ERROR(AppendMessage(out, message, document.root()));
  return out;
}

// Values of a repeated field may lie apart, and those of one that is not may be there twice: the
// last counts.
Result<void> ProtoToJson(std::string_view bytes, const ProtoMessage& message, ByteBuffer& out) {
  std::vector<std::vector<WireField>> found(message.fields.size());
  while (!bytes.empty()) {
    WireField wire;
    if (!TakeField(bytes, &wire))
      return Fail(StatusReason::kInternalError, "a broken message of " + message.name);
    const auto field = std::ranges::find(message.fields, wire.number, &ProtoField::number);
    if (field == message.fields.end()) continue;
    auto& values = found[static_cast<size_t>(field - message.fields.begin())];
    if (!field->is_repeated) values.clear();
    values.push_back(wire);
  }
  std::string_view before_field = "{";
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i].empty()) continue;
    const ProtoField& field = message.fields[i];
    out.Append(before_field);
    before_field = ",";
    object::AppendJsonString(out, field.name);
    out.Append(field.is_repeated ? ":[" : ":");
    for (const WireField& wire : found[i]) {
      if (&wire != &found[i].front()) out.Append(",");
      SKIFF_RETURN_IF_ERROR(AppendValue(field, wire, out));
    }
    if (field.is_repeated) out.Append("]");
  }
  out.Append(before_field == "{" ? "{}" : "}");
  return {};
}

}  // namespace skiff::store
