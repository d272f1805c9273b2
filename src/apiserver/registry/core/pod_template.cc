#include "apiserver/registry/core/pod_template.h"

#include "apiserver/registry/core/pod_spec.h"
#include "apiserver/registry/core/pod_warnings.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

void ValidateOnCreate(const object::Document& object, FieldErrors& errors) {
  const auto at = errors.At("template");
  ValidatePodTemplate(core::PodTemplate(object).template_(), errors);
}

void ValidateOnUpdate(const object::Document& object, const object::Document& old,
                      FieldErrors& errors) {
  const auto at = errors.At("template");
  ValidatePodTemplate(core::PodTemplate(object).template_(), core::PodTemplate(old).template_(),
                      errors);
}

void Warn(const object::Document& object, const object::Document* old, const KindSettings&,
          std::vector<std::string>& warnings) {
  const core::PodTemplate now(object);
  if (old != nullptr &&
      core::PodTemplate(*old).metadata().generation() == now.metadata().generation()) {
    return;
  }
  WarnAboutPodTemplate(now.template_(), "template", warnings);
}

}  // namespace

constinit const KindRules kPodTemplateRules = {
    .group = "",
    .kind = "PodTemplate",
    .create = ValidateOnCreate,
    .update = ValidateOnUpdate,
    .warn = Warn,
};

}  // namespace skiff::apiserver
