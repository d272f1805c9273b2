#include "object/json/scalar.h"

#include <limits>
#include <utility>

#include "base/strings.h"
#include "object/json/text.h"
#include "object/scalar/base64.h"
#include "object/scalar/duration.h"
#include "object/scalar/quantity.h"
#include "object/zero.h"

namespace skiff::object {
bool JsonScalarReader::Mismatch(size_t offset, std::string message) {
  if (message_.empty()) {
    message_ = std::move(message);
    error_offset_ = offset;
  }
  return false;
}

bool JsonScalarReader::Expected(std::string_view what, JsonKind got) {
  if (got == JsonKind::kInvalid) return cursor_.SkipValue(0);  // fails, and says why
  return Mismatch(cursor_.offset(),
                  "expected " + std::string(what) + ", got " + std::string(JsonKindName(got)));
}

bool JsonScalarReader::ReadOther(FieldType type, Value* out) {
  const JsonKind kind = cursor_.Peek();
  if (kind == JsonKind::kNull) {
    *out = Value();
    return cursor_.ReadNull();
  }
  switch (type) {
    case FieldType::kString:
      return Expected("a string", kind);
    case FieldType::kBool: {
      if (kind != JsonKind::kBool) return Expected("a boolean", kind);
      bool boolean;
      if (!cursor_.ReadBool(&boolean)) return false;
      *out = Value::Bool(boolean);
      return true;
    }
    case FieldType::kInt32:
    case FieldType::kInt64:
    case FieldType::kUint32:
    case FieldType::kUint64:
      return kind == JsonKind::kNumber ? ReadInteger(type, out) : Expected("an integer", kind);
    case FieldType::kDouble:
      return kind == JsonKind::kNumber ? ReadDouble(out) : Expected("a number", kind);
    case FieldType::kBytes:
      return kind == JsonKind::kString ? ReadBytes(out) : Expected("a base64 string", kind);
    case FieldType::kTime:
    case FieldType::kMicroTime:
      return kind == JsonKind::kString ? ReadTime(type, out) : Expected("a time", kind);
    case FieldType::kDuration:
      return kind == JsonKind::kString ? ReadDuration(out) : Expected("a duration", kind);
    case FieldType::kQuantity:
      return ReadQuantity(kind, out);
    case FieldType::kIntOrString:
      return ReadIntOrString(kind, out);
    case FieldType::kRawJson:
    case FieldType::kFieldsV1:
    case FieldType::kUnknown:
      return ReadRawJson(kind, out);
    case FieldType::kStringList:
      return kind == JsonKind::kArray ? ReadStringList(out) : Expected("an array", kind);
    case FieldType::kAny:
    case FieldType::kMessage:
      break;
  }
  assert(false && "not a scalar");
  return false;
}

bool JsonScalarReader::ReadInteger(FieldType type, Value* out) {
  const size_t offset = cursor_.offset();
  std::string_view number;
  if (!cursor_.ReadNumber(&number)) return false;
  if (type == FieldType::kUint32 || type == FieldType::kUint64) {
    uint64_t value = 0;
    if (!ParseJsonUint(number, &value) ||
        (type == FieldType::kUint32 && value > std::numeric_limits<uint32_t>::max())) {
      return Mismatch(offset, std::string(number.substr(0, 40)) + " is not an unsigned integer " +
                                  (type == FieldType::kUint32 ? "of 32 bits" : "of 64 bits"));
    }
    *out =
        type == FieldType::kUint32 ? Value::Int(static_cast<int64_t>(value)) : Value::Uint(value);
    return true;
  }
  int64_t value = 0;
  const bool narrow = type == FieldType::kInt32;
  if (!ParseJsonInt(number, &value) || (narrow && value != static_cast<int32_t>(value))) {
    return Mismatch(
        offset, std::string(number.substr(0, 40)) +
                    (narrow ? " is not an integer of 32 bits" : " is not an integer of 64 bits"));
  }
  *out = Value::Int(value);
  return true;
}

bool JsonScalarReader::ReadDouble(Value* out) {
  const size_t offset = cursor_.offset();
  std::string_view number;
  double value;
  if (!cursor_.ReadNumber(&number)) return false;
  if (!ParseJsonDouble(number, &value)) return Mismatch(offset, "the number is too large");
  *out = Value::Double(value);
  return true;
}

bool JsonScalarReader::ReadBytes(Value* out) {
  const size_t offset = cursor_.offset();
  std::string_view text;
  if (!cursor_.ReadString(arena_, &text)) return false;
  char* room = arena_.AllocateChars(Base64DecodedMaxSize(text.size()));
  Result<size_t> size = DecodeBase64(text, room);
  if (!size) return Mismatch(offset, size.error().message());
  *out = Value::Bytes({room, *size});
  return true;
}

bool JsonScalarReader::ReadTime(FieldType type, Value* out) {
  const size_t offset = cursor_.offset();
  std::string_view text;
  if (!cursor_.ReadString(arena_, &text)) return false;
  Result<Timestamp> time = type == FieldType::kTime ? ParseTime(text) : ParseMicroTime(text);
  if (!time) return Mismatch(offset, time.error().message());
  *out = type == FieldType::kTime ? Value::Time(*time) : Value::MicroTime(*time);
  return true;
}

bool JsonScalarReader::ReadDuration(Value* out) {
  const size_t offset = cursor_.offset();
  std::string_view text;
  if (!cursor_.ReadString(arena_, &text)) return false;
  Result<int64_t> nanos = ParseDuration(text);
  if (!nanos) return Mismatch(offset, nanos.error().message());
  *out = Value::Duration(*nanos);
  return true;
}

bool JsonScalarReader::ReadQuantity(JsonKind kind, Value* out) {
  const size_t offset = cursor_.offset();
  if (kind != JsonKind::kString && kind != JsonKind::kNumber) return Expected("a quantity", kind);
  if (!cursor_.SkipValue(0)) return false;
  // Kubernetes takes what stands between the quotes as it is, escapes and all, and trims it.
  std::string_view text = cursor_.TextFrom(offset);
  if (kind == JsonKind::kString) text = TrimSpace(text.substr(1, text.size() - 2));
  Result<std::string_view> canonical = CanonicalizeQuantity(text, scratch_);
  if (!canonical) return Mismatch(offset, canonical.error().message());
  *out = Value::String(arena_.Copy(*canonical));
  return true;
}

bool JsonScalarReader::ReadIntOrString(JsonKind kind, Value* out) {
  if (kind == JsonKind::kString) return Read(FieldType::kString, out);
  if (kind == JsonKind::kNumber) return ReadInteger(FieldType::kInt32, out);
  return Expected("an integer or a string", kind);
}

bool JsonScalarReader::ReadRawJson(JsonKind, Value* out) {
  cursor_.SkipSpace();
  const size_t offset = cursor_.offset();
  if (!cursor_.SkipValue(0)) return false;
  compact_.Clear();
  AppendCompactJson(compact_, cursor_.TextFrom(offset), JsonEscapes::kKeep);
  *out = Value::RawJson(arena_.Copy(compact_.view()));
  return true;
}

bool JsonScalarReader::ReadStringList(Value* out) {
  Value list = Value::EmptyList();
  cursor_.Take('[');
  if (!cursor_.Take(']')) {
    do {
      Value item;
      if (!Read(FieldType::kString, &item)) return false;
      list.Append(arena_, item.is_null() ? ZeroScalar(FieldType::kString) : item);
    } while (cursor_.Take(','));
    if (!cursor_.Expect(']', kExpectedArrayEnd)) return false;
  }
  *out = list;
  return true;
}

Value ZeroScalar(FieldType type) {
  switch (type) {
    case FieldType::kString:
      return Value::String("");
    case FieldType::kBool:
      return Value::Bool(false);
    case FieldType::kInt32:
    case FieldType::kInt64:
    case FieldType::kUint32:
    case FieldType::kIntOrString:
      return Value::Int(0);
    case FieldType::kUint64:
      return Value::Uint(0);
    case FieldType::kDouble:
      return Value::Double(0);
    case FieldType::kTime:
      return Value::Time(kZeroTimestamp);
    case FieldType::kMicroTime:
      return Value::MicroTime(kZeroTimestamp);
    case FieldType::kDuration:
      return Value::Duration(0);
    case FieldType::kQuantity:
      return Value::String("0");
    default:
      return Value();  // nil bytes, lists, raw JSON and anything
  }
}

}  // namespace skiff::object
