#include "apiserver/registry/apiextensions/format_warnings.h"

#include <algorithm>
#include <string_view>

#include "apiserver/registry/apiextensions/schema_tree.h"
#include "apiserver/validation/value_fields.h"

namespace skiff {
namespace {

// Of strings, without the hyphens that they may be written with. Sorted.
constexpr std::string_view kFormats[] = {
    "bsonobjectid", "byte",        "cidr",         "creditcard", "date",     "datetime", "duration",
    "email",        "hexcolor",    "hostname",     "ipv4",       "ipv6",     "isbn",     "isbn10",
    "isbn13",       "k8slongname", "k8sshortname", "mac",        "password", "rgbcolor", "ssn",
    "uri",          "uuid",        "uuid3",        "uuid4",      "uuid5",
};
static_assert(std::ranges::is_sorted(kFormats));

bool IsKnown(std::string_view format, std::string_view type) {
  if (type == "integer") return format == "int32" || format == "int64";
  if (type == "number") return format == "float" || format == "double";
  if (!type.empty() && type != "string") return false;
  std::string bare(format);
  std::erase(bare, '-');
  return std::ranges::binary_search(kFormats, std::string_view(bare));
}

}  // namespace

void FindUnknownFormats(const Value* schema, std::set<std::string>& formats) {
  AnySchema(schema, [&formats](const Value& each) {
    const std::string_view format = TextOf(&each, "format");
    if (!format.empty() && !IsKnown(format, TextOf(&each, "type"))) formats.emplace(format);
    return false;
  });
}

}  // namespace skiff
