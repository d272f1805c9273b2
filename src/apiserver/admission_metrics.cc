#include "apiserver/admission_metrics.h"

#include "apiserver/admission/request.h"

namespace skiff {
namespace {

std::string_view TypeOf(AdmissionPhase phase) {
  return phase == AdmissionPhase::kMutate ? "admit" : "validate";
}

}  // namespace

AdmissionMetrics::AdmissionMetrics(ApiServerMetrics& metrics) : metrics_(metrics) {
  for (size_t i = 0; i < 4; ++i) {
    const auto operation = static_cast<AdmissionOperation>(i);
    for (const AdmissionPhase phase : {AdmissionPhase::kMutate, AdmissionPhase::kValidate}) {
      for (const bool rejected : {false, true}) {
        steps_[At(phase, operation, rejected)] = &metrics.admission_step_duration_seconds.With(
            {OperationName(operation), rejected ? "true" : "false", TypeOf(phase)});
      }
    }
  }
}

void AdmissionMetrics::OnMembers(std::span<const std::string_view> names) {
  for (const std::string_view name : names) plugins_.emplace_back().name = name;
}

void AdmissionMetrics::OnPlugin(size_t member, AdmissionPhase phase, AdmissionOperation operation,
                                bool rejected, Duration took) {
  Plugin& plugin = plugins_[member];
  std::atomic<Histogram*>& way = plugin.ways[At(phase, operation, rejected)];
  Histogram* histogram = way.load(std::memory_order_acquire);
  if (histogram == nullptr) {
    histogram = &metrics_.admission_controller_duration_seconds.With(
        {plugin.name, OperationName(operation), rejected ? "true" : "false", TypeOf(phase)});
    way.store(histogram, std::memory_order_release);
  }
  histogram->Observe(std::chrono::duration<double>(took).count());
}

void AdmissionMetrics::OnStep(AdmissionPhase phase, AdmissionOperation operation, bool rejected,
                              Duration took) {
  steps_[At(phase, operation, rejected)]->Observe(std::chrono::duration<double>(took).count());
}

}  // namespace skiff
