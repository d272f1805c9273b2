// The objects that parameterize a policy for one binding and one request.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/admission/plugin.h"
#include "apiserver/admission/policy.h"
#include "object/value.h"

namespace skiff::apiserver {

// Keeps what it has read, by the state of each object, since policies read the same few objects
// with every request. Any thread.
class PolicyParams {
 public:
  // The context outlives it.
  explicit PolicyParams(const PluginContext& context) : context_(context) {}

  // An object in the version of the policy, or null where the policy is to be evaluated without.
  using Param = std::shared_ptr<const object::Document>;

  // Why the policy cannot have parameters at all; empty: it can, or takes none.
  std::string ConfigurationFault(const Policy& policy) const;
  // Empty where there is none and that is allowed. The message of a failure is for people.
  Result<std::vector<Param>> Collect(const Policy& policy, const PolicyBinding& binding,
                                     std::string_view request_namespace);

 private:
  struct Known {
    store::Revision revision;
    const object::MessageDesc* kind;
    Param object;
  };
  FoundKind FindKind(const ParamKind& kind) const;
  Param Read(const FoundKind& kind, const store::CacheEntry& entry);

  const PluginContext& context_;
  std::mutex mutex_;
  std::unordered_map<std::string, Known> known_;  // guarded by mutex_
};

}  // namespace skiff::apiserver
