#include "apiserver/registry/core/namespace.h"

#include "apiserver/validation/common.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

// At the place where `errors` is.
void ValidateFinalizer(std::string_view name, FieldErrors& errors) {
  ValidateFormat(kQualifiedNameFormat, name, "", errors);
  if (name.find('/') != std::string_view::npos) return;
  if (name == "kubernetes" || name == "orphan" || name == "foregroundDeletion") return;
  errors.Invalid("", name, "name is neither a standard finalizer name nor is it fully qualified");
}

void ValidateNamespace(const object::Document& object, FieldErrors& errors) {
  const auto spec = errors.At("spec");
  const auto at = errors.At("finalizers");
  for (const std::string_view name : core::Namespace(object).spec().finalizers()) {
    ValidateFinalizer(name, errors);
  }
}

void ValidateNamespaceUpdate(const object::Document& object, const object::Document&,
                             FieldErrors& errors) {
  ValidateNamespace(object, errors);
}

void ValidateNamespaceStatus(const object::Document& object, const object::Document&,
                             FieldErrors& errors) {
  const core::Namespace space(object);
  const bool deleting = space.metadata().deletion_timestamp().has_value();
  const std::string_view phase = space.status().phase();
  if (!deleting && phase != "Active") {
    errors.Invalid("status.Phase", phase, "may only be 'Active' if `deletionTimestamp` is empty");
  } else if (deleting && phase != "Terminating") {
    errors.Invalid("status.Phase", phase,
                   "may only be 'Terminating' if `deletionTimestamp` is not empty");
  }
}

void ValidateNamespaceFinalize(const object::Document& object, const object::Document&,
                               FieldErrors& errors) {
  const auto finalizers = core::Namespace(object).spec().finalizers();
  const auto spec = errors.At("spec");
  for (size_t i = 0; i < finalizers.size(); ++i) {
    const auto at = errors.At("finalizers", i);
    ValidateFinalizer(finalizers[i], errors);
  }
}

constexpr SubresourceRules kOthers[] = {{"finalize", ValidateNamespaceFinalize}};

}  // namespace

constinit const KindRules kNamespaceRules = {.group = "",
                                             .kind = "Namespace",
                                             .create = ValidateNamespace,
                                             .update = ValidateNamespaceUpdate,
                                             .status = ValidateNamespaceStatus,
                                             .others = kOthers};

}  // namespace skiff::apiserver
