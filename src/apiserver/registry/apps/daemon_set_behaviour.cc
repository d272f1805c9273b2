#include "apiserver/registry/apps/daemon_set_behaviour.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "apiserver/rest/object_meta.h"
#include "apiserver/validation/common.h"
#include "views/apps/v1.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kTemplateGeneration = "deprecated.daemonset.template.generation";

int64_t TemplateGenerationOf(const object::Document& object) {
  const auto text =
      views::apps_v1::DaemonSet(object).metadata().annotations().Find(kTemplateGeneration);
  int64_t generation = 0;
  if (text) std::from_chars(text->data(), text->data() + text->size(), generation);
  return generation;
}

void SetTemplateGeneration(object::Document& object, int64_t generation) {
  views::apps_v1::MutableDaemonSet(object).mutable_metadata().put_annotations(
      kTemplateGeneration, std::to_string(generation));
}

}  // namespace

Result<void> DaemonSetBehaviour::PrepareForCreate(WriteContext&, object::Document& object) {
  SetTemplateGeneration(object, std::max<int64_t>(TemplateGenerationOf(object), 1));
  return {};
}

Result<void> DaemonSetBehaviour::PrepareForUpdate(WriteContext&, object::Document& old,
                                                  object::Document& object) {
  const bool changed = !SameValue(views::apps_v1::DaemonSet(old).spec().template_().AsValue(),
                                  views::apps_v1::DaemonSet(object).spec().template_().AsValue());
  SetTemplateGeneration(object, TemplateGenerationOf(old) + (changed ? 1 : 0));
  return {};
}

}  // namespace skiff::apiserver
