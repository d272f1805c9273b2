#include "object/unset.h"

#include "object/zero.h"

namespace skiff::object {

std::string_view UnsetJson(const FieldDesc& field) {
  if (field.omit_zero()) return {};
  if (field.pointer() || field.cardinality != Cardinality::kSingle) {
    return field.omit_empty() ? std::string_view() : "null";
  }
  // omitempty never leaves out a Go struct, and these types are structs.
  switch (field.type) {
    case FieldType::kMessage:
      return field.message->zero_json;
    case FieldType::kTime:
    case FieldType::kMicroTime:
    case FieldType::kRawJson:
    case FieldType::kFieldsV1:
    case FieldType::kUnknown:
      return "null";
    case FieldType::kDuration:
      return "\"0s\"";
    case FieldType::kQuantity:
      return "\"0\"";
    case FieldType::kIntOrString:
      return "0";
    default:
      break;
  }
  if (field.omit_empty()) return {};
  switch (field.type) {
    case FieldType::kString:
      return "\"\"";
    case FieldType::kBool:
      return "false";
    case FieldType::kBytes:
    case FieldType::kStringList:
    case FieldType::kAny:
      return "null";
    default:
      return "0";
  }
}

bool PrintsAsUnset(const FieldDesc& field, const Value& value) {
  if (field.pointer()) return false;  // a null is there, too: a pointer to nothing
  if (value.is_null()) return true;
  if (field.cardinality != Cardinality::kSingle || field.type == FieldType::kStringList) {
    return field.omit_empty() && value.size() == 0;
  }
  if (field.type == FieldType::kBytes) return field.omit_empty() && value.AsText().empty();
  if (field.type == FieldType::kMessage || field.type == FieldType::kAny) {
    return value.is_object() && value.size() == 0;
  }
  return IsZeroScalar(field.type, value);
}

}  // namespace skiff::object
