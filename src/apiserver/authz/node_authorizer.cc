#include "apiserver/authz/node_authorizer.h"

#include <algorithm>
#include <utility>

#include "apiserver/authz/bootstrap_policy.h"
#include "base/go_quoted.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kUserPrefix = "system:node:";
constexpr char kNodesGroup[] = "system:nodes";
constexpr std::string_view kOwnVerbs[] = {"get", "create", "update", "patch", "delete"};

serving::AuthorizationResult Allowed() {
  return {.decision = serving::Decision::kAllow, .reason = {}, .evaluation_error = {}};
}
serving::AuthorizationResult NotAllowed(std::string why = {}) {
  return {
      .decision = serving::Decision::kNoOpinion, .reason = std::move(why), .evaluation_error = {}};
}

bool IsNode(const serving::UserInfo& user) {
  return user.name.starts_with(kUserPrefix) && user.IsIn(kNodesGroup);
}

bool IsOneOf(std::string_view verb, std::initializer_list<std::string_view> verbs) {
  return std::ranges::find(verbs, verb) != verbs.end();
}

// Whether only what has this value in the field is asked for.
bool Selects(const serving::AccessAttributes& asked, std::string_view field,
             std::string_view value) {
  return std::ranges::any_of(asked.field_requirements, [&](const serving::SelectedBy& each) {
    return each.key == field && each.op == "=" && each.values.size() == 1 &&
           each.values[0] == value;
  });
}

serving::AuthorizationResult OwnLease(std::string_view node,
                                      const serving::AccessAttributes& asked) {
  if (std::ranges::find(kOwnVerbs, asked.verb) == std::end(kOwnVerbs)) {
    return NotAllowed("can only get, create, update, patch, or delete a node lease");
  }
  if (asked.name_space != "kube-node-lease") {
    return NotAllowed("can only access leases in the \"kube-node-lease\" system namespace");
  }
  // The name of what is created is not known yet.
  if (asked.verb != "create" && asked.name != node) {
    return NotAllowed("can only access node lease with the same name as the requesting node");
  }
  return Allowed();
}

serving::AuthorizationResult OwnCsiNode(std::string_view node,
                                        const serving::AccessAttributes& asked) {
  if (std::ranges::find(kOwnVerbs, asked.verb) == std::end(kOwnVerbs)) {
    return NotAllowed("can only get, create, update, patch, or delete a CSINode");
  }
  if (!asked.subresource.empty()) return NotAllowed("cannot authorize CSINode subresources");
  if (asked.verb != "create" && asked.name != node) {
    return NotAllowed("can only access CSINode with the same name as the requesting node");
  }
  return Allowed();
}

serving::AuthorizationResult OwnNode(std::string_view node,
                                     const serving::AccessAttributes& asked) {
  if (asked.subresource == "status" && IsOneOf(asked.verb, {"update", "patch"})) return Allowed();
  if (!asked.subresource.empty()) return NotAllowed();
  if (IsOneOf(asked.verb, {"create", "update", "patch"})) return Allowed();
  if (!IsOneOf(asked.verb, {"get", "list", "watch"})) return NotAllowed();
  // By its name alone, so that a kubelet can look whether its node is there.
  if (asked.name == node) return Allowed();
  const std::string who = "node '" + std::string(node) + "'";
  if (asked.name.empty())
    return NotAllowed(who + " cannot read all nodes, only its own Node object");
  return NotAllowed(who + " cannot read '" + std::string(asked.name) +
                    "', only its own Node object");
}

std::vector<PolicyRule> RulesOfNodes() {
  for (const object::Document& object : BootstrapObjects()) {
    const object::Value* name = object.root().FindPath({"metadata", "name"});
    if (object.kind() == "ClusterRole" && name != nullptr && name->AsText() == "system:node") {
      return ReadPolicyRules(object.root().Find("rules"));
    }
  }
  return {};
}

}  // namespace

NodeAuthorizer::NodeAuthorizer(const NodeGraph& graph, NodeAuthorizerFeatures features)
    : graph_(graph), features_(features), rules_(RulesOfNodes()) {}

void NodeAuthorizer::Authorize(const serving::AccessAttributes& attributes,
                               std::move_only_function<void(serving::AuthorizationResult)> done) {
  done(Decide(attributes));
}

UserRules NodeAuthorizer::RulesFor(const serving::UserInfo& user, std::string_view /*name_space*/) {
  if (!IsNode(user)) return {};
  return {.rules = {},
          .incomplete = true,
          .error = "node authorizer does not support user rule resolution"};
}

serving::AuthorizationResult NodeAuthorizer::Decide(const serving::AccessAttributes& asked) const {
  const serving::UserInfo& user = *asked.user;
  if (!IsNode(user)) return NotAllowed();
  const std::string_view node = std::string_view(user.name).substr(kUserPrefix.size());
  if (node.empty()) return NotAllowed("unknown node for user " + GoQuoted(user.name));
  if (asked.is_resource) {
    const auto is = [&](std::string_view group, std::string_view resource) {
      return asked.group == group && asked.resource == resource;
    };
    if (is("", "secrets")) return Read(node, NodeThing::kSecret, asked);
    if (is("", "configmaps")) return Read(node, NodeThing::kConfigMap, asked);
    if (is("", "persistentvolumeclaims")) return VolumeClaim(node, asked);
    if (is("", "persistentvolumes")) return Get(node, NodeThing::kVolume, asked);
    if (is("resource.k8s.io", "resourceclaims")) return Get(node, NodeThing::kResourceClaim, asked);
    if (is("storage.k8s.io", "volumeattachments")) {
      return Get(node, NodeThing::kVolumeAttachment, asked);
    }
    if (is("", "serviceaccounts")) return ServiceAccount(node, asked);
    if (is("coordination.k8s.io", "leases")) return OwnLease(node, asked);
    if (is("storage.k8s.io", "csinodes")) return OwnCsiNode(node, asked);
    if (is("resource.k8s.io", "resourceslices")) return ResourceSlice(node, asked);
    if (is("", "nodes")) return OwnNode(node, asked);
    if (is("", "pods")) return Pod(node, asked);
    if (is("certificates.k8s.io", "podcertificaterequests")) return PodCertificate(node, asked);
  }
  const bool is_allowed =
      std::ranges::any_of(rules_, [&](const PolicyRule& rule) { return RuleAllows(rule, asked); });
  return is_allowed ? Allowed() : NotAllowed();
}

serving::AuthorizationResult NodeAuthorizer::Related(std::string_view node, NodeThing thing,
                                                     const serving::AccessAttributes& asked) const {
  if (asked.name.empty()) return NotAllowed("No Object name found");
  if (graph_.Concerns(node, thing, asked.name_space, asked.name)) return Allowed();
  return NotAllowed("no relationship found between node '" + std::string(node) +
                    "' and this object");
}

serving::AuthorizationResult NodeAuthorizer::Get(std::string_view node, NodeThing thing,
                                                 const serving::AccessAttributes& asked) const {
  if (asked.verb != "get") return NotAllowed("can only get individual resources of this type");
  if (!asked.subresource.empty()) return NotAllowed("cannot get subresource");
  return Related(node, thing, asked);
}

serving::AuthorizationResult NodeAuthorizer::Read(std::string_view node, NodeThing thing,
                                                  const serving::AccessAttributes& asked) const {
  if (!IsOneOf(asked.verb, {"get", "list", "watch"})) {
    return NotAllowed("can only read resources of this type");
  }
  if (!asked.subresource.empty()) return NotAllowed("cannot read subresource");
  if (asked.name_space.empty()) return NotAllowed("can only read namespaced object of this type");
  return Related(node, thing, asked);
}

serving::AuthorizationResult NodeAuthorizer::VolumeClaim(
    std::string_view node, const serving::AccessAttributes& asked) const {
  if (asked.subresource != "status") return Get(node, NodeThing::kVolumeClaim, asked);
  if (!IsOneOf(asked.verb, {"update", "patch"})) {
    return NotAllowed("can only get/update/patch this type");
  }
  return Related(node, NodeThing::kVolumeClaim, asked);
}

serving::AuthorizationResult NodeAuthorizer::ServiceAccount(
    std::string_view node, const serving::AccessAttributes& asked) const {
  if (asked.verb == "get" && asked.subresource.empty()) {
    if (!features_.service_accounts && !features_.pod_certificates) {
      return NotAllowed("not allowed to get service accounts");
    }
    return Read(node, NodeThing::kServiceAccount, asked);
  }
  if (asked.verb != "create" || asked.name.empty()) {
    return NotAllowed("can only create tokens for individual service accounts");
  }
  if (asked.subresource != "token") {
    return NotAllowed("can only create token subresource of serviceaccount");
  }
  return Related(node, NodeThing::kServiceAccount, asked);
}

serving::AuthorizationResult NodeAuthorizer::ResourceSlice(
    std::string_view node, const serving::AccessAttributes& asked) const {
  if (!asked.subresource.empty()) return NotAllowed("cannot authorize ResourceSlice subresources");
  if (asked.verb == "create") return Allowed();
  if (IsOneOf(asked.verb, {"get", "update", "patch", "delete"})) {
    return Related(node, NodeThing::kResourceSlice, asked);
  }
  if (!IsOneOf(asked.verb, {"list", "watch", "deletecollection"})) {
    return NotAllowed(
        "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, "
        "update, patch, delete, deletecollection");
  }
  if (Selects(asked, "spec.nodeName", node)) return Allowed();
  return NotAllowed(
      "can only list/watch/deletecollection resourceslices with nodeName field selector");
}

serving::AuthorizationResult NodeAuthorizer::Pod(std::string_view node,
                                                 const serving::AccessAttributes& asked) const {
  if (asked.subresource == "status") {
    return IsOneOf(asked.verb, {"update", "patch"}) ? Allowed() : NotAllowed();
  }
  if (asked.subresource == "eviction") return asked.verb == "create" ? Allowed() : NotAllowed();
  if (!asked.subresource.empty()) return NotAllowed();
  if (asked.verb == "get") return Get(node, NodeThing::kPod, asked);
  if (IsOneOf(asked.verb, {"create", "delete"})) return Allowed();
  if (!IsOneOf(asked.verb, {"list", "watch"})) return NotAllowed();
  if (Selects(asked, "spec.nodeName", node)) return Allowed();
  if (!asked.name.empty()) return Related(node, NodeThing::kPod, asked);
  return NotAllowed("can only list/watch pods with spec.nodeName field selector");
}

serving::AuthorizationResult NodeAuthorizer::PodCertificate(
    std::string_view node, const serving::AccessAttributes& asked) const {
  if (!features_.pod_certificates) return NotAllowed();
  if (!asked.subresource.empty()) {
    return NotAllowed("nodes may not access the status subresource of PodCertificateRequests");
  }
  if (asked.verb == "create") return Allowed();
  if (asked.verb == "get") return Related(node, NodeThing::kPodCertificateRequest, asked);
  if (!IsOneOf(asked.verb, {"list", "watch"})) {
    return NotAllowed("nodes may not " + std::string(asked.verb) + " podcertificaterequests");
  }
  if (Selects(asked, "spec.nodeName", node)) return Allowed();
  return NotAllowed("can only list/watch podcertificaterequests with nodeName field selector");
}

}  // namespace skiff::apiserver
