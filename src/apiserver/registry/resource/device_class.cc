#include "apiserver/registry/resource/device_class.h"

#include "apiserver/registry/core/resources.h"
#include "apiserver/registry/resource/devices.h"

namespace skiff::apiserver {
namespace {

namespace resource = views::resource_k8s_io_v1;

void Validate(const resource::DeviceClassSpec& spec, bool config_is_stored, FieldErrors& errors) {
  const auto at = errors.At("spec");
  ValidateItems(
      spec.selectors(), "selectors", kMaxDeviceSelectors,
      [&](const resource::DeviceSelector& selector, size_t) {
        ValidateDeviceSelector(selector, errors);
      },
      errors);
  ValidateItems(
      spec.config(), "config", kMaxDeviceConfigs,
      [&](const resource::DeviceClassConfiguration& config, size_t) {
        ValidateOpaqueConfig(config.has_opaque(), config.opaque(), config_is_stored, errors);
      },
      errors);
  const std::optional<std::string_view> name = spec.extended_resource_name();
  if (name && !IsExtendedResource(*name)) {
    errors.Invalid("extendedResourceName", *name, "must be a valid extended resource name");
  }
}

void ValidateDeviceClass(const object::Document& object, FieldErrors& errors) {
  Validate(resource::DeviceClass(object).spec(), false, errors);
}

void ValidateDeviceClassUpdate(const object::Document& object, const object::Document& old,
                               FieldErrors& errors) {
  const bool same = SameValue(old.root().FindPath({"spec", "config"}),
                              object.root().FindPath({"spec", "config"}));
  Validate(resource::DeviceClass(object).spec(), same, errors);
}

}  // namespace

constinit const KindRules kDeviceClassRules = {.group = "resource.k8s.io",
                                               .kind = "DeviceClass",
                                               .create = ValidateDeviceClass,
                                               .update = ValidateDeviceClassUpdate};

}  // namespace skiff::apiserver
