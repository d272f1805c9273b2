#include "apiserver/registry/core/pod_normal_form.h"

#include "apiserver/convert/old_names.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

std::string_view ValueText(const object::Value* value) {
  return value == nullptr ? std::string_view() : value->AsText();
}

void AgreeOnServiceAccount(object::Value* spec, Arena& arena) {
  if (spec == nullptr) return;
  std::string_view name = ValueText(spec->Find("serviceAccountName"));
  if (name.empty()) name = ValueText(spec->Find("serviceAccount"));
  if (name.empty()) {
    spec->Erase("serviceAccount");
    return;
  }
  spec->Set(arena, "serviceAccountName", object::Value::String(name));
  spec->Set(arena, "serviceAccount", object::Value::String(name));
}

void AgreeOnPodIp(object::Value* status, Arena& arena) {
  if (status == nullptr) return;
  const std::string_view ip = ValueText(status->Find("podIP"));
  const object::Value* const ips = status->Find("podIPs");
  const bool listed = ips != nullptr && ips->size() != 0;
  const std::string_view first =
      listed ? ValueText(ips->items()[0].Find("ip")) : std::string_view();
  if (ip.empty()) {
    if (!first.empty()) status->Set(arena, "podIP", object::Value::String(first));
  } else if (!listed || ip != first) {
    object::Value only = object::Value::EmptyObject(arena, core::PodIP::Type());
    only.Set(arena, "ip", object::Value::String(ip));
    status->Set(arena, "podIPs", object::Value::List(arena, {&only, 1}));
  }
}

Result<void> NormalizePod(object::Value& pod, Arena& arena) {
  NormalizePodTemplate(&pod, arena);
  object::Value* const spec = pod.Find("spec");
  const object::Value* const grace =
      spec == nullptr ? nullptr : spec->Find("terminationGracePeriodSeconds");
  if (grace != nullptr && grace->AsInt() < 0) {
    spec->Set(arena, "terminationGracePeriodSeconds", object::Value::Int(1));
  }
  AgreeOnPodIp(pod.Find("status"), arena);
  return {};
}

bool IsNormalPod(std::string_view pod) {
  static const NormalPodTemplate own(core::Pod::Type(), "");
  if (!own.Holds(pod)) return false;
  static const object::WirePath grace =
      object::WirePath::Of(core::Pod::Type(), "spec.terminationGracePeriodSeconds");
  static const SameAsFirst ip{object::WirePath::Of(core::Pod::Type(), "status.podIP"),
                              object::WirePath::Of(core::Pod::Type(), "status.podIPs[*]"),
                              object::WirePath::Of(core::PodIP::Type(), "ip")};
  bool odd = false;
  const auto seconds = grace.Find(pod, odd);
  return !odd && (!seconds || static_cast<int64_t>(seconds->number) >= 0) && ip.Holds(pod);
}

Result<void> NormalizeTemplateObject(object::Value& object, Arena& arena) {
  NormalizePodTemplate(object.Find("template"), arena);
  return {};
}

bool IsNormalTemplateObject(std::string_view message) {
  static const NormalPodTemplate own(core::PodTemplate::Type(), "template.");
  return own.Holds(message);
}

Result<void> NormalizeController(object::Value& object, Arena& arena) {
  object::Value* const spec = object.Find("spec");
  NormalizePodTemplate(spec == nullptr ? nullptr : spec->Find("template"), arena);
  return {};
}

bool IsNormalController(std::string_view message) {
  static const NormalPodTemplate own(core::ReplicationController::Type(), "spec.template.");
  return own.Holds(message);
}

}  // namespace

void NormalizePodTemplate(object::Value* pod, Arena& arena) {
  if (pod == nullptr) return;
  DropAnnotations(*pod, kInitContainerAnnotations);
  AgreeOnServiceAccount(pod->Find("spec"), arena);
}

NormalPodTemplate::NormalPodTemplate(const object::MessageDesc* type, const std::string& at)
    : account_{object::WirePath::Of(type, at + "spec.serviceAccountName"),
               object::WirePath::Of(type, at + "spec.serviceAccount")},
      annotations_(object::WirePath::Of(type, at + "metadata.annotations")) {}

bool NormalPodTemplate::Holds(std::string_view message) const {
  return account_.Holds(message) && HasNone(annotations_, message, kInitContainerAnnotations);
}

constinit const NormalForm kPodNormalForm = {core::Pod::Type, NormalizePod, IsNormalPod};
constinit const NormalForm kPodTemplateNormalForm = {
    core::PodTemplate::Type, NormalizeTemplateObject, IsNormalTemplateObject};
constinit const NormalForm kReplicationControllerNormalForm = {
    core::ReplicationController::Type, NormalizeController, IsNormalController};

}  // namespace skiff::apiserver
