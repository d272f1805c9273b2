// Horizontal pod autoscalers: what is scaled, and by which metrics.
#include <string>

#include "apiserver/tables/code_cells.h"
#include "apiserver/tables/list_text.h"
#include "views/autoscaling/v2.h"

namespace skiff::apiserver {
namespace {

using namespace views;
using autoscaling_v2::MetricSpec;
using autoscaling_v2::MetricStatus;
using autoscaling_v2::MetricTarget;
using autoscaling_v2::MetricValueStatus;

constexpr std::string_view kUnknown = "<unknown>";

// What Kubernetes shows of a quantity that should be there but is not.
std::string_view QuantityOrNil(std::optional<std::string_view> quantity) {
  return quantity.value_or("<nil>");
}

std::string Percent(std::optional<int32_t> number, std::string_view otherwise) {
  return number ? std::to_string(*number) + "%" : std::string(otherwise);
}

std::string Ratio(std::string_view current, std::string_view target) {
  return std::string(current).append("/").append(target);
}

// An external metric or one of an object. `known` tells whether there is a status of it.
std::string WholeOrAverage(const MetricTarget& target, bool known,
                           const MetricValueStatus& current) {
  if (target.average_value()) {
    const auto average = current.average_value();
    return Ratio(known ? average.value_or(kUnknown) : kUnknown, *target.average_value()) + " (avg)";
  }
  return Ratio(known ? QuantityOrNil(current.value()) : kUnknown, QuantityOrNil(target.value()));
}

// A resource of the pods or of one of their containers.
std::string OfResource(std::string_view name, const MetricTarget& target, bool known,
                       const MetricValueStatus& current) {
  const std::string head = std::string(name) + ": ";
  if (target.average_value()) {
    return head + Ratio(known ? QuantityOrNil(current.average_value()) : kUnknown,
                        *target.average_value());
  }
  return head + Ratio(Percent(current.average_utilization(), kUnknown),
                      Percent(target.average_utilization(), "<auto>"));
}

// `status` is of nothing when there are fewer statuses than metrics.
std::string MetricText(const MetricSpec& spec, const MetricStatus& status) {
  const std::string_view type = spec.type();
  if (type == "External") {
    return WholeOrAverage(spec.external().target(), status.has_external(),
                          status.external().current());
  }
  if (type == "Object") {
    return WholeOrAverage(spec.object().target(), status.has_object(), status.object().current());
  }
  if (type == "Pods") {
    const auto current = status.pods().current().average_value();
    return Ratio(status.has_pods() ? QuantityOrNil(current) : kUnknown,
                 QuantityOrNil(spec.pods().target().average_value()));
  }
  if (type == "Resource") {
    return OfResource(spec.resource().name(), spec.resource().target(), status.has_resource(),
                      status.resource().current());
  }
  if (type == "ContainerResource") {
    return OfResource(spec.container_resource().name(), spec.container_resource().target(),
                      status.has_container_resource(), status.container_resource().current());
  }
  return "<unknown type>";
}

Cell HpaTargets(const CellContext& context) {
  constexpr size_t kShown = 2;
  const autoscaling_v2::HorizontalPodAutoscaler hpa(&context.object);
  const auto specs = hpa.spec().metrics();
  const auto statuses = hpa.status().current_metrics();
  if (specs.empty()) return Cell::Text("<none>");
  ListText text(", ", kShown);
  for (size_t i = 0; i < specs.size(); ++i) {
    text.Add(MetricText(specs[i], i < statuses.size() ? statuses[i] : MetricStatus()));
  }
  return context.Text(text.Take());
}

Cell HpaReference(const CellContext& context) {
  const autoscaling_v2::HorizontalPodAutoscaler hpa(&context.object);
  const auto target = hpa.spec().scale_target_ref();
  return context.Concat({target.kind(), "/", target.name()});
}

constexpr std::string_view kReference[] = {".spec.scaleTargetRef"};
constexpr std::string_view kMetrics[] = {".spec.metrics", ".status.currentMetrics"};

constexpr CodeCell kCells[] = {
    {"hpa-reference", HpaReference, kReference},
    {"hpa-targets", HpaTargets, kMetrics},
};

}  // namespace

std::span<const CodeCell> AutoscalingCells() { return kCells; }

}  // namespace skiff::apiserver
