// How long admission takes, as metrics.
#pragma once

#include <array>
#include <atomic>
#include <deque>

#include "apiserver/admission/chain.h"
#include "apiserver/metrics.h"

namespace skiff {

// Any thread. The metrics outlive it.
class AdmissionMetrics final : public AdmissionObserver {
 public:
  explicit AdmissionMetrics(ApiServerMetrics& metrics);
  void OnMembers(std::span<const std::string_view> names) override;
  void OnPlugin(size_t member, AdmissionPhase phase, AdmissionOperation operation, bool rejected,
                Duration took) override;
  void OnStep(AdmissionPhase phase, AdmissionOperation operation, bool rejected,
              Duration took) override;

 private:
  static size_t At(AdmissionPhase phase, AdmissionOperation operation, bool rejected) {
    return (static_cast<size_t>(operation) * 2 + static_cast<size_t>(phase)) * 2 +
           (rejected ? 1 : 0);
  }

  static constexpr size_t kWays = size_t{4} * 2 * 2;
  // Found when first needed: most plugins never see most operations, let alone refuse them.
  struct Plugin {
    std::string_view name;
    std::array<std::atomic<Histogram*>, kWays> ways = {};
  };

  ApiServerMetrics& metrics_;
  // By operation, phase and outcome, found once, since this is on the way of every write.
  std::array<Histogram*, kWays> steps_;
  std::deque<Plugin> plugins_;
};

}  // namespace skiff
