#include "apiserver/registry/storage/volume_attributes_class.h"

#include "apiserver/registry/storage/parameters.h"
#include "apiserver/validation/common.h"
#include "views/storage.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

using AttributesClass = views::storage_k8s_io_v1::VolumeAttributesClass;

void ValidateVolumeAttributesClass(const object::Document& object, FieldErrors& errors) {
  const AttributesClass attributes(object);
  ValidateProvisioner(attributes.driver_name(), "driverName", errors);
  ValidateParameters(attributes.parameters(), false, errors);
}

void ValidateVolumeAttributesClassUpdate(const object::Document& object,
                                         const object::Document& old, FieldErrors& errors) {
  if (AttributesClass(object).driver_name() != AttributesClass(old).driver_name()) {
    errors.Forbidden("driverName", "updates to driverName are forbidden.");
  }
  if (!SameValue(old.root().Member(AttributesClass::kParameters),
                 object.root().Member(AttributesClass::kParameters))) {
    errors.Forbidden("parameters", "updates to parameters are forbidden.");
  }
  ValidateVolumeAttributesClass(object, errors);
}

}  // namespace

constinit const KindRules kVolumeAttributesClassRules = {
    .group = "storage.k8s.io",
    .kind = "VolumeAttributesClass",
    .create = ValidateVolumeAttributesClass,
    .update = ValidateVolumeAttributesClassUpdate};

}  // namespace skiff::apiserver
