#include "apiserver/registry/core/config_map.h"

#include "apiserver/validation/common.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

constexpr size_t kMaxDataBytes = 1 << 20;
constexpr std::string_view kIsSealed = "field is immutable when `immutable` is set";

void ValidateConfigMap(const object::Document& object, FieldErrors& errors) {
  const core::ConfigMap map(object);
  size_t bytes = 0;
  for (const auto& [key, value] : map.data()) {
    const auto at = errors.AtKey("data", key);
    ValidateFormat(kConfigMapKeyFormat, key, "", errors);
    if (map.binary_data().Contains(key)) {
      errors.Invalid("", key, "duplicate of key present in binaryData");
    }
    bytes += value.size();
  }
  for (const auto& [key, value] : map.binary_data()) {
    const auto at = errors.AtKey("binaryData", key);
    ValidateFormat(kConfigMapKeyFormat, key, "", errors);
    bytes += value.size();
  }
  // The map as a whole is too long, which Kubernetes calls by an empty path.
  if (bytes > kMaxDataBytes) errors.TooLong("[]", kMaxDataBytes);
}

void ValidateConfigMapUpdate(const object::Document& object, const object::Document& old,
                             FieldErrors& errors) {
  using Map = core::ConfigMap;
  if (Map(old).immutable().value_or(false)) {
    if (!Map(object).immutable().value_or(false)) errors.Forbidden("immutable", kIsSealed);
    if (!SameValue(old.root().Member(Map::kData), object.root().Member(Map::kData))) {
      errors.Forbidden("data", kIsSealed);
    }
    if (!SameValue(old.root().Member(Map::kBinaryData), object.root().Member(Map::kBinaryData))) {
      errors.Forbidden("binaryData", kIsSealed);
    }
  }
  ValidateConfigMap(object, errors);
}

}  // namespace

constinit const KindRules kConfigMapRules = {.group = "",
                                             .kind = "ConfigMap",
                                             .create = ValidateConfigMap,
                                             .update = ValidateConfigMapUpdate};

}  // namespace skiff::apiserver
