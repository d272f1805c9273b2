// The types that have a protobuf form of their own: wrappers around times, quantities, raw JSON
// and the like, and the unions of apiextensions.

#include <algorithm>
#include <string>

#include "base/utf8.h"
#include "object/json/cursor.h"
#include "object/json/scalar.h"
#include "object/json/text.h"
#include "object/protobuf/decoder.h"
#include "object/scalar/quantity.h"

namespace skiff::object {
namespace {

bool IsAscii(std::string_view text) {
  constexpr uint64_t kHighBits = 0x8080808080808080u;
  const char* at = text.data();
  const char* const end = at + text.size();
  uint64_t word = 0, all = 0;
  for (; end - at >= 8; at += 8) {
    std::memcpy(&word, at, 8);
    all |= word;
  }
  for (; at != end; ++at) all |= static_cast<unsigned char>(*at);
  return (all & kHighBits) == 0;
}

const MessageDesc* SchemaOf(const MessageDesc& form) {
  for (const FieldDesc& field : form.fields) {
    if (field.message != nullptr) return field.message;
  }
  return nullptr;
}

}  // namespace

bool ProtobufDecoder::ReadValue(WireReader& in, const FieldDesc& desc, const PathNode& path,
                                int depth, Value* out) {
  switch (ItemWireType(desc.type)) {
    case WireType::kVarint:
      return ReadVarintValue(in, desc.type, path, out);
    case WireType::kFixed64: {
      uint64_t bits = 0;
      if (!CheckWire(in.ReadFixed64(&bits), path)) return false;
      *out = Value::Double(std::bit_cast<double>(bits));
      return true;
    }
    default:
      break;
  }
  std::string_view bytes;
  if (!CheckWire(in.ReadBytes(&bytes), path)) return false;
  switch (desc.type) {
    case FieldType::kString:
      if (!CopyText(bytes, path, &bytes)) return false;
      *out = Value::String(bytes);
      return true;
    case FieldType::kBytes:
      *out = Value::Bytes(arena_.Copy(bytes));
      return true;
    case FieldType::kMessage:
      return ReadMessage(bytes, *desc.message, path, depth + 1, Empty::kKeep, out);
    case FieldType::kTime:
    case FieldType::kMicroTime:
      return ReadTime(bytes, desc.type == FieldType::kMicroTime, path, out);
    case FieldType::kDuration:
      return ReadDuration(bytes, path, out);
    case FieldType::kQuantity:
      return ReadQuantity(bytes, path, out);
    case FieldType::kIntOrString:
      return ReadIntOrString(bytes, path, out);
    case FieldType::kRawJson:
    case FieldType::kFieldsV1:
    case FieldType::kUnknown:
      return ReadRawJson(desc.type, bytes, path, out);
    case FieldType::kStringList:
      return ReadStringList(bytes, path, out);
    default:
      return Fail(path, "the field has no protobuf form");
  }
}

bool ProtobufDecoder::ReadVarintValue(WireReader& in, FieldType type, const PathNode& path,
                                      Value* out) {
  uint64_t value = 0;
  if (!CheckWire(in.ReadVarint(&value), path)) return false;
  switch (type) {
    case FieldType::kBool:
      *out = Value::Bool(value != 0);
      break;
    case FieldType::kInt32:
      *out = Value::Int(static_cast<int32_t>(value));
      break;
    case FieldType::kUint32:
      *out = Value::Int(static_cast<uint32_t>(value));
      break;
    case FieldType::kUint64:
      *out = Value::Uint(value);
      break;
    default:
      *out = Value::Int(static_cast<int64_t>(value));
      break;
  }
  return true;
}

bool ProtobufDecoder::CopyText(std::string_view text, const PathNode& path, std::string_view* out) {
  if (!IsAscii(text) && !IsValidUtf8(text)) return Fail(path, "the text is not valid UTF-8");
  *out = arena_.Copy(text);
  return true;
}

Value ProtobufDecoder::ZeroValue(const FieldDesc& desc) {
  switch (desc.type) {
    case FieldType::kBytes:
      return Value::Bytes("");
    case FieldType::kStringList:
      return Value::EmptyList();
    case FieldType::kMessage:
      if (desc.message->form == MessageForm::kSchemaOrBool) return Value::Bool(false);
      if (desc.message->form != MessageForm::kPlain) return Value();
      return Value::EmptyObject(arena_, desc.message);
    default:
      return ZeroScalar(desc.type);
  }
}

bool ProtobufDecoder::ReadWrapper(std::string_view bytes, const PathNode& path,
                                  std::initializer_list<WrapperField> fields) {
  for (WireReader in(bytes); !in.done();) {
    uint32_t key = 0;
    if (!CheckWire(in.ReadKey(&key), path)) return false;
    const auto field = std::ranges::find(fields, WireFieldNumber(key), &WrapperField::number);
    if (field == fields.end()) {
      if (!SkipUnknown(in, key, path)) return false;
      continue;
    }
    const WireType expected = field->bytes != nullptr ? WireType::kBytes : WireType::kVarint;
    if (WireTypeOf(key) != expected) return FailWireType(key, path);
    const WireError error =
        field->bytes != nullptr ? in.ReadBytes(field->bytes) : in.ReadVarint(field->varint);
    if (!CheckWire(error, path)) return false;
  }
  return true;
}

bool ProtobufDecoder::ReadTime(std::string_view bytes, bool micro, const PathNode& path,
                               Value* out) {
  Timestamp time = kZeroTimestamp;
  if (!bytes.empty()) {
    uint64_t seconds = 0, nanos = 0;
    if (!ReadWrapper(bytes, path, {{1, &seconds, nullptr}, {2, &nanos, nullptr}})) return false;
    // A Time has whole seconds whatever stands in its nanos, a MicroTime whole microseconds.
    const int32_t fraction = micro ? static_cast<int32_t>(nanos) / 1000 * 1000 : 0;
    time = MakeTimestamp(static_cast<int64_t>(seconds), fraction);
  }
  *out = micro ? Value::MicroTime(time) : Value::Time(time);
  return true;
}

bool ProtobufDecoder::ReadDuration(std::string_view bytes, const PathNode& path, Value* out) {
  uint64_t nanos = 0;
  if (!ReadWrapper(bytes, path, {{1, &nanos, nullptr}})) return false;
  *out = Value::Duration(static_cast<int64_t>(nanos));
  return true;
}

bool ProtobufDecoder::ReadQuantity(std::string_view bytes, const PathNode& path, Value* out) {
  std::string_view text;
  if (!ReadWrapper(bytes, path, {{1, nullptr, &text}})) return false;
  if (text.data() == nullptr) {
    *out = Value::String("0");
    return true;
  }
  const Result<std::string_view> canonical = CanonicalizeQuantity(text, scratch_);
  if (!canonical) return Fail(path, canonical.error().message());
  *out = Value::String(arena_.Copy(*canonical));
  return true;
}

bool ProtobufDecoder::ReadIntOrString(std::string_view bytes, const PathNode& path, Value* out) {
  uint64_t type = 0, number = 0;
  std::string_view text;
  if (!ReadWrapper(bytes, path,
                   {{1, &type, nullptr}, {2, &number, nullptr}, {3, nullptr, &text}})) {
    return false;
  }
  if (type > 1) return Fail(path, "the value is neither an integer nor a string");
  if (type == 0) {
    *out = Value::Int(static_cast<int32_t>(number));
    return true;
  }
  if (!CopyText(text, path, &text)) return false;
  *out = Value::String(text);
  return true;
}

bool ProtobufDecoder::ReadRawJson(FieldType type, std::string_view bytes, const PathNode& path,
                                  Value* out) {
  std::string_view json, ignored;
  const bool read = type == FieldType::kUnknown ? ReadWrapper(bytes, path,
                                                              {{1, nullptr, &ignored},
                                                               {2, nullptr, &json},
                                                               {3, nullptr, &ignored},
                                                               {4, nullptr, &ignored}})
                                                : ReadWrapper(bytes, path, {{1, nullptr, &json}});
  if (!read) return false;
  // Nothing and no text at all are both null in JSON.
  if (json.empty()) {
    *out = Value();
    return true;
  }
  const bool trusted = options_.trusts_field_sets && type == FieldType::kFieldsV1;
  if (!trusted && !IsValidJson(json)) return Fail(path, "the raw value is not valid JSON");
  compact_.Clear();
  AppendCompactJson(compact_, json, JsonEscapes::kKeep);
  *out = Value::RawJson(arena_.Copy(compact_.view()));
  return true;
}

bool ProtobufDecoder::ReadStringList(std::string_view bytes, const PathNode& path, Value* out) {
  const size_t mark = values_.size();
  for (WireReader in(bytes); !in.done();) {
    uint32_t key = 0;
    if (!CheckWire(in.ReadKey(&key), path)) return false;
    if (WireFieldNumber(key) != 1) {
      if (!SkipUnknown(in, key, path)) return false;
      continue;
    }
    if (WireTypeOf(key) != WireType::kBytes) return FailWireType(key, path);
    const PathNode node(&path, static_cast<uint32_t>(values_.size() - mark));
    std::string_view text;
    if (!CheckWire(in.ReadBytes(&text), node) || !CopyText(text, node, &text)) return false;
    values_.push_back(Value::String(text));
  }
  *out = Value::List(arena_, std::span(values_).subspan(mark));
  values_.resize(mark);
  return true;
}

// The unions hold a schema, and a boolean or a list. As in Kubernetes' JSON form a list counts
// before a schema, and a schema before a boolean.
bool ProtobufDecoder::ReadSchemaForm(std::string_view bytes, const MessageDesc& form,
                                     const PathNode& path, int depth, Value* out) {
  const bool has_bool = form.form == MessageForm::kSchemaOrBool;
  const uint32_t schema_key = WireKey(has_bool ? 2 : 1, WireType::kBytes);
  const uint32_t other_key =
      has_bool ? WireKey(1, WireType::kVarint) : WireKey(2, WireType::kBytes);
  const MessageDesc* const schema_type = SchemaOf(form);
  const size_t mark = values_.size();
  std::string_view schema;
  std::string joined;  // pieces of one schema merge
  bool has_schema = false;
  uint64_t allows = 0;
  for (WireReader in(bytes); !in.done();) {
    uint32_t key = 0;
    std::string_view piece;
    if (!CheckWire(in.ReadKey(&key), path)) return false;
    if (key == schema_key) {
      if (!CheckWire(in.ReadBytes(&piece), path)) return false;
      if (has_schema) {
        const size_t copied = piece.size() + (joined.empty() ? schema.size() : 0);
        if (!ChargeReorder(copied, path)) return false;
        if (joined.empty()) joined = schema;
        joined += piece;
      }
      schema = has_schema ? std::string_view(joined) : piece;
      has_schema = true;
    } else if (key == other_key) {
      const PathNode node(&path, static_cast<uint32_t>(values_.size() - mark));
      Value item;
      if (has_bool) {
        if (!CheckWire(in.ReadVarint(&allows), path)) return false;
        continue;
      }
      if (!CheckWire(in.ReadBytes(&piece), node)) return false;
      if (form.form == MessageForm::kSchemaOrStringArray) {
        if (!CopyText(piece, node, &piece)) return false;
        item = Value::String(piece);
      } else if (!ReadMessage(piece, *schema_type, node, depth + 1, Empty::kKeep, &item)) {
        return false;
      }
      values_.push_back(item);
    } else if (WireFieldNumber(key) <= 2) {
      return FailWireType(key, path);
    } else if (!SkipUnknown(in, key, path)) {
      return false;
    }
  }
  if (values_.size() > mark) {
    *out = Value::List(arena_, std::span(values_).subspan(mark));
    values_.resize(mark);
    return true;
  }
  // The union and its schema are one level, as in JSON: what was written can be read again.
  if (has_schema) return ReadMessage(schema, *schema_type, path, depth, Empty::kKeep, out);
  *out = has_bool ? Value::Bool(allows != 0) : Value();
  return true;
}

}  // namespace skiff::object
