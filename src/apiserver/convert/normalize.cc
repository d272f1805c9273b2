#include "apiserver/convert/normalize.h"

#include <array>
#include <charconv>
#include <span>
#include <string>
#include <vector>

#include "apiserver/convert/old_names.h"
#include "apiserver/convert/rules.h"
#include "apiserver/defaults/defaults.h"
#include "object/protobuf/embedded_kinds.h"
#include "views/apps/v1.h"
#include "views/autoscaling/v2.h"
#include "views/batch/v1.h"
#include "views/core/v1.h"
#include "views/policy/v1.h"

namespace skiff {
namespace {

using namespace views;

std::string_view TextOf(const Value* value) {
  return value == nullptr ? std::string_view() : value->AsText();
}

Value* FindPath(Value& object, std::initializer_list<std::string_view> names) {
  Value* at = &object;
  for (const std::string_view name : names) {
    if (at != nullptr) at = at->Find(name);
  }
  return at;
}

Value* AnnotationsOf(Value& object) { return FindPath(object, {"metadata", "annotations"}); }

void DropAnnotations(Value& object, std::span<const std::string_view> names) {
  Value* const annotations = AnnotationsOf(object);
  if (annotations == nullptr) return;
  for (const std::string_view name : names) annotations->Erase(name);
  if (annotations->size() == 0) object.Find("metadata")->Erase("annotations");
}

// --- pods

void AgreeOnServiceAccount(Value* spec, Arena& arena) {
  if (spec == nullptr) return;
  std::string_view name = TextOf(spec->Find("serviceAccountName"));
  if (name.empty()) name = TextOf(spec->Find("serviceAccount"));
  if (name.empty()) {
    spec->Erase("serviceAccount");
    return;
  }
  spec->Set(arena, "serviceAccountName", Value::String(name));
  spec->Set(arena, "serviceAccount", Value::String(name));
}

// Of a pod or a pod template.
void NormalizePod(Value* pod, Arena& arena) {
  if (pod == nullptr) return;
  DropAnnotations(*pod, kInitContainerAnnotations);
  AgreeOnServiceAccount(pod->Find("spec"), arena);
}

void AgreeOnPodIp(Value* status, Arena& arena) {
  if (status == nullptr) return;
  const std::string_view ip = TextOf(status->Find("podIP"));
  const Value* const ips = status->Find("podIPs");
  const bool listed = ips != nullptr && ips->size() != 0;
  const std::string_view first = listed ? TextOf(ips->items()[0].Find("ip")) : std::string_view();
  if (ip.empty()) {
    if (!first.empty()) status->Set(arena, "podIP", Value::String(first));
  } else if (!listed || ip != first) {
    Value only = Value::EmptyObject(arena, core_v1::PodIP::Type());
    only.Set(arena, "ip", Value::String(ip));
    status->Set(arena, "podIPs", Value::List(arena, {&only, 1}));
  }
}

void NormalizeWholePod(Value& pod, Arena& arena) {
  NormalizePod(&pod, arena);
  Value* const spec = pod.Find("spec");
  const Value* const grace =
      spec == nullptr ? nullptr : spec->Find("terminationGracePeriodSeconds");
  if (grace != nullptr && grace->AsInt() < 0) {
    spec->Set(arena, "terminationGracePeriodSeconds", Value::Int(1));
  }
  AgreeOnPodIp(pod.Find("status"), arena);
}

// --- other kinds

void NormalizeNode(Value& node, Arena& arena) {
  Value* const spec = node.Find("spec");
  if (spec == nullptr) return;
  const std::string_view cidr = TextOf(spec->Find("podCIDR"));
  const Value* const cidrs = spec->Find("podCIDRs");
  const bool listed = cidrs != nullptr && cidrs->size() != 0;
  const std::string_view first = listed ? cidrs->items()[0].AsText() : std::string_view();
  if (cidr.empty()) {
    if (!first.empty()) spec->Set(arena, "podCIDR", Value::String(first));
  } else if (!listed || cidr != first) {
    const Value only = Value::String(cidr);
    spec->Set(arena, "podCIDRs", Value::List(arena, {&only, 1}));
  }
}

void NormalizeSecret(Value& secret, Arena& arena) {
  const Value* const strings = secret.Find("stringData");
  if (strings == nullptr) return;
  const std::vector<MapEntry> entries(strings->entries().begin(), strings->entries().end());
  secret.Erase("stringData");
  if (entries.empty()) return;
  Value* data = secret.Find("data");
  if (data == nullptr) data = &secret.Set(arena, "data", Value::EmptyMap());
  for (const MapEntry& entry : entries) {
    data->SetEntry(arena, entry.key, Value::Bytes(TextOf(&entry.value)));
  }
}

// A selector that is nothing but the mark, meaning that no pod matches, is left alone.
void NormalizeBudget(Value& budget) {
  Value* const selector = FindPath(budget, {"spec", "selector"});
  Value* const expressions = selector == nullptr ? nullptr : selector->Find("matchExpressions");
  if (expressions == nullptr || expressions->size() == 0) return;
  const Value* const labels = selector->Find("matchLabels");
  const meta_v1::LabelSelectorRequirement first(&expressions->items()[0]);
  if (expressions->size() == 1 && (labels == nullptr || labels->size() == 0) &&
      first.key() == kEmptySelectorMatch && first.operator_() == "Exists" &&
      first.values().empty()) {
    return;
  }
  expressions->EraseItemsIf(
      [](const Value& each) { return TextOf(each.Find("key")) == kEmptySelectorMatch; });
  if (expressions->size() == 0) selector->Erase("matchExpressions");
}

// The annotation, if it is there, as the shortest text of its number.
void SetIfAbsent(Value& object, std::string_view annotation, std::string_view text, Arena& arena) {
  Value* metadata = object.Find("metadata");
  if (metadata == nullptr) return;
  Value* annotations = metadata->Find("annotations");
  if (annotations == nullptr) annotations = &metadata->Set(arena, "annotations", Value::EmptyMap());
  if (annotations->Find(annotation) != nullptr) return;
  annotations->SetEntry(arena, annotation, Value::String(text));
}

Result<void> NormalizeNumber(Value& object, std::string_view annotation, bool may_be_empty,
                             Arena& arena) {
  Value* const annotations = AnnotationsOf(object);
  const Value* const value = annotations == nullptr ? nullptr : annotations->Find(annotation);
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
  annotations->SetEntry(arena, annotation, Value::String(arena.Copy(std::to_string(number))));
  return {};
}

Value* TemplateOf(Value& object, const MessageDesc* type) {
  if (type == core_v1::PodTemplate::Type()) return object.Find("template");
  if (type == batch_v1::CronJob::Type()) {
    return FindPath(object, {"spec", "jobTemplate", "spec", "template"});
  }
  for (const MessageDesc* kind : {apps_v1::Deployment::Type(), apps_v1::ReplicaSet::Type(),
                                  apps_v1::StatefulSet::Type(), apps_v1::DaemonSet::Type(),
                                  core_v1::ReplicationController::Type(), batch_v1::Job::Type()}) {
    if (type == kind) return FindPath(object, {"spec", "template"});
  }
  return nullptr;
}

}  // namespace

Result<void> DefaultAndNormalize(Document& object) {
  ApplyDefaults(object);
  return Normalize(object);
}

Result<void> Normalize(Document& object) {
  const MessageDesc* const type = object.type();
  if (type == nullptr) return {};
  Value& root = object.root();
  Arena& arena = object.arena();
  NormalizePod(TemplateOf(root, type), arena);
  if (type == core_v1::Pod::Type()) NormalizeWholePod(root, arena);
  if (type == core_v1::Node::Type()) NormalizeNode(root, arena);
  if (type == core_v1::Secret::Type()) NormalizeSecret(root, arena);
  NameEmbeddedKinds(object);
  if (type == policy_v1::PodDisruptionBudget::Type()) NormalizeBudget(root);
  if (type == autoscaling_v2::HorizontalPodAutoscaler::Type()) {
    DropAnnotations(root, AutoscalingAnnotations());
  }
  if (type == apps_v1::Deployment::Type()) {
    return NormalizeNumber(root, kRollbackToAnnotation, true, arena);
  }
  if (type == apps_v1::DaemonSet::Type()) {
    // Whoever writes a daemon set owns the annotation, for it was a field once that all wrote.
    SetIfAbsent(root, kTemplateGenerationAnnotation, "0", arena);
    return NormalizeNumber(root, kTemplateGenerationAnnotation, false, arena);
  }
  return {};
}

}  // namespace skiff
