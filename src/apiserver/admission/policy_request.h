// One request as the expressions of policies see it.
//
// It belongs to one request and one thread. Objects are made into another version only for a
// policy that asks for it, once; an authorizer is asked once for each question.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>

#include "apiserver/admission/policy.h"
#include "apiserver/admission/resource_rules.h"
#include "base/status.h"
#include "cel/admission.h"
#include "cel/authorizer.h"
#include "object/value.h"
#include "serving/auth/authorizer.h"

namespace skiff::apiserver {

// The object in the version of a policy's rule. Null: there is none.
struct VersionedObject {
  MatchedResource as;
  object::Document* object = nullptr;
  const object::Document* old = nullptr;
  std::optional<object::Document> own_object = {};
  std::optional<object::Document> own_old = {};
};

class PolicyRequest final : public cel::Authorizer {
 public:
  // Both outlive it.
  PolicyRequest(const RequestFacts& facts, serving::Authorizer& authorizer)
      : facts_(facts), authorizer_(authorizer) {}

  const RequestFacts& facts() const { return facts_; }
  const AdmissionRequest& request() const { return facts_.request(); }
  // Valid until ForgetVersions().
  Result<VersionedObject*> As(const MatchedResource& resource);
  // The object has been changed in one version, and is another in all.
  void ForgetVersions() { versions_.clear(); }

  cel::AuthorizerDecision Authorize(const cel::AuthorizerRequest& asked) const override;

 private:
  const RequestFacts& facts_;
  serving::Authorizer& authorizer_;
  std::deque<VersionedObject> versions_;
  mutable std::map<std::string, cel::AuthorizerDecision> decisions_;
};

// The names that an expression has, for one policy and one parameter.
class PolicyInputs final : public cel::AdmissionInputs {
 public:
  struct Given {
    const VersionedObject& object;
    // What `request` says that the request was matched as.
    MatchedResource resource;
    const object::Value* params = nullptr;      // null: none
    const object::Value* name_space = nullptr;  // namespaceObject; null: none
  };
  PolicyInputs(cel::Evaluation& evaluation, const cel::AdmissionVariables& variables,
               const PolicyRequest& request, const Given& given)
      : AdmissionInputs(evaluation, &variables), request_(request), given_(given) {}

 protected:
  cel::Val Find(std::string_view name) override;

 private:
  cel::Val RequestValue();
  cel::Val OptionsValue();

  const PolicyRequest& request_;
  const Given& given_;
  cel::Val admission_request_;  // unset: nobody asked for it yet
};

}  // namespace skiff::apiserver
