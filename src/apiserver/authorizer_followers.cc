#include "apiserver/authorizer_followers.h"

#include <string_view>
#include <vector>

#include "apiserver/authz/reconcile.h"

namespace skiff::apiserver {

AuthorizerFollowers::AuthorizerFollowers(Security& security, const StorageSet& storages,
                                         store::Store& store, BackgroundTasks& tasks, Clock& clock,
                                         Random& random, Log& log)
    : security_(security),
      storages_(storages),
      store_(store),
      tasks_(tasks),
      log_(log),
      stored_rbac_(storages, clock, random) {}

void AuthorizerFollowers::Start() {
  if (security_.roles_decide) FollowRoles();
  if (security_.node_graph != nullptr) FollowNodes();
}

void AuthorizerFollowers::Stop() {
  roles_.reset();
  nodes_.reset();
}

bool AuthorizerFollowers::roles_ready() const {
  return !security_.roles_decide || (roles_written_ && roles_->synced());
}

bool AuthorizerFollowers::nodes_ready() const { return !nodes_ || nodes_->synced(); }

// Brings the roles that every cluster has up to date, and the policy up to the roles.
void AuthorizerFollowers::FollowRoles() {
  const auto cache = [&](std::string_view name) {
    return &storages_.Find(object::FindPreferredResource("rbac.authorization.k8s.io", name)->hub)
                ->cache();
  };
  const RbacFollower::Caches caches{.roles = cache("roles"),
                                    .cluster_roles = cache("clusterroles"),
                                    .role_bindings = cache("rolebindings"),
                                    .cluster_role_bindings = cache("clusterrolebindings")};
  const size_t run = tasks_.Add({}, [this] { roles_->Run(); });
  tasks_.Add(std::chrono::seconds(1), [this] { roles_->Tick(); });
  roles_.emplace(*security_.rbac, caches, [this, run] { tasks_.Trigger(run); });
  roles_->Start();
  const size_t ensure = tasks_.Add({}, [this] { EnsureRoles(); });
  // Tried again every second until it has been done once.
  tasks_.Add(std::chrono::seconds(1), [this, ensure] {
    if (!roles_written_) tasks_.Trigger(ensure);
  });
  tasks_.Trigger(ensure);
}

// Tells the Node authorizer what is on which node.
void AuthorizerFollowers::FollowNodes() {
  const auto cache = [&](std::string_view group, std::string_view name) -> store::ResourceCache* {
    ResourceStorage* storage = storages_.Find(object::FindPreferredResource(group, name)->hub);
    return storage != nullptr ? &storage->cache() : nullptr;
  };
  // In the order of NodeGraph::kSources. A pod that is on no node is nobody's business yet, and
  // most of those that are being created are not on one.
  const std::vector<FollowedCache> caches = {
      {cache("", "pods"), object::FieldSelector::NotEquals("spec.nodeName", "")},
      {cache("", "persistentvolumes")},
      {cache("storage.k8s.io", "volumeattachments")},
      {cache("resource.k8s.io", "resourceslices")},
      {cache("certificates.k8s.io", "podcertificaterequests")}};
  const size_t run = tasks_.Add({}, [this] { nodes_->Run(); });
  tasks_.Add(std::chrono::seconds(1), [this] { nodes_->Tick(); });
  nodes_.emplace(*security_.node_graph, caches, [this, run] { tasks_.Trigger(run); });
  nodes_->Start();
}

void AuthorizerFollowers::EnsureRoles() {
  if (roles_written_) return;
  EnsureBootstrapPolicy(stored_rbac_, [this](const Result<void>& done) {
    // What is damaged grants nothing; trying again does not help.
    const bool is_damage = !done && done.error().reason() == StatusReason::kInternalError &&
                           store_.Health().damaged > 0;
    if (done || is_damage) roles_written_ = true;
    if (is_damage) {
      log_.Error("Some roles of the cluster could not be written, since they are damaged",
                 {{"err", done.error().ToString()}});
    } else if (!done) {
      log_.Warning("The roles of the cluster could not be written; trying again",
                   {{"err", done.error().ToString()}});
    }
  });
}

}  // namespace skiff::apiserver
