#include "apiserver/registry/core/pod_normal_form.h"

#include "apiserver/convert/old_names.h"
#include "views/core/v1.h"

namespace skiff {
namespace {

namespace core = views::core_v1;

std::string_view ValueText(const Value* value) {
  return value == nullptr ? std::string_view() : value->AsText();
}

void AgreeOnServiceAccount(Value* spec, Arena& arena) {
  if (spec == nullptr) return;
  std::string_view name = ValueText(spec->Find("serviceAccountName"));
  if (name.empty()) name = ValueText(spec->Find("serviceAccount"));
  if (name.empty()) {
    spec->Erase("serviceAccount");
    return;
  }
  spec->Set(arena, "serviceAccountName", Value::String(name));
  spec->Set(arena, "serviceAccount", Value::String(name));
}

void AgreeOnPodIp(Value* status, Arena& arena) {
  if (status == nullptr) return;
  const std::string_view ip = ValueText(status->Find("podIP"));
  const Value* const ips = status->Find("podIPs");
  const bool listed = ips != nullptr && ips->size() != 0;
  const std::string_view first =
      listed ? ValueText(ips->items()[0].Find("ip")) : std::string_view();
  if (ip.empty()) {
    if (!first.empty()) status->Set(arena, "podIP", Value::String(first));
  } else if (!listed || ip != first) {
    Value only = Value::EmptyObject(arena, core::PodIP::Type());
    only.Set(arena, "ip", Value::String(ip));
    status->Set(arena, "podIPs", Value::List(arena, {&only, 1}));
  }
}

Result<void> NormalizePod(Value& pod, Arena& arena) {
  NormalizePodTemplate(&pod, arena);
  Value* const spec = pod.Find("spec");
  const Value* const grace =
      spec == nullptr ? nullptr : spec->Find("terminationGracePeriodSeconds");
  if (grace != nullptr && grace->AsInt() < 0) {
    spec->Set(arena, "terminationGracePeriodSeconds", Value::Int(1));
  }
  AgreeOnPodIp(pod.Find("status"), arena);
  return {};
}

bool IsNormalPod(std::string_view pod) {
  static const NormalPodTemplate own(core::Pod::Type(), "");
  if (!own.Holds(pod)) return false;
  static const WirePath grace =
      WirePath::Of(core::Pod::Type(), "spec.terminationGracePeriodSeconds");
  static const SameAsFirst ip{WirePath::Of(core::Pod::Type(), "status.podIP"),
                              WirePath::Of(core::Pod::Type(), "status.podIPs[*]"),
                              WirePath::Of(core::PodIP::Type(), "ip")};
  bool odd = false;
  const auto seconds = grace.Find(pod, odd);
  return !odd && (!seconds || static_cast<int64_t>(seconds->number) >= 0) && ip.Holds(pod);
}

Result<void> NormalizeTemplateObject(Value& object, Arena& arena) {
  NormalizePodTemplate(object.Find("template"), arena);
  return {};
}

bool IsNormalTemplateObject(std::string_view message) {
  static const NormalPodTemplate own(core::PodTemplate::Type(), "template.");
  return own.Holds(message);
}

Result<void> NormalizeController(Value& object, Arena& arena) {
  Value* const spec = object.Find("spec");
  NormalizePodTemplate(spec == nullptr ? nullptr : spec->Find("template"), arena);
  return {};
}

bool IsNormalController(std::string_view message) {
  static const NormalPodTemplate own(core::ReplicationController::Type(), "spec.template.");
  return own.Holds(message);
}

}  // namespace

void NormalizePodTemplate(Value* pod, Arena& arena) {
  if (pod == nullptr) return;
  DropAnnotations(*pod, kInitContainerAnnotations);
  AgreeOnServiceAccount(pod->Find("spec"), arena);
}

NormalPodTemplate::NormalPodTemplate(const MessageDesc* type, const std::string& at)
    : account_{WirePath::Of(type, at + "spec.serviceAccountName"),
               WirePath::Of(type, at + "spec.serviceAccount")},
      annotations_(WirePath::Of(type, at + "metadata.annotations")) {}

bool NormalPodTemplate::Holds(std::string_view message) const {
  return account_.Holds(message) && HasNone(annotations_, message, kInitContainerAnnotations);
}

constinit const NormalForm kPodNormalForm = {core::Pod::Type, NormalizePod, IsNormalPod};
constinit const NormalForm kPodTemplateNormalForm = {
    core::PodTemplate::Type, NormalizeTemplateObject, IsNormalTemplateObject};
constinit const NormalForm kReplicationControllerNormalForm = {
    core::ReplicationController::Type, NormalizeController, IsNormalController};

}  // namespace skiff
