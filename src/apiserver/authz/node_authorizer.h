// --authorization-mode=Node: what kubelets may do, who are the users system:node:NAME in the group
// system:nodes.
//
// Of what belongs to pods they may read that of the pods on their own node (node_graph.h). Pods,
// slices of devices and requests for certificates they may list if they select those of their
// node. Their own Node, lease and CSINode they may write; that a new one has their name, and that
// pods which they write are their own, is for the admission plugin NodeRestriction to see to. For
// all else the rules of the cluster role system:node hold.
//
// It has no opinion on others, and none on what it does not allow: roles may allow more.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/authz/authorizers.h"
#include "apiserver/authz/node_graph.h"
#include "apiserver/authz/policy_rule.h"
#include "serving/auth/authorizer.h"

namespace skiff::apiserver {

// By feature gates.
struct NodeAuthorizerFeatures {
  bool service_accounts = false;  // KubeletServiceAccountTokenForCredentialProviders
  bool pod_certificates = false;  // PodCertificateRequest
};

class NodeAuthorizer final : public serving::Authorizer, public RuleResolver {
 public:
  // The graph outlives it.
  NodeAuthorizer(const NodeGraph& graph, NodeAuthorizerFeatures features);
  void Authorize(const serving::AccessAttributes& attributes,
                 std::move_only_function<void(serving::AuthorizationResult)> done) override;
  // What a node may read depends on its pods, which rules cannot say.
  UserRules RulesFor(const serving::UserInfo& user, std::string_view name_space) override;

 private:
  serving::AuthorizationResult Decide(const serving::AccessAttributes& asked) const;
  serving::AuthorizationResult Related(std::string_view node, NodeThing thing,
                                       const serving::AccessAttributes& asked) const;
  serving::AuthorizationResult Get(std::string_view node, NodeThing thing,
                                   const serving::AccessAttributes& asked) const;
  serving::AuthorizationResult Read(std::string_view node, NodeThing thing,
                                    const serving::AccessAttributes& asked) const;
  serving::AuthorizationResult VolumeClaim(std::string_view node,
                                           const serving::AccessAttributes& asked) const;
  serving::AuthorizationResult ServiceAccount(std::string_view node,
                                              const serving::AccessAttributes& asked) const;
  serving::AuthorizationResult ResourceSlice(std::string_view node,
                                             const serving::AccessAttributes& asked) const;
  serving::AuthorizationResult Pod(std::string_view node,
                                   const serving::AccessAttributes& asked) const;
  serving::AuthorizationResult PodCertificate(std::string_view node,
                                              const serving::AccessAttributes& asked) const;

  const NodeGraph& graph_;
  const NodeAuthorizerFeatures features_;
  std::vector<PolicyRule> rules_;  // of all other resources
};

}  // namespace skiff::apiserver
