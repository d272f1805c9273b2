#include "apiserver/registry/storage/parameters.h"

#include "apiserver/validation/common.h"
#include "base/strings.h"

namespace skiff::apiserver {
namespace {

constexpr size_t kMaxParameters = 512;
constexpr size_t kMaxParameterBytes = 256 << 10;

}  // namespace

void ValidateProvisioner(std::string_view name, std::string_view field, FieldErrors& errors) {
  if (name.empty()) return errors.Required(field);
  const std::string lower = AsciiLower(name);
  ValidateFormat(kQualifiedNameFormat, lower, field, errors);
}

void ValidateParameters(const object::MapView<std::string_view>& parameters, bool may_be_empty,
                        FieldErrors& errors) {
  if (parameters.size() > kMaxParameters) return errors.TooLong("parameters", kMaxParameters);
  size_t bytes = 0;
  for (const auto& [key, value] : parameters) {
    if (key.empty()) errors.Invalid("parameters", key, "field can not be empty.");
    bytes += key.size() + value.size();
  }
  if (bytes > kMaxParameterBytes) errors.TooLong("parameters", kMaxParameterBytes);
  if (!may_be_empty && parameters.empty()) {
    errors.Required("parameters", "must contain at least one key/value pair");
  }
}

}  // namespace skiff::apiserver
