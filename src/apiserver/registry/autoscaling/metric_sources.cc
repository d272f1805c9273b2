#include "apiserver/registry/autoscaling/metric_sources.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/validation/common.h"

namespace skiff::apiserver {
namespace {

namespace autoscaling = views::autoscaling_v2;

constexpr NameFormat kPathSegment{object::IsPathSegmentName, object::CheckPathSegmentName};
constexpr std::string_view kTypes[] = {"ContainerResource", "External", "Object", "Pods",
                                       "Resource"};

void ValidateTarget(const autoscaling::MetricTarget& target, FieldErrors& errors) {
  const auto at = errors.At("target");
  const std::string_view type = target.type();
  if (type.empty()) errors.Required("type", "must specify a metric target type");
  if (type != "Utilization" && type != "Value" && type != "AverageValue") {
    errors.Invalid("type", type, "must be either Utilization, Value, or AverageValue");
  }
  const auto validate_positive = [&errors](std::optional<std::string_view> value,
                                           std::string_view field) {
    if (value && ParsedQuantity(*value).Sign() <= 0) {
      errors.Invalid(field, *value, "must be positive");
    }
  };
  validate_positive(target.value(), "value");
  validate_positive(target.average_value(), "averageValue");
  if (const auto utilization = target.average_utilization(); utilization && *utilization < 1) {
    errors.Invalid("averageUtilization", *utilization, "must be greater than 0");
  }
}

void ValidateIdentifier(const autoscaling::MetricIdentifier& metric, FieldErrors& errors) {
  if (metric.name().empty()) return errors.Required("metric.name", "must specify a metric name");
  ValidateFormat(kPathSegment, metric.name(), "metric.name", errors);
}

void ValidateObject(const autoscaling::ObjectMetricSource& source, const ReferenceOptions& options,
                    FieldErrors& errors) {
  {
    const auto at = errors.At("describedObject");
    ValidateReference(source.described_object(), options, errors);
  }
  ValidateIdentifier(source.metric(), errors);
  ValidateTarget(source.target(), errors);
  if (!source.target().value() && !source.target().average_value()) {
    errors.Required("target.averageValue", "must set either a target value or averageValue");
  }
}

void ValidateExternal(const autoscaling::ExternalMetricSource& source, FieldErrors& errors) {
  ValidateIdentifier(source.metric(), errors);
  ValidateTarget(source.target(), errors);
  const bool has_value = source.target().value().has_value();
  const bool has_average = source.target().average_value().has_value();
  if (!has_value && !has_average) {
    errors.Required("target.averageValue",
                    "must set either a target value for metric or a per-pod target");
  }
  if (has_value && has_average) {
    errors.Forbidden("target.value",
                     "may not set both a target value for metric and a per-pod target");
  }
}

void ValidatePods(const autoscaling::PodsMetricSource& source, FieldErrors& errors) {
  ValidateIdentifier(source.metric(), errors);
  ValidateTarget(source.target(), errors);
  if (!source.target().average_value()) {
    errors.Required("target.averageValue", "must specify a positive target averageValue");
  }
}

void ValidateResourceTarget(const autoscaling::MetricTarget& target, FieldErrors& errors) {
  ValidateTarget(target, errors);
  const bool has_utilization = target.average_utilization().has_value();
  const bool has_value = target.average_value().has_value();
  if (!has_utilization && !has_value) {
    errors.Required("target.averageUtilization",
                    "must set either a target raw value or a target utilization");
  }
  if (has_utilization && has_value) {
    errors.Forbidden("target.averageValue",
                     "may not set both a target raw value and a target utilization");
  }
}

// Names of resources without a domain are those that a container can ask for.
void ValidateContainerResourceName(std::string_view name, FieldErrors& errors) {
  if (!object::IsQualifiedName(name))
    return errors.Invalid("name", name, object::CheckQualifiedName(name));
  if (name.find('/') != std::string_view::npos) return;
  if (name == "cpu" || name == "memory" || name == "ephemeral-storage" ||
      name.starts_with("hugepages-")) {
    return;
  }
  errors.Invalid("name", name, "must be a standard resource for containers");
}

void ValidateContainerResource(const autoscaling::ContainerResourceMetricSource& source,
                               FieldErrors& errors) {
  if (source.name().empty()) {
    errors.Required("name", "must specify a resource name");
  } else {
    ValidateContainerResourceName(source.name(), errors);
  }
  if (source.container().empty()) {
    errors.Required("container", "must specify a container");
  } else {
    ValidateFormat(kDnsLabelFormat, source.container(), "container", errors);
  }
  ValidateResourceTarget(source.target(), errors);
}

void ValidateSource(const autoscaling::MetricSpec& metric, std::string_view field,
                    const ReferenceOptions& options, FieldErrors& errors) {
  const auto at = errors.At(field);
  if (field == "object") return ValidateObject(metric.object(), options, errors);
  if (field == "external") return ValidateExternal(metric.external(), errors);
  if (field == "pods") return ValidatePods(metric.pods(), errors);
  if (field == "resource") {
    if (metric.resource().name().empty()) {
      errors.Required("name", "must specify a resource name");
    }
    return ValidateResourceTarget(metric.resource().target(), errors);
  }
  ValidateContainerResource(metric.container_resource(), errors);
}

std::string_view FieldOf(std::string_view type) {
  if (type == "Object") return "object";
  if (type == "Pods") return "pods";
  if (type == "Resource") return "resource";
  if (type == "External") return "external";
  if (type == "ContainerResource") return "containerResource";
  return {};
}

}  // namespace

bool IsVersionOfReference(const autoscaling::CrossVersionObjectReference& reference,
                          const ReferenceOptions& options) {
  if (options.allow_any_version) return true;
  const std::string_view version = reference.api_version();
  const auto slashes = std::ranges::count(version, '/');
  if (slashes > 1) return false;
  const bool has_group = slashes == 1 && version.front() != '/';
  return has_group || options.allow_no_group;
}

void ValidateReference(const autoscaling::CrossVersionObjectReference& reference,
                       const ReferenceOptions& options, FieldErrors& errors) {
  ValidateRequiredFormat(kPathSegment, reference.kind(), "kind", errors);
  ValidateRequiredFormat(kPathSegment, reference.name(), "name", errors);
  if (IsVersionOfReference(reference, options)) return;
  const std::string version(reference.api_version());
  errors.Invalid("apiVersion", version,
                 std::ranges::count(version, '/') > 1
                     ? "unexpected GroupVersion string: " + version
                     : std::string("apiVersion must specify API group"));
}

void ValidateMetric(const autoscaling::MetricSpec& metric, const ReferenceOptions& options,
                    FieldErrors& errors) {
  const std::string_view type = metric.type();
  const std::string_view expected = FieldOf(type);
  if (type.empty()) errors.Required("type", "must specify a metric source type");
  if (expected.empty()) errors.NotSupported("type", type, kTypes);
  std::vector<std::string_view> present;
  if (metric.has_object()) present.push_back("object");
  if (metric.has_external()) present.push_back("external");
  if (metric.has_pods()) present.push_back("pods");
  if (metric.has_resource()) present.push_back("resource");
  if (metric.has_container_resource()) present.push_back("containerResource");
  if (!present.empty()) ValidateSource(metric, present[0], options, errors);
  if (expected.empty()) {
    errors.NotSupported("type", type, kTypes);
  } else if (std::ranges::find(present, expected) == present.end()) {
    errors.Required(expected, "must populate information for the given metric source");
  }
  if (present.size() == 1) return;
  for (const std::string_view field : present) {
    if (field != expected) {
      errors.Forbidden(field, "must populate the given metric source only");
    }
  }
}

}  // namespace skiff::apiserver
