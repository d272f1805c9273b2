#include "apiserver/registry/apps/workload_conversion.h"

#include <string>

#include "apiserver/convert/old_names.h"
#include "views/apps/v1.h"
#include "views/apps/v1beta1.h"
#include "views/extensions/v1beta1.h"

namespace skiff {
namespace {

void Annotate(Value& object, std::string_view name, int64_t number, Copier& copier) {
  Value& metadata = copier.Obtain(object, "metadata");
  Value* annotations = metadata.Find("annotations");
  if (annotations == nullptr) {
    annotations = &metadata.Set(copier.arena(), "annotations", Value::EmptyMap());
  }
  annotations->SetEntry(copier.arena(), name,
                        Value::String(copier.arena().Copy(std::to_string(number))));
}

void KeepRollback(const Value& from, Value& out, Copier& copier) {
  const Value* const rollback = from.FindPath({"spec", "rollbackTo"});
  if (rollback == nullptr || !rollback->is_object()) return;
  const Value* const revision = rollback->Find("revision");
  Annotate(out, kRollbackToAnnotation, revision == nullptr ? 0 : revision->AsInt(), copier);
}

void KeepTemplateGeneration(const Value& from, Value& out, Copier& copier) {
  const Value* const generation = from.FindPath({"spec", "templateGeneration"});
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

}  // namespace skiff
