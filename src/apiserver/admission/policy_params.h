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
  struct Memory {
    std::mutex mutex;
    std::unordered_map<std::string, Known> known;

    void Put(const std::string& key, Known object);
  };
  FoundKind FindKind(const ParamKind& kind) const;
  // Null: it cannot be read. Fails as long as somebody else has not converted it, which is asked
  // for.
  Result<Param> Read(const FoundKind& kind, const store::CacheEntry& entry);
  void AskFor(const FoundKind& kind, const store::CacheEntry& entry, const std::string& key);

  const PluginContext& context_;
  const std::shared_ptr<Memory> memory_ = std::make_shared<Memory>();  // conversions may outlive it
};

}  // namespace skiff::apiserver
