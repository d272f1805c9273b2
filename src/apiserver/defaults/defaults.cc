#include "apiserver/defaults/defaults.h"

#include <atomic>
#include <cassert>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "apiserver/defaults/plan.h"
#include "base/feature_gate_table.h"

namespace skiff {
namespace {

bool OnByDefault(std::string_view gate) {
  const FeatureGate* const found = FindFeatureGate(gate);
  return found != nullptr && found->on;
}

// The plans of the process. Those of an earlier environment are kept, for values of documents
// point into them.
class ProcessPlans {
 public:
  static ProcessPlans& Get() {
    static ProcessPlans* const plans = new ProcessPlans();
    return *plans;
  }

  void Replace(DefaultsEnvironment environment) {
    if (!environment.gate_enabled) environment.gate_enabled = OnByDefault;
    const std::lock_guard lock(mutex_);
    Use(environment);
  }

  const DefaultPlans& Current() {
    const DefaultPlans* plans = current_.load(std::memory_order_acquire);
    assert(plans != nullptr && "SetDefaultsEnvironment() comes first");
    return *plans;
  }

 private:
  void Use(const DefaultsEnvironment& environment) {
    auto plans = DefaultPlans::Compile(environment);
    assert(plans.has_value());
    all_.push_back(std::move(plans).value());
    current_.store(all_.back().get(), std::memory_order_release);
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<const DefaultPlans>> all_;
  std::atomic<const DefaultPlans*> current_{nullptr};
};

}  // namespace

void SetDefaultsEnvironment(DefaultsEnvironment environment) {
  ProcessPlans::Get().Replace(std::move(environment));
}

bool HasAllDefaults(const MessageDesc* type, std::string_view message) {
  return ProcessPlans::Get().Current().LeavesAlone(type, message);
}

void ApplyDefaults(Document& object) { ProcessPlans::Get().Current().Apply(object); }

}  // namespace skiff
