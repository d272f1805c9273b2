#include "apiserver/registry/apps/workload_conversion.h"

#include <string>

#include "apiserver/convert/old_names.h"
#include "views/apps/v1.h"
#include "views/apps/v1beta1.h"
#include "views/extensions/v1beta1.h"

namespace skiff::apiserver {
namespace {

void Annotate(object::Value& object, std::string_view name, int64_t number, Copier& copier) {
  object::Value& metadata = copier.Obtain(object, "metadata");
  object::Value* annotations = metadata.Find("annotations");
  if (annotations == nullptr) {
    annotations = &metadata.Set(copier.arena(), "annotations", object::Value::EmptyMap());
  }
  annotations->SetEntry(copier.arena(), name,
                        object::Value::String(copier.arena().Copy(std::to_string(number))));
}

void KeepRollback(const object::Value& from, object::Value& out, Copier& copier) {
  const object::Value* const rollback = from.FindPath({"spec", "rollbackTo"});
  if (rollback == nullptr || !rollback->is_object()) return;
  const object::Value* const revision = rollback->Find("revision");
  Annotate(out, kRollbackToAnnotation, revision == nullptr ? 0 : revision->AsInt(), copier);
}

void KeepTemplateGeneration(const object::Value& from, object::Value& out, Copier& copier) {
  const object::Value* const generation = from.FindPath({"spec", "templateGeneration"});
  Annotate(out, kTemplateGenerationAnnotation, generation == nullptr ? 0 : generation->AsInt(),
           copier);
}

constexpr ConversionRule kConversions[] = {
    {views::extensions_v1beta1::Deployment::Type, views::apps_v1::Deployment::Type, KeepRollback},
    {views::apps_v1beta1::Deployment::Type, views::apps_v1::Deployment::Type, KeepRollback},
    {views::extensions_v1beta1::DaemonSet::Type, views::apps_v1::DaemonSet::Type,
     KeepTemplateGeneration},
};

}  // namespace

std::span<const ConversionRule> WorkloadConversions() { return kConversions; }

}  // namespace skiff::apiserver
