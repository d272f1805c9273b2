#include "apiserver/admission_metrics.h"

#include "apiserver/admission/request.h"

namespace skiff::apiserver {

AdmissionMetrics::AdmissionMetrics(ApiServerMetrics& metrics) {
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

void AdmissionMetrics::OnStep(AdmissionPhase phase, AdmissionOperation operation, bool rejected,
                              Duration took) {
  steps_[At(phase, operation, rejected)]->Observe(std::chrono::duration<double>(took).count());
}

}  // namespace skiff::apiserver
