#include "apiserver/admission_metrics.h"

#include "apiserver/admission/request.h"

namespace skiff::apiserver {

AdmissionMetrics::AdmissionMetrics(ApiServerMetrics& metrics) : metrics_(metrics) {
  for (size_t i = 0; i < 4; ++i) {
    const auto operation = static_cast<AdmissionOperation>(i);
    for (const AdmissionPhase phase : {AdmissionPhase::kMutate, AdmissionPhase::kValidate}) {
      for (const bool rejected : {false, true}) {
        steps_[At(phase, operation, rejected)] = &metrics.admission_step_duration_seconds.With(
            {OperationName(operation), rejected ? "true" : "false",
             phase == AdmissionPhase::kMutate ? "admit" : "validate"});
      }
    }
  }
}

void AdmissionMetrics::OnCheck(const PolicyCheck& check) {
  const double seconds = std::chrono::duration<double>(check.took).count();
  if (check.is_mutating) {
    metrics_.mutating_policy_check_total.With({check.error_type, check.policy, check.binding})
        .Add();
    metrics_.mutating_policy_check_seconds.With({check.error_type, check.policy, check.binding})
        .Observe(seconds);
    return;
  }
  metrics_.validating_policy_check_total
      .With({check.action, check.error_type, check.policy, check.binding})
      .Add();
  metrics_.validating_policy_check_seconds
      .With({check.action, check.error_type, check.policy, check.binding})
      .Observe(seconds);
}

void AdmissionMetrics::OnStep(AdmissionPhase phase, AdmissionOperation operation, bool rejected,
                              Duration took) {
  steps_[At(phase, operation, rejected)]->Observe(std::chrono::duration<double>(took).count());
}

}  // namespace skiff::apiserver
