#include "apiserver/registry/apiextensions/format_warnings.h"

#include <string_view>

#include "apiserver/extensions/schema/compiled_schema.h"
#include "apiserver/extensions/schema/formats.h"
#include "apiserver/registry/apiextensions/schema_tree.h"
#include "apiserver/validation/value_fields.h"

namespace skiff::apiserver {
namespace {

bool IsKnown(std::string_view format, std::string_view type) {
  SchemaType of = SchemaType::kString;
  if (type == "integer") {
    of = SchemaType::kInteger;
  } else if (type == "number") {
    of = SchemaType::kNumber;
  } else if (!type.empty() && type != "string") {
    return false;
  }
  return FindFormat(format, of) != ValueFormat::kNone;
}

}  // namespace

void FindUnknownFormats(const object::Value* schema, std::set<std::string>& formats) {
  AnySchema(schema, [&formats](const object::Value& each) {
    const std::string_view format = TextOf(&each, "format");
    if (!format.empty() && !IsKnown(format, TextOf(&each, "type"))) formats.emplace(format);
    return false;
  });
}

}  // namespace skiff::apiserver
