#include "apiserver/registry/autoscaling/horizontal_pod_autoscaler_conversion.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/convert/old_names.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/json/text.h"
#include "views/autoscaling/v1.h"
#include "views/autoscaling/v2.h"

namespace skiff::apiserver {
namespace {

namespace v1 = views::autoscaling_v1;
namespace v2 = views::autoscaling_v2;

constexpr std::string_view kMetrics = kAutoscalingAnnotations[0];
constexpr std::string_view kBehavior = kAutoscalingAnnotations[1];
constexpr std::string_view kCurrentMetrics = kAutoscalingAnnotations[2];
constexpr std::string_view kConditions = kAutoscalingAnnotations[3];
constexpr int64_t kDefaultCpuUtilization = 80;

// --- metrics and their statuses

// How v1 names the parts of a metric that v2 keeps in `metric` and in `target` or `current`. Empty:
// this kind of metric has no such part.
struct MetricNames {
  std::string_view side;  // "target" or "current"
  std::string_view metric_name = {};
  std::string_view selector = {};
  std::string_view object = {};  // v2: describedObject
  std::string_view value = {};
  std::string_view average_value = {};
  std::string_view utilization = {};
};

void PutQuantityOrZero(object::Value& out, std::string_view field, const object::Value* quantity,
                       Copier& copier) {
  copier.PutText(out, field, quantity == nullptr ? "0" : quantity->AsText());
}

void PutUnlessEmpty(object::Value& out, std::string_view field, const object::Value* value,
                    Copier& copier) {
  if (value != nullptr && value->AsText() != "0") copier.Put(out, field, value);
}

const object::Value* FindIn(const object::Value* message, std::string_view field) {
  return message == nullptr || field.empty() ? nullptr : message->Find(field);
}

bool IsPointer(const object::Value& message, std::string_view field) {
  return message.type()->fields[message.type()->FindField(field)].pointer();
}

// A quantity that is no pointer in v1 is always there.
void PutFromV1(object::Value& side, std::string_view field, const object::Value& from,
               std::string_view name, Copier& copier) {
  if (name.empty()) return;
  const object::Value* const value = from.Find(name);
  if (IsPointer(from, name)) {
    copier.Put(side, field, value);
  } else {
    PutQuantityOrZero(side, field, value, copier);
  }
}

std::string_view TargetType(const object::Value& from, const MetricNames& names) {
  if (!names.utilization.empty()) {
    return from.Find(names.utilization) != nullptr ? "Utilization" : "AverageValue";
  }
  if (names.value.empty()) return "AverageValue";
  if (IsPointer(from, names.value)) {
    return from.Find(names.value) != nullptr ? "Value" : "AverageValue";
  }
  return from.Find(names.average_value) != nullptr ? "AverageValue" : "Value";
}

void MetricToV2(const object::Value& from, object::Value& out, const MetricNames& names,
                Copier& copier) {
  if (!names.metric_name.empty()) {
    object::Value& metric = copier.Make(out, "metric");
    copier.Put(metric, "name", from.Find(names.metric_name));
    copier.Put(metric, "selector", from.Find(names.selector));
  }
  if (!names.object.empty()) copier.Put(out, "describedObject", from.Find(names.object));
  const bool target = names.side == "target";
  object::Value& side = copier.Make(out, names.side);
  if (target) copier.PutText(side, "type", TargetType(from, names));
  PutFromV1(side, "value", from, names.value, copier);
  PutFromV1(side, "averageValue", from, names.average_value, copier);
  copier.Put(side, "averageUtilization", FindIn(&from, names.utilization));
  // v1 cannot leave the value of an object's metric out, so with an average a zero means nothing.
  const object::Value* const value = FindIn(&from, names.value);
  if (target && !names.object.empty() && side.Find("averageValue") != nullptr &&
      (value == nullptr || value->AsText() == "0")) {
    side.Erase("value");
  }
}

void PutToV1(object::Value& out, std::string_view name, const object::Value* value,
             Copier& copier) {
  if (name.empty()) return;
  if (IsPointer(out, name)) {
    copier.Put(out, name, value);
  } else {
    PutUnlessEmpty(out, name, value, copier);
  }
}

void MetricToV1(const object::Value& from, object::Value& out, const MetricNames& names,
                Copier& copier) {
  const object::Value* const metric = from.Find("metric");
  const object::Value* const side = from.Find(names.side);
  if (!names.metric_name.empty()) {
    copier.Put(out, names.metric_name, FindIn(metric, "name"));
    copier.Put(out, names.selector, FindIn(metric, "selector"));
  }
  if (!names.object.empty()) {
    out.Erase(names.object);  // v2 calls something else a target
    copier.Put(out, names.object, from.Find("describedObject"));
  }
  PutToV1(out, names.value, FindIn(side, "value"), copier);
  PutToV1(out, names.average_value, FindIn(side, "averageValue"), copier);
  PutToV1(out, names.utilization, FindIn(side, "averageUtilization"), copier);
}

constexpr MetricNames kObjectSource{.side = "target",
                                    .metric_name = "metricName",
                                    .selector = "selector",
                                    .object = "target",
                                    .value = "targetValue",
                                    .average_value = "averageValue"};
constexpr MetricNames kPodsSource{.side = "target",
                                  .metric_name = "metricName",
                                  .selector = "selector",
                                  .average_value = "targetAverageValue"};
constexpr MetricNames kResourceSource{.side = "target",
                                      .average_value = "targetAverageValue",
                                      .utilization = "targetAverageUtilization"};
constexpr MetricNames kExternalSource{.side = "target",
                                      .metric_name = "metricName",
                                      .selector = "metricSelector",
                                      .value = "targetValue",
                                      .average_value = "targetAverageValue"};
constexpr MetricNames kObjectStatus{.side = "current",
                                    .metric_name = "metricName",
                                    .selector = "selector",
                                    .object = "target",
                                    .value = "currentValue",
                                    .average_value = "averageValue"};
constexpr MetricNames kPodsStatus{.side = "current",
                                  .metric_name = "metricName",
                                  .selector = "selector",
                                  .average_value = "currentAverageValue"};
constexpr MetricNames kResourceStatus{.side = "current",
                                      .average_value = "currentAverageValue",
                                      .utilization = "currentAverageUtilization"};
constexpr MetricNames kExternalStatus{.side = "current",
                                      .metric_name = "metricName",
                                      .selector = "metricSelector",
                                      .value = "currentValue",
                                      .average_value = "currentAverageValue"};

template <const MetricNames& kNames>
void ToV2(const object::Value& from, object::Value& out, Copier& copier) {
  MetricToV2(from, out, kNames, copier);
}
template <const MetricNames& kNames>
void ToV1(const object::Value& from, object::Value& out, Copier& copier) {
  MetricToV1(from, out, kNames, copier);
}

// --- annotations

void DropAnnotations(object::Value& object) {
  object::Value* const metadata = object.Find("metadata");
  object::Value* const annotations = metadata == nullptr ? nullptr : metadata->Find("annotations");
  if (annotations == nullptr) return;
  for (const std::string_view name : kAutoscalingAnnotations) annotations->Erase(name);
  if (annotations->size() == 0) metadata->Erase("annotations");
}

void Annotate(object::Value& object, std::string_view name, const std::string& text,
              Copier& copier) {
  if (object.Find("metadata") == nullptr) copier.Make(object, "metadata");
  object::Value& metadata = *object.Find("metadata");
  if (metadata.Find("annotations") == nullptr) {
    metadata.Set(copier.arena(), "annotations", object::Value::EmptyMap());
  }
  metadata.Find("annotations")
      ->SetEntry(copier.arena(), name, object::Value::String(copier.arena().Copy(text)));
}

std::string_view Annotation(const object::Value& object, std::string_view name) {
  const object::Value* const annotations = object.FindPath({"metadata", "annotations"});
  return annotations == nullptr ? std::string_view() : [&] {
    const object::Value* const text = annotations->Find(name);
    return text == nullptr ? std::string_view() : text->AsText();
  }();
}

// The items of an annotation, which is the JSON of a list; none if it is not.
std::optional<std::vector<object::Document>> ReadList(std::string_view json,
                                                      const object::MessageDesc* type) {
  const auto list = object::DecodeJson(json, nullptr);
  if (!list || !list->root().is_list()) return std::nullopt;
  std::vector<object::Document> items;
  for (const object::Value& item : list->root().items()) {
    auto typed = object::DecodeJson(object::EncodeJson(item), type);
    if (!typed) return std::nullopt;
    items.push_back(std::move(*typed));
  }
  return items;
}

// Replaces a list of `out` by what an annotation has; false if it has nothing.
bool PutList(object::Value& out, std::string_view field, std::string_view json,
             const object::MessageDesc* v1_type, Copier& copier) {
  const auto items = ReadList(json, v1_type);
  if (!items) return false;
  const object::MessageDesc* const type = out.type()->fields[out.type()->FindField(field)].message;
  std::vector<object::Value> values;
  for (const object::Document& item : *items) values.push_back(copier.Message(item.root(), type));
  out.Set(copier.arena(), field, object::Value::List(copier.arena(), values));
  return true;
}

std::string ListJson(const std::vector<object::Value>& items, Copier& copier) {
  return object::EncodeJson(object::Value::List(copier.arena(), items));
}

// Behaviour as JSON with capitals, and with null for what is not there.
void AppendBehaviorField(const object::Value* message, std::string_view capital,
                         std::string_view field, ByteBuffer& out) {
  out.Append('"');
  out.Append(capital);
  out.Append("\":");
  const object::Value* const value = FindIn(message, field);
  if (value == nullptr) {
    out.Append("null");
  } else {
    object::EncodeJson(*value, out);
  }
}

void AppendPolicies(const object::Value* policies, ByteBuffer& out) {
  out.Append(",\"Policies\":");
  if (policies == nullptr) return out.Append("null");
  char before = '[';
  for (const object::Value& policy : policies->items()) {
    const v2::HPAScalingPolicy one(&policy);
    out.Append(std::exchange(before, ','));
    out.Append("{\"Type\":");
    object::AppendJsonString(out, one.type());
    out.Append(",\"Value\":");
    object::AppendJsonInt(out, one.value());
    out.Append(",\"PeriodSeconds\":");
    object::AppendJsonInt(out, one.period_seconds());
    out.Append('}');
  }
  out.Append(policies->size() == 0 ? "[]" : "]");
}

void AppendRules(std::string_view name, const object::Value* rules, ByteBuffer& out) {
  out.Append(name);
  if (rules == nullptr) return out.Append("null");
  out.Append('{');
  AppendBehaviorField(rules, "StabilizationWindowSeconds", "stabilizationWindowSeconds", out);
  out.Append(',');
  AppendBehaviorField(rules, "SelectPolicy", "selectPolicy", out);
  AppendPolicies(rules->Find("policies"), out);
  out.Append(',');
  AppendBehaviorField(rules, "Tolerance", "tolerance", out);
  out.Append('}');
}

std::string BehaviorJson(const object::Value& behavior) {
  ByteBuffer out;
  AppendRules("{\"ScaleUp\":", behavior.Find("scaleUp"), out);
  AppendRules(",\"ScaleDown\":", behavior.Find("scaleDown"), out);
  out.Append('}');
  return out.ToString();
}

// The same tree with names as v2 has them: with a small letter first.
object::Value WithSmallNames(const object::Value& from, Arena& arena) {
  if (from.is_list()) {
    std::vector<object::Value> items;
    for (const object::Value& item : from.items()) items.push_back(WithSmallNames(item, arena));
    return object::Value::List(arena, items);
  }
  if (!from.is_map()) return from;
  object::Value out = object::Value::EmptyMap();
  for (const object::MapEntry& entry : from.entries()) {
    std::string name(entry.key);
    if (!name.empty() && name[0] >= 'A' && name[0] <= 'Z') {
      name[0] = static_cast<char>(name[0] - 'A' + 'a');
    }
    out.SetEntry(arena, name, WithSmallNames(entry.value, arena));
  }
  return out;
}

void PutBehavior(object::Value& spec, std::string_view json, Copier& copier) {
  auto capitals = object::DecodeJson(json, nullptr);
  if (!capitals) return;
  const object::Value small = WithSmallNames(capitals->root(), capitals->arena());
  const auto behavior =
      object::DecodeJson(object::EncodeJson(small), v2::HorizontalPodAutoscalerBehavior::Type());
  if (behavior && behavior->root().size() != 0) copier.Put(spec, "behavior", &behavior->root());
}

// --- the object

bool IsCpu(const v2::MetricSpec& metric) {
  return metric.type() == "Resource" && metric.resource().name() == "cpu" &&
         metric.resource().target().average_utilization().has_value();
}

object::Value& SubMessage(object::Value& object, std::string_view field, Copier& copier) {
  object::Value* const found = object.Find(field);
  return found != nullptr ? *found : copier.Make(object, field);
}

void CpuFieldsToV1(const v2::HorizontalPodAutoscaler& hpa, object::Value& out, Copier& copier) {
  for (const v2::MetricSpec metric : hpa.spec().metrics()) {
    if (!IsCpu(metric)) continue;
    SubMessage(out, "spec", copier)
        .Set(copier.arena(), "targetCPUUtilizationPercentage",
             object::Value::Int(*metric.resource().target().average_utilization()));
    break;
  }
  for (const v2::MetricStatus metric : hpa.status().current_metrics()) {
    const auto utilization = metric.resource().current().average_utilization();
    if (metric.type() != "Resource" || metric.resource().name() != "cpu" || !utilization) continue;
    SubMessage(out, "status", copier)
        .Set(copier.arena(), "currentCPUUtilizationPercentage", object::Value::Int(*utilization));
  }
}

void AutoscalerToV1(const object::Value& from, object::Value& out, Copier& copier) {
  const v2::HorizontalPodAutoscaler hpa(&from);
  DropAnnotations(out);
  CpuFieldsToV1(hpa, out, copier);
  std::vector<object::Value> metrics, statuses, conditions;
  for (const v2::MetricSpec metric : hpa.spec().metrics()) {
    if (IsCpu(metric)) continue;
    metrics.push_back(copier.Message(*metric.AsValue(), v1::MetricSpec::Type()));
  }
  // Also of the CPU, for the sake of the raw value.
  for (const v2::MetricStatus status : hpa.status().current_metrics()) {
    statuses.push_back(copier.Message(*status.AsValue(), v1::MetricStatus::Type()));
  }
  for (const v2::HorizontalPodAutoscalerCondition condition : hpa.status().conditions()) {
    conditions.push_back(
        copier.Message(*condition.AsValue(), v1::HorizontalPodAutoscalerCondition::Type()));
  }
  if (!metrics.empty()) Annotate(out, kMetrics, ListJson(metrics, copier), copier);
  if (!statuses.empty()) Annotate(out, kCurrentMetrics, ListJson(statuses, copier), copier);
  if (hpa.spec().has_behavior()) {
    Annotate(out, kBehavior, BehaviorJson(*hpa.spec().behavior().AsValue()), copier);
  }
  if (!conditions.empty()) Annotate(out, kConditions, ListJson(conditions, copier), copier);
}

void AppendCpuMetric(object::Value& spec, int64_t utilization, Copier& copier) {
  Arena& arena = copier.arena();
  object::Value metric = object::Value::EmptyObject(arena, v2::MetricSpec::Type());
  copier.PutText(metric, "type", "Resource");
  object::Value& resource = copier.Make(metric, "resource");
  copier.PutText(resource, "name", "cpu");
  object::Value& target = copier.Make(resource, "target");
  copier.PutText(target, "type", "Utilization");
  target.Set(arena, "averageUtilization", object::Value::Int(utilization));
  object::Value* metrics = spec.Find("metrics");
  if (metrics == nullptr) metrics = &spec.Set(arena, "metrics", object::Value::EmptyList());
  metrics->Append(arena, metric);
}

void CpuStatusToV2(const object::Value& utilization, object::Value& status, Copier& copier) {
  Arena& arena = copier.arena();
  object::Value metric = object::Value::EmptyObject(arena, v2::MetricStatus::Type());
  copier.PutText(metric, "type", "Resource");
  object::Value& resource = copier.Make(metric, "resource");
  copier.PutText(resource, "name", "cpu");
  object::Value& current = copier.Make(resource, "current");
  current.Set(arena, "averageUtilization", object::Value::Int(utilization.AsInt()));
  status.Set(arena, "currentMetrics", object::Value::List(arena, {&metric, 1}));
}

void AutoscalerToV2(const object::Value& from, object::Value& out, Copier& copier) {
  object::Value& spec = SubMessage(out, "spec", copier);
  PutList(spec, "metrics", Annotation(from, kMetrics), v1::MetricSpec::Type(), copier);
  if (const object::Value* cpu = from.FindPath({"spec", "targetCPUUtilizationPercentage"})) {
    AppendCpuMetric(spec, cpu->AsInt(), copier);
  }
  const object::Value* const metrics = spec.Find("metrics");
  if (metrics == nullptr || metrics->size() == 0) {
    AppendCpuMetric(spec, kDefaultCpuUtilization, copier);
  }
  PutBehavior(spec, Annotation(from, kBehavior), copier);

  const object::Value* const used = from.FindPath({"status", "currentCPUUtilizationPercentage"});
  const std::string_view statuses = Annotation(from, kCurrentMetrics);
  const std::string_view conditions = Annotation(from, kConditions);
  if (used != nullptr || !statuses.empty() || !conditions.empty()) {
    object::Value& status = SubMessage(out, "status", copier);
    if (used != nullptr) CpuStatusToV2(*used, status, copier);
    PutList(status, "currentMetrics", statuses, v1::MetricStatus::Type(), copier);
    PutList(status, "conditions", conditions, v1::HorizontalPodAutoscalerCondition::Type(), copier);
  }
  DropAnnotations(out);
}

constexpr ConversionRule kRules[] = {
    {v1::HorizontalPodAutoscaler::Type, v2::HorizontalPodAutoscaler::Type, AutoscalerToV2},
    {v2::HorizontalPodAutoscaler::Type, v1::HorizontalPodAutoscaler::Type, AutoscalerToV1},
    {v1::ObjectMetricSource::Type, v2::ObjectMetricSource::Type, ToV2<kObjectSource>},
    {v2::ObjectMetricSource::Type, v1::ObjectMetricSource::Type, ToV1<kObjectSource>},
    {v1::PodsMetricSource::Type, v2::PodsMetricSource::Type, ToV2<kPodsSource>},
    {v2::PodsMetricSource::Type, v1::PodsMetricSource::Type, ToV1<kPodsSource>},
    {v1::ResourceMetricSource::Type, v2::ResourceMetricSource::Type, ToV2<kResourceSource>},
    {v2::ResourceMetricSource::Type, v1::ResourceMetricSource::Type, ToV1<kResourceSource>},
    {v1::ContainerResourceMetricSource::Type, v2::ContainerResourceMetricSource::Type,
     ToV2<kResourceSource>},
    {v2::ContainerResourceMetricSource::Type, v1::ContainerResourceMetricSource::Type,
     ToV1<kResourceSource>},
    {v1::ExternalMetricSource::Type, v2::ExternalMetricSource::Type, ToV2<kExternalSource>},
    {v2::ExternalMetricSource::Type, v1::ExternalMetricSource::Type, ToV1<kExternalSource>},
    {v1::ObjectMetricStatus::Type, v2::ObjectMetricStatus::Type, ToV2<kObjectStatus>},
    {v2::ObjectMetricStatus::Type, v1::ObjectMetricStatus::Type, ToV1<kObjectStatus>},
    {v1::PodsMetricStatus::Type, v2::PodsMetricStatus::Type, ToV2<kPodsStatus>},
    {v2::PodsMetricStatus::Type, v1::PodsMetricStatus::Type, ToV1<kPodsStatus>},
    {v1::ResourceMetricStatus::Type, v2::ResourceMetricStatus::Type, ToV2<kResourceStatus>},
    {v2::ResourceMetricStatus::Type, v1::ResourceMetricStatus::Type, ToV1<kResourceStatus>},
    {v1::ContainerResourceMetricStatus::Type, v2::ContainerResourceMetricStatus::Type,
     ToV2<kResourceStatus>},
    {v2::ContainerResourceMetricStatus::Type, v1::ContainerResourceMetricStatus::Type,
     ToV1<kResourceStatus>},
    {v1::ExternalMetricStatus::Type, v2::ExternalMetricStatus::Type, ToV2<kExternalStatus>},
    {v2::ExternalMetricStatus::Type, v1::ExternalMetricStatus::Type, ToV1<kExternalStatus>},
};

}  // namespace

std::span<const ConversionRule> AutoscalerConversions() { return kRules; }

}  // namespace skiff::apiserver
