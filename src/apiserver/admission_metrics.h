// How long admission takes, as metrics.
#pragma once

#include <array>

#include "apiserver/admission/chain.h"
#include "apiserver/metrics.h"

namespace skiff::apiserver {

// Any thread. The metrics outlive it.
class AdmissionMetrics final : public AdmissionObserver, public PolicyObserver {
 public:
  explicit AdmissionMetrics(ApiServerMetrics& metrics);
  void OnCheck(const PolicyCheck& check) override;
  void OnStep(AdmissionPhase phase, AdmissionOperation operation, bool rejected,
              Duration took) override;

 private:
  static size_t At(AdmissionPhase phase, AdmissionOperation operation, bool rejected) {
    return (static_cast<size_t>(operation) * 2 + static_cast<size_t>(phase)) * 2 +
           (rejected ? 1 : 0);
  }

  ApiServerMetrics& metrics_;
  // By operation, phase and outcome, found once, since this is on the way of every write.
  std::array<Histogram*, size_t{4} * 2 * 2> steps_;
};

}  // namespace skiff::apiserver
