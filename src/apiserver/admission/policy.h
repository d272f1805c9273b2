// A ValidatingAdmissionPolicy or MutatingAdmissionPolicy and its bindings, compiled.
//
// Both kinds are alike but for what they do in the end, and neither says in which version it is
// stored; fields are read by their names. Immutable once made, and shared by all threads.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/admission/resource_rules.h"
#include "cel/admission.h"
#include "object/selector/label_selector.h"
#include "object/value.h"

namespace skiff::apiserver {

struct ParamKind {
  std::string api_version;
  std::string kind;
};

struct Policy {
  struct Condition {
    std::string name;
    cel::AdmissionExpression expression;
  };
  struct Validation {
    cel::AdmissionExpression expression;
    std::string message;
    std::string reason;  // empty: Invalid
    std::optional<cel::AdmissionExpression> message_expression = {};
  };
  struct AuditAnnotation {
    std::string key;
    cel::AdmissionExpression value;
  };
  struct Mutation {
    bool is_json_patch;
    cel::AdmissionExpression expression;
  };

  std::string name;
  MatchCriteria match;
  bool ignores_failures = false;  // failurePolicy: Ignore
  std::optional<ParamKind> param_kind = {};
  cel::AdmissionVariables variables = {};
  std::vector<Condition> conditions = {};
  std::vector<Validation> validations = {};
  std::vector<AuditAnnotation> audit_annotations = {};
  std::vector<Mutation> mutations = {};
  bool may_be_reinvoked = false;  // reinvocationPolicy: IfNeeded
};
Policy CompilePolicy(const object::Value& root);

struct ParamRef {
  std::string name;        // empty: by the selector
  std::string name_space;  // empty: that of the request
  std::optional<object::LabelSelector> selector = {};
  std::string fault = {};       // why the selector cannot be used
  bool denies_without = false;  // parameterNotFoundAction: Deny
};

struct PolicyBinding {
  std::string name;
  std::string policy;
  std::optional<MatchCriteria> match = {};
  std::optional<ParamRef> params = {};
  std::vector<std::string> actions = {};  // validationActions
};
PolicyBinding ReadPolicyBinding(const object::Value& root);

struct BoundPolicy {
  std::shared_ptr<const Policy> policy;
  std::vector<std::shared_ptr<const PolicyBinding>> bindings;  // by name
};

// All policies that are bound, as they are at one moment.
class PolicySnapshot {
 public:
  explicit PolicySnapshot(std::vector<BoundPolicy> policies);

  bool empty() const { return policies_.empty(); }
  // Those whose rules may match the resource, in order of name.
  std::span<const BoundPolicy* const> For(std::string_view resource) const;

 private:
  std::vector<BoundPolicy> policies_;
  std::map<std::string, std::vector<const BoundPolicy*>, std::less<>> by_resource_;
  std::vector<const BoundPolicy*> of_any_;  // for resources that no rule names
};

}  // namespace skiff::apiserver
