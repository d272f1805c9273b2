#include "cel/message_schema.h"

#include <algorithm>
#include <vector>

namespace skiff::cel {
namespace {

using object::Cardinality;
using object::FieldType;

class Builder {
 public:
  Schema OfMessage(const object::MessageDesc& message) {
    Schema out;
    out.type = "object";
    const bool is_inner = std::ranges::find(path_, &message) != path_.end();
    if (is_inner || message.form != object::MessageForm::kPlain) return out;
    path_.push_back(&message);
    out.has_properties = true;
    for (const object::FieldDesc& field : message.fields) {
      out.properties.emplace(field.name(), OfField(field));
    }
    path_.pop_back();
    return out;
  }

 private:
  Schema OfField(const object::FieldDesc& field) {
    Schema element = OfElement(field);
    if (field.cardinality == Cardinality::kSingle) return element;
    Schema out;
    auto inner = std::make_unique<Schema>(std::move(element));
    if (field.cardinality == Cardinality::kList) {
      out.type = "array";
      out.items = std::move(inner);
    } else {
      out.type = "object";
      out.additional_properties = std::move(inner);
    }
    return out;
  }

  Schema OfElement(const object::FieldDesc& field) {
    switch (field.type) {
      case FieldType::kString:
      case FieldType::kDuration:
        return Plain("string");
      case FieldType::kBytes:
        return Plain("string", "byte");
      case FieldType::kBool:
        return Plain("boolean");
      case FieldType::kInt32:
      case FieldType::kInt64:
      case FieldType::kUint32:
      case FieldType::kUint64:
        return Plain("integer");
      case FieldType::kDouble:
        return Plain("number");
      case FieldType::kTime:
      case FieldType::kMicroTime:
        return Plain("string", "date-time");
      case FieldType::kStringList: {
        Schema out = Plain("array");
        out.items = std::make_unique<Schema>(Plain("string"));
        return out;
      }
      case FieldType::kQuantity:
      case FieldType::kIntOrString:
      case FieldType::kAny: {
        Schema out;
        out.int_or_string = true;
        return out;
      }
      case FieldType::kRawJson:
      case FieldType::kFieldsV1:
      case FieldType::kUnknown:
        return Plain("object");
      case FieldType::kMessage:
        return OfMessage(*field.message);
    }
    return {};
  }

  static Schema Plain(const char* type, const char* format = "") {
    Schema out;
    out.type = type;
    out.format = format;
    return out;
  }

  std::vector<const object::MessageDesc*> path_;
};

}  // namespace

Schema SchemaOfMessage(const object::MessageDesc& message) { return Builder().OfMessage(message); }

}  // namespace skiff::cel
