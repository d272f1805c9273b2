#include "object/unset.h"

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

}  // namespace skiff::object
