// Rules of roles: what they allow, and whether some cover others.
//
// "*" stands for every verb, group, resource or URL; a resource may name a subresource ("pods/log")
// or that of every resource ("*/scale"); a URL may end with "*". Names narrow a rule down to the
// objects of these names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "object/value.h"
#include "serving/auth/authorizer.h"

namespace skiff::apiserver {

struct PolicyRule {
  std::vector<std::string> verbs = {};
  std::vector<std::string> api_groups = {};
  std::vector<std::string> resources = {};
  std::vector<std::string> resource_names = {};
  std::vector<std::string> non_resource_urls = {};
  friend bool operator==(const PolicyRule&, const PolicyRule&) = default;
};

// Of a value of type PolicyRule, or a list of them; absent: none.
PolicyRule ReadPolicyRule(const object::Value& rule);
std::vector<PolicyRule> ReadPolicyRules(const object::Value* rules);

bool RuleAllows(const PolicyRule& rule, const serving::AccessAttributes& attributes);

// What `servants` allow and `owners` do not, in the smallest pieces: one verb of one resource (or
// URL) and at most one name each. Empty: covered. Rules of more than limits::kMaxRulePieces count
// as not covered, and come back whole.
std::vector<PolicyRule> UncoveredRules(const std::vector<PolicyRule>& owners,
                                       const std::vector<PolicyRule>& servants);

// Joins such pieces that differ in their verb only.
std::vector<PolicyRule> CompactRules(std::vector<PolicyRule> pieces);

// {APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}
std::string RuleText(const PolicyRule& rule);

}  // namespace skiff::apiserver
