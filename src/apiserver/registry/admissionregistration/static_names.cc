#include "apiserver/registry/admissionregistration/static_names.h"

#include <string_view>

#include "apiserver/validation/value_fields.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kWhy =
    "names ending with \".static.k8s.io\" are reserved for static manifest-based configurations "
    "and cannot be managed via the API";

std::string_view NameOf(const object::Document& object) {
  return TextOf(object.root().Find("metadata"), "name");
}
bool IsStatic(std::string_view name) { return name.ends_with(".static.k8s.io"); }

}  // namespace

void ValidateStaticName(const object::Document& object, FieldErrors& errors) {
  const std::string_view name = NameOf(object);
  if (!errors.IsOn("ManifestBasedAdmissionControlConfig") || !IsStatic(name)) return;
  errors.Invalid("metadata.name", name, kWhy);
}

void WarnAboutStaticName(const object::Document& object, const object::Document* old,
                         const KindSettings& settings, std::vector<std::string>& warnings) {
  if (!IsStatic(NameOf(object))) return;
  // A new one is not questionable but refused.
  if (old == nullptr && settings.gates.IsOn("ManifestBasedAdmissionControlConfig")) return;
  warnings.push_back("metadata.name: " + std::string(kWhy));
}

}  // namespace skiff::apiserver
