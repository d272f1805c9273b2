// The admission chain: the plugins that are on, asked one after another.
//
// Which those are is decided once, from --enable-admission-plugins and --disable-admission-plugins
// on top of what is on by default; the order of the flags means nothing, plugins run in the order
// of plugins.cc. For each write all of them may first change the object, then, when it is final,
// all of them may refuse it; the first refusal ends it.
//
// A plugin that lets others change the object (webhooks and policies) sets
// AdmissionRequest::reinvoke when they have. Then, as in Kubernetes, the whole chain gets to change
// the object once more, with is_reinvocation set, and no third time.
//
// Nearly all plugins answer at once. Once one has to wait, for a webhook, the rest of the phase
// becomes a task, which goes on where the request is handled.
//
// Owner: the API server. Any thread may ask.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/admission/plugin.h"

namespace skiff::apiserver {

struct AdmissionSettings {
  std::vector<std::string> enabled;   // besides those that are on by default
  std::vector<std::string> disabled;  // of those
  std::string config_file = {};       // empty: none
};

enum class AdmissionPhase : uint8_t { kMutate, kValidate };

// What is told of each request, for metrics.
class AdmissionObserver {
 public:
  virtual ~AdmissionObserver() = default;
  // All plugins of a phase together: the time of each would cost more than most of them do.
  virtual void OnStep(AdmissionPhase phase, AdmissionOperation operation, bool rejected,
                      Duration took) = 0;
};

class AdmissionChain final : public Admission {
 public:
  struct Member {
    std::string_view name;
    std::unique_ptr<AdmissionPlugin> plugin;
  };

  // Fails for names that no plugin has, for what is both on and off, for faults of the file, and
  // when a plugin cannot be had.
  static Result<std::unique_ptr<AdmissionChain>> Make(const PluginContext& context,
                                                      const AdmissionSettings& settings);
  // Of these, in this order. The clock is for the observer.
  AdmissionChain(std::vector<Member> members, Clock& clock)
      : members_(std::move(members)), clock_(clock) {}

  // Before the first request. The observer outlives the chain.
  void SetObserver(AdmissionObserver* observer) { observer_ = observer; }

  MaybeTask<Result<void>> Mutate(AdmissionRequest& request) override;
  MaybeTask<Result<void>> Validate(AdmissionRequest& request) override;

  std::vector<std::string_view> names() const;

 private:
  // Where a phase has got to.
  struct Progress {
    AdmissionPhase phase;
    Duration began;
    size_t next = 0;  // the plugin that is asked next
  };
  MaybeTask<Result<void>> Run(AdmissionPhase phase, AdmissionRequest& request);
  // Asks plugins until one refuses, one has to wait, which is then in `waits`, or none is left.
  Result<void> Advance(Progress& progress, AdmissionRequest& request,
                       std::optional<Task<Result<void>>>& waits);
  // A plugin that lacked conversions, once they are there; as often as it takes.
  Task<Result<void>> AskAgain(AdmissionPhase phase, AdmissionPlugin& plugin,
                              AdmissionRequest& request);
  // What is left of a phase from a plugin on that waits.
  Task<Result<void>> Finish(Progress progress, AdmissionRequest& request, Task<Result<void>> waits);
  void NotifyObserver(const Progress& progress, const AdmissionRequest& request, bool rejected);

  std::vector<Member> members_;
  Clock& clock_;
  AdmissionObserver* observer_ = nullptr;
};

// Null: no plugin has that name.
const PluginDesc* FindAdmissionPlugin(std::string_view name);

}  // namespace skiff::apiserver
