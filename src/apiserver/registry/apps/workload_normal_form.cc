#include "apiserver/registry/apps/workload_normal_form.h"

#include <charconv>
#include <string>

#include "apiserver/convert/old_names.h"
#include "apiserver/registry/core/pod_normal_form.h"
#include "views/apps/v1.h"

namespace skiff::apiserver {
namespace {

namespace apps = views::apps_v1;

void SetIfAbsent(object::Value& object, std::string_view annotation, std::string_view text,
                 Arena& arena) {
  object::Value* metadata = object.Find("metadata");
  if (metadata == nullptr) return;
  object::Value* annotations = metadata->Find("annotations");
  if (annotations == nullptr)
    annotations = &metadata->Set(arena, "annotations", object::Value::EmptyMap());
  if (annotations->Find(annotation) != nullptr) return;
  annotations->SetEntry(arena, annotation, object::Value::String(text));
}

// The annotation, if it is there, as the shortest text of its number.
Result<void> NormalizeNumber(object::Value& object, std::string_view annotation, bool may_be_empty,
                             Arena& arena) {
  object::Value* const annotations = AnnotationsOf(object);
  const object::Value* const value =
      annotations == nullptr ? nullptr : annotations->Find(annotation);
  if (value == nullptr) return {};
  std::string_view text = value->AsText();
  if (text.empty() && may_be_empty) {
    annotations->Erase(annotation);
    if (annotations->size() == 0) object.Find("metadata")->Erase("annotations");
    return {};
  }
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || at != end) {
    return BadRequest("metadata.annotations[" + std::string(annotation) + "]: \"" +
                      std::string(value->AsText()) + "\" is not a 64-bit integer");
  }
  annotations->SetEntry(arena, annotation,
                        object::Value::String(arena.Copy(std::to_string(number))));
  return {};
}

Result<void> NormalizeWorkload(object::Value& workload, Arena& arena) {
  NormalizePodTemplate(FindNested(workload, {"spec", "template"}), arena);
  return {};
}

bool IsNormalDeployment(std::string_view deployment) {
  static const NormalPodTemplate own(apps::Deployment::Type(), "spec.template.");
  static const object::WirePath annotations =
      object::WirePath::Of(apps::Deployment::Type(), "metadata.annotations");
  return own.Holds(deployment) && HasNone(annotations, deployment, {&kRollbackToAnnotation, 1});
}

Result<void> NormalizeDeployment(object::Value& deployment, Arena& arena) {
  SKIFF_RETURN_IF_ERROR(NormalizeWorkload(deployment, arena));
  return NormalizeNumber(deployment, kRollbackToAnnotation, true, arena);
}

bool IsNormalReplicaSet(std::string_view message) {
  static const NormalPodTemplate own(apps::ReplicaSet::Type(), "spec.template.");
  return own.Holds(message);
}

bool IsNormalStatefulSet(std::string_view message) {
  static const NormalPodTemplate own(apps::StatefulSet::Type(), "spec.template.");
  return own.Holds(message);
}

Result<void> NormalizeDaemonSet(object::Value& daemon_set, Arena& arena) {
  SKIFF_RETURN_IF_ERROR(NormalizeWorkload(daemon_set, arena));
  // Whoever writes a daemon set owns the annotation, for it was a field once that all wrote.
  SetIfAbsent(daemon_set, kTemplateGenerationAnnotation, "0", arena);
  return NormalizeNumber(daemon_set, kTemplateGenerationAnnotation, false, arena);
}

}  // namespace

constinit const NormalForm kDeploymentNormalForm = {apps::Deployment::Type, NormalizeDeployment,
                                                    IsNormalDeployment};
constinit const NormalForm kReplicaSetNormalForm = {apps::ReplicaSet::Type, NormalizeWorkload,
                                                    IsNormalReplicaSet};
constinit const NormalForm kStatefulSetNormalForm = {apps::StatefulSet::Type, NormalizeWorkload,
                                                     IsNormalStatefulSet};
// The annotation has to be a number, which its bytes do not tell.
constinit const NormalForm kDaemonSetNormalForm = {apps::DaemonSet::Type, NormalizeDaemonSet,
                                                   nullptr};

}  // namespace skiff::apiserver
