#include "apiserver/registry/core/event.h"

#include <string>
#include <utility>

#include "apiserver/validation/common.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

constexpr size_t kMaxWordBytes = 128;
constexpr size_t kMaxNoteBytes = 1024;
constexpr uint32_t kNanosPerMicro = 1000;
constexpr std::string_view kOtherNamespace = "does not match event.namespace";

void ValidateLength(std::string_view text, size_t max, std::string_view field,
                    FieldErrors& errors) {
  if (text.size() <= max) return;
  errors.Invalid(field, "", "can have at most " + std::to_string(max) + " characters");
}

// Of events that say when they happened: those of the newer way to report them.
void ValidateReport(const core::Event& event, std::string_view controller_field,
                    FieldErrors& errors) {
  const std::string_view space = event.metadata().namespace_();
  if (event.involved_object().namespace_().empty() && space != "default" &&
      space != "kube-system") {
    errors.Invalid("involvedObject.namespace", "", kOtherNamespace);
  }
  ValidateRequired(event.reporting_component(), controller_field, errors);
  ValidateFormat(kQualifiedNameFormat, event.reporting_component(), controller_field, errors);
  ValidateRequired(event.reporting_instance(), "reportingInstance", errors);
  ValidateLength(event.reporting_instance(), kMaxWordBytes, "reportingInstance", errors);
  ValidateRequired(event.action(), "action", errors);
  ValidateLength(event.action(), kMaxWordBytes, "action", errors);
  ValidateRequired(event.reason(), "reason", errors);
  ValidateLength(event.reason(), kMaxWordBytes, "reason", errors);
  ValidateLength(event.message(), kMaxNoteBytes, "message", errors);
}

void ValidateAnyEvent(const core::Event& event, std::string_view controller_field,
                      FieldErrors& errors) {
  const std::string_view space = event.metadata().namespace_();
  if (event.event_time() == object::kZeroTimestamp) {
    const std::string_view other = event.involved_object().namespace_();
    const bool fits = other.empty() ? space.empty() || space == "default" : space == other;
    if (!fits) errors.Invalid("involvedObject.namespace", other, kOtherNamespace);
  } else {
    ValidateReport(event, controller_field, errors);
  }
  ValidateFormat(kDnsSubdomainFormat, space, "namespace", errors);
}

void ValidateCoreEvent(const object::Document& object, FieldErrors& errors) {
  ValidateAnyEvent(core::Event(object), "reportingComponent", errors);
}

void ValidateCoreEventUpdate(const object::Document& object, const object::Document&,
                             FieldErrors& errors) {
  ValidateCoreEvent(object, errors);
}

void ValidateSeries(const core::Event& event, FieldErrors& errors) {
  if (!event.has_series()) return;
  const auto at = errors.At("series");
  if (event.series().count() < 2) errors.Invalid("count", "", "should be at least 2");
  if (event.series().last_observed_time() == object::kZeroTimestamp)
    errors.Required("lastObservedTime");
}

void ValidateNewEvent(const object::Document& object, FieldErrors& errors) {
  const core::Event event(object);
  constexpr std::string_view kMustBeUnset = "needs to be unset";
  ValidateAnyEvent(event, "reportingController", errors);
  ValidateFormat(kDnsSubdomainFormat, event.metadata().name(), "metadata.name", errors);
  ValidateSeries(event, errors);
  if (event.event_time() == object::kZeroTimestamp) errors.Required("eventTime");
  if (event.type() != "Normal" && event.type() != "Warning") {
    errors.Invalid("type", "", "has invalid value: " + std::string(event.type()));
  }
  if (event.first_timestamp() != object::kZeroTimestamp) {
    errors.Invalid("firstTimestamp", "", kMustBeUnset);
  }
  if (event.last_timestamp() != object::kZeroTimestamp)
    errors.Invalid("lastTimestamp", "", kMustBeUnset);
  if (event.count() != 0) errors.Invalid("count", "", kMustBeUnset);
  if (!event.source().component().empty() || !event.source().host().empty()) {
    errors.Invalid("source", "", kMustBeUnset);
  }
}

void ValidateNewEventUpdate(const object::Document& object, const object::Document& old,
                            FieldErrors& errors) {
  const core::Event event(object);
  ValidateAnyEvent(event, "reportingController", errors);
  if (!SameValue(old.root().Member(core::Event::kSeries),
                 object.root().Member(core::Event::kSeries))) {
    ValidateSeries(event, errors);
  }
  struct Field {
    uint16_t index;
    std::string_view name;
  };
  // The reason is looked at twice, as Kubernetes does.
  constexpr Field kFields[] = {
      {core::Event::kInvolvedObject, "involvedObject"},
      {core::Event::kReason, "reason"},
      {core::Event::kMessage, "message"},
      {core::Event::kSource, "source"},
      {core::Event::kFirstTimestamp, "firstTimestamp"},
      {core::Event::kLastTimestamp, "lastTimestamp"},
      {core::Event::kCount, "count"},
      {core::Event::kReason, "reason"},
      {core::Event::kType, "type"},
      {core::Event::kEventTime, "eventTime"},
      {core::Event::kAction, "action"},
      {core::Event::kRelated, "related"},
      {core::Event::kReportingComponent, "reportingController"},
      {core::Event::kReportingInstance, "reportingInstance"},
  };
  // Some clients send more digits than a time has; what they write back has fewer.
  const auto in_micros = [](object::Timestamp time) {
    return std::pair(time.seconds, time.nanos / kNanosPerMicro);
  };
  const bool same_time = in_micros(event.event_time()) == in_micros(core::Event(old).event_time());
  for (const Field& field : kFields) {
    if (field.index == core::Event::kEventTime && same_time) continue;
    ValidateImmutable(old.root().Member(field.index), object.root().Member(field.index), field.name,
                      errors);
  }
}

}  // namespace

constinit const KindRules kEventRules = {
    .group = "", .kind = "Event", .create = ValidateCoreEvent, .update = ValidateCoreEventUpdate};
constinit const KindRules kNewEventRules = {.group = "events.k8s.io",
                                            .kind = "Event",
                                            .create = ValidateNewEvent,
                                            .update = ValidateNewEventUpdate};

}  // namespace skiff::apiserver
