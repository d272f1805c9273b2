// An admission plugin: one rule about what may be written, or about what objects get when they are.
//
// Each plugin has a file of its own; plugins.cc lists them in the order in which they run, and
// chain.h runs them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "apiserver/rest/admission.h"
#include "apiserver/rest/storage_set.h"
#include "base/clock.h"
#include "base/feature_gate_table.h"
#include "base/maybe_task.h"
#include "base/status.h"
#include "serving/auth/authorizer.h"

namespace skiff::apiserver {

// One expression of a policy and what came of it; not told of validations that let a request pass.
struct PolicyCheck {
  bool is_mutating;
  std::string_view policy;
  std::string_view binding;
  std::string_view error_type;  // "no_error", "compile_error", "invalid_error", "out_of_budget"
  std::string_view action;      // of validations: "allow", "deny", "audit", "warn"
  Duration took;
};

// Any thread.
class PolicyObserver {
 public:
  virtual ~PolicyObserver() = default;
  virtual void OnCheck(const PolicyCheck& check) = 0;
};

// A kind that a definition brings, as it is at the moment.
struct FoundKind {
  const object::ResourceDesc* resource = nullptr;  // null: there is no such kind
  ResourceStorage* storage = nullptr;              // null: its cache is not filled yet, but will be
  std::shared_ptr<const void> owner = nullptr;     // of both
};
class DefaultPlans;
class WebhookCaller;
struct WebhookMetricFamilies;

// What plugins need of the server. Outlives them.
struct PluginContext {
  StorageSet& storages;
  Clock& clock;
  serving::Authorizer& authorizer;
  // Whether a feature gate is on. Asked while plugins are made; without it all are off.
  std::function<bool(Gate gate)> feature_enabled = {};
  // Whether this server serves a version of a resource; without it, those of the default.
  std::function<bool(const object::ResourceDesc& resource)> is_served = {};
  // Kinds that are not built in; without it there are none.
  std::function<FoundKind(std::string_view group, std::string_view version, std::string_view kind)>
      find_custom_kind = {};
  PolicyObserver* policy_observer = nullptr;  // null: nobody counts
  const DefaultPlans* defaults = nullptr;
  WebhookMetricFamilies* webhook_metrics = nullptr;  // null: nobody counts
  // Who calls webhooks; null: nobody does.
  WebhookCaller* webhooks = nullptr;
  // Adds work that is done beside requests: now and then, or not if the interval is zero, and soon
  // after what is returned was called, from any thread. Only while plugins are made.
  std::function<std::function<void()>(Duration interval, std::function<void()> run)>
      add_background = {};
  // --default-not-ready-toleration-seconds and --default-unreachable-toleration-seconds.
  int64_t not_ready_toleration_seconds = 300;
  int64_t unreachable_toleration_seconds = 300;

  bool FeatureEnabled(Gate gate) const { return feature_enabled && feature_enabled(gate); }
};

class WaitingAdmissionPlugin;

// Made once; called from any thread, several at a time. Lookups are of the watch caches and do not
// wait (registry/cache_reads.h). Mutate() may be called twice for a request (AdmissionRequest's
// reinvoke), so what it has done once it must not do again.
class AdmissionPlugin {
 public:
  virtual ~AdmissionPlugin() = default;
  // Null: it answers at once.
  virtual WaitingAdmissionPlugin* AsWaiting() { return nullptr; }
  virtual Result<void> Mutate(AdmissionRequest& request) {
    static_cast<void>(request);
    return {};
  }
  virtual Result<void> Validate(AdmissionRequest& request) {
    static_cast<void>(request);
    return {};
  }
};

// A plugin that asks somebody else. Where there is nobody to ask it answers at once, too; otherwise
// with a task, which goes on where the request is handled. The request outlives the task.
class WaitingAdmissionPlugin : public AdmissionPlugin {
 public:
  WaitingAdmissionPlugin* AsWaiting() final { return this; }
  virtual MaybeTask<Result<void>> MutateOrWait(AdmissionRequest& request) {
    return Mutate(request);
  }
  virtual MaybeTask<Result<void>> ValidateOrWait(AdmissionRequest& request) {
    return Validate(request);
  }
};

// `config_json` is the plugin's part of --admission-control-config-file as JSON; empty when there
// is none. Fails when that is wrong, with what and where.
using MakePlugin = Result<std::unique_ptr<AdmissionPlugin>> (*)(const PluginContext& context,
                                                                std::string_view config_json);

struct PluginDesc {
  std::string_view name;
  bool on_by_default;
  MakePlugin make;  // null: the name is known, and nothing runs for it yet
};

// In the order in which they run.
std::span<const PluginDesc> AllAdmissionPlugins();

}  // namespace skiff::apiserver
