// Admission policies read parameters for whoever writes requests, so whoever writes a policy or its
// binding must be allowed to read them himself: to get every object of the kind that a policy takes
// parameters of, and to get or list the objects that a binding names.
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "apiserver/rest/behaviour.h"
#include "serving/auth/authorizer.h"

namespace skiff::apiserver {

class AdmissionPolicyBehaviour final : public ResourceBehaviour {
 public:
  // The authorizer outlives it.
  explicit AdmissionPolicyBehaviour(serving::Authorizer& authorizer) : authorizer_(authorizer) {}

  void Check(WriteContext& write, const object::Document* old, const object::Document& object,
             bool follows_rules, FieldErrors& errors) override;

 private:
  serving::Authorizer& authorizer_;
};

// The policy of this name as it is stored, without waiting.
using FindPolicy = std::function<Result<object::Document>(std::string_view name)>;

class AdmissionPolicyBindingBehaviour final : public ResourceBehaviour {
 public:
  AdmissionPolicyBindingBehaviour(serving::Authorizer& authorizer, FindPolicy find_policy,
                                  bool is_mutating)
      : authorizer_(authorizer), find_policy_(std::move(find_policy)), is_mutating_(is_mutating) {}

  void Check(WriteContext& write, const object::Document* old, const object::Document& object,
             bool follows_rules, FieldErrors& errors) override;

 private:
  serving::Authorizer& authorizer_;
  FindPolicy find_policy_;
  bool is_mutating_;
};

}  // namespace skiff::apiserver
