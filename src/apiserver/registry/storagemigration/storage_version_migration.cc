#include "apiserver/registry/storagemigration/storage_version_migration.h"

#include "apiserver/validation/common.h"
#include "base/strings.h"
#include "views/storagemigration.k8s.io/v1beta1.h"

namespace skiff::apiserver {
namespace {

namespace migration = views::storagemigration_k8s_io_v1beta1;

// Problems of one text as one fault.
void ValidateWhole(const NameFormat& format, std::string_view text, std::string_view field,
                   FieldErrors& errors) {
  if (!format.is(text)) errors.Invalid(field, text, format.check(text).front());
}

void ValidateCreate(const object::Document& object, FieldErrors& errors) {
  const auto resource = migration::StorageVersionMigration(object).spec().resource();
  if (resource.resource().empty()) {
    errors.Required("spec.resource.resource", "resource is required to be set");
  } else {
    ValidateWhole(kDns1035LabelFormat, resource.resource(), "spec.resource.resource", errors);
  }
  if (!resource.group().empty()) {
    ValidateWhole(kDnsSubdomainFormat, resource.group(), "spec.resource.group", errors);
  }
}

void ValidateUpdate(const object::Document& object, const object::Document& old,
                    FieldErrors& errors) {
  ValidateCreate(object, errors);
  ValidateImmutable(old.root().Find("spec"), object.root().Find("spec"), "spec", errors);
}

bool IsTrue(const migration::StorageVersionMigrationStatus& status, std::string_view type) {
  for (const auto condition : status.conditions()) {
    if (condition.type() == type) return condition.status() == "True";
  }
  return false;
}

bool IsResourceVersion(std::string_view text) {
  if (text.empty() || text.front() == '0') return false;
  for (const char c : text) {
    if (!IsDigit(c)) return false;
  }
  return true;
}

void ValidateStatus(const object::Document& object, const object::Document& old,
                    FieldErrors& errors) {
  const auto status = migration::StorageVersionMigration(object).status();
  const auto before = migration::StorageVersionMigration(old).status();
  const auto at = errors.At("status");
  const std::string_view version = status.resource_version();
  if (!version.empty() && !IsResourceVersion(version)) {
    errors.Invalid("resourceVersion", version, "is not a resource version");
  }
  ValidateConditions(status.conditions(), "conditions", errors);
  if (!before.resource_version().empty() && before.resource_version() != version) {
    errors.Invalid("resourceVersion", version, kIsImmutable);
  }
  const object::Value* conditions =
      status.AsValue() != nullptr ? status.AsValue()->Find("conditions") : nullptr;
  if (IsTrue(status, "Succeeded") && IsTrue(status, "Failed")) {
    errors.Invalid("conditions", conditions,
                   "Both success and failed conditions cannot be true at the same time");
  }
  if (IsTrue(before, "Succeeded") && !IsTrue(status, "Succeeded")) {
    errors.Invalid("conditions", conditions,
                   "Success condition cannot be set to false once it is true");
  }
  if (IsTrue(before, "Failed") && !IsTrue(status, "Failed")) {
    errors.Invalid("conditions", conditions,
                   "Failed condition cannot be set to false once it is true");
  }
}

}  // namespace

const KindRules kStorageVersionMigrationRules = {.group = "storagemigration.k8s.io",
                                                 .kind = "StorageVersionMigration",
                                                 .create = ValidateCreate,
                                                 .update = ValidateUpdate,
                                                 .status = ValidateStatus};

}  // namespace skiff::apiserver
