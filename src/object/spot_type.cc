#include "object/spot_type.h"

#include <charconv>
#include <limits>
#include <string>

#include "base/strings.h"
#include "object/scalar/quantity.h"

namespace skiff::object {
namespace {

template <typename Integer>
bool InRange(int64_t value) {
  return value >= std::numeric_limits<Integer>::min() &&
         value <= static_cast<int64_t>(std::numeric_limits<Integer>::max());
}

}  // namespace

SpotType::Shape SpotType::ShapeOf(const Value& value) {
  switch (value.tag()) {
    case Tag::kObject:
      return kMessage;
    case Tag::kMap:
      return kMap;
    case Tag::kList:
      return kList;
    default:
      return kScalar;
  }
}

SpotType::Shape SpotType::shape() const {
  if (field_ == nullptr) return root_ != nullptr ? kMessage : kUntyped;
  const int levels = Levels();
  if (depth_ < levels) {
    return depth_ == 0 && field_->cardinality == Cardinality::kMap ? kMap : kList;
  }
  if (depth_ > levels || field_->type == FieldType::kAny) return kUntyped;
  return field_->type == FieldType::kMessage ? kMessage : kScalar;
}

const MessageDesc* SpotType::message() const {
  if (field_ == nullptr) return root_;
  const MessageDesc* message = field_->message;
  // The schema unions hold the schema itself, or something that is no object.
  if (message->form == MessageForm::kPlain) return message;
  return message->fields[message->FindField("schema")].message;
}

Result<Value> SpotType::Fit(Arena& arena, Value value) const {
  if (value.is_null()) return value;
  switch (shape()) {
    case kUntyped:
      return value;
    case kScalar:
      return FitScalar(arena, value);
    case kMessage:
      if (value.is_object() && value.type() == message()) return value;
      if (field_ != nullptr && field_->message->form != MessageForm::kPlain && !value.is_object()) {
        return value;
      }
      return BadRequest("must be a " + std::string(message()->name));
    case kMap:
      if (!value.is_map()) return BadRequest("must be a map");
      for (MapEntry& entry : value.entries()) {
        SKIFF_ASSIGN_OR_RETURN(entry.value, Element().Fit(arena, entry.value));
      }
      return value;
    case kList:
      if (!value.is_list()) return BadRequest("must be a list");
      for (Value& item : value.items()) {
        SKIFF_ASSIGN_OR_RETURN(item, Element().Fit(arena, item));
      }
      return value;
  }
  return value;
}

Result<Value> SpotType::FitScalar(Arena& arena, Value value) const {
  auto require = [&](bool fits, std::string_view what) -> Result<Value> {
    if (!fits) return BadRequest("must be " + std::string(what));
    return value;
  };
  const Tag tag = value.tag();
  switch (field_->type) {
    case FieldType::kString:
    case FieldType::kStringList:
      return require(tag == Tag::kString, "a string");
    case FieldType::kBytes:
      return require(tag == Tag::kBytes, "bytes");
    case FieldType::kBool:
      return require(tag == Tag::kBool, "a boolean");
    case FieldType::kInt32:
      return require(tag == Tag::kInt && InRange<int32_t>(value.AsInt()), "a 32-bit integer");
    case FieldType::kInt64:
      return require(tag == Tag::kInt, "an integer");
    case FieldType::kUint32:
      return require(tag == Tag::kInt && InRange<uint32_t>(value.AsInt()),
                     "an integer of 32 bits without sign");
    case FieldType::kUint64:
      if (tag == Tag::kInt && value.AsInt() >= 0) {
        return Value::Uint(static_cast<uint64_t>(value.AsInt()));
      }
      return require(tag == Tag::kUint, "an integer without sign");
    case FieldType::kDouble:
      if (tag == Tag::kInt) return Value::Double(static_cast<double>(value.AsInt()));
      return require(tag == Tag::kDouble, "a number");
    case FieldType::kTime:
      return require(tag == Tag::kTime, "a time");
    case FieldType::kMicroTime:
      return require(tag == Tag::kMicroTime, "a time with microseconds");
    case FieldType::kDuration:
      return require(tag == Tag::kDuration, "a duration");
    case FieldType::kQuantity: {
      if (tag != Tag::kString) return require(false, "a quantity");
      std::string scratch;
      const auto canonical = CanonicalizeQuantity(value.AsText(), scratch);
      if (!canonical) return require(false, "a quantity");
      return *canonical == value.AsText() ? value : Value::String(arena.Copy(*canonical));
    }
    case FieldType::kIntOrString:
      return require(tag == Tag::kString || (tag == Tag::kInt && InRange<int32_t>(value.AsInt())),
                     "an integer or a string");
    case FieldType::kRawJson:
    case FieldType::kFieldsV1:
    case FieldType::kUnknown:
      return require(tag == Tag::kRawJson, "raw JSON");
    case FieldType::kAny:
    case FieldType::kMessage:
      break;  // no scalars
  }
  return value;
}

Result<Value> SpotType::FromKeyText(Arena& arena, std::string_view text) const {
  const Shape here = shape();
  if (here != kScalar && here != kUntyped) return BadRequest("a key must be a single value");
  if (here == kScalar && field_->type == FieldType::kBool && (text == "true" || text == "false")) {
    return Value::Bool(text == "true");
  }
  if (here == kScalar && field_->type >= FieldType::kInt32 && field_->type <= FieldType::kUint64) {
    int64_t number = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || rest != text.data() + text.size()) {
      return BadRequest("the key " + Quoted(text) + " must be an integer");
    }
    return Fit(arena, Value::Int(number));
  }
  return Fit(arena, Value::String(arena.Copy(text)));
}

}  // namespace skiff::object
