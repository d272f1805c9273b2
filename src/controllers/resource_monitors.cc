#include "controllers/resource_monitors.h"

#include <algorithm>
#include <iterator>

#include "client/object.h"
#include "controllers/objects.h"

namespace skiff::controllers {
namespace {

// How long an informer may take until others no longer wait for it.
constexpr Duration kSyncPatience = std::chrono::seconds(30);

std::string KeyOf(const client::ApiResource& resource) {
  return resource.group + "/" + resource.version + "/" + resource.name;
}

// Events are many, short-lived and own nothing.
bool IsIgnored(const client::ApiResource& resource) {
  return resource.name == "events" && (resource.group.empty() || resource.group == "events.k8s.io");
}

bool AddsResources(const client::ApiResource& resource) {
  return (resource.group == "apiextensions.k8s.io" &&
          resource.name == "customresourcedefinitions") ||
         (resource.group == "apiregistration.k8s.io" && resource.name == "apiservices");
}

bool IsMonitored(const client::DiscoveredResource& discovered) {
  return discovered.Has("delete") && discovered.Has("list") && discovered.Has("watch") &&
         !IsIgnored(discovered.resource);
}

}  // namespace

class ResourceMonitors::Monitor final : public client::InformerHandler {
 public:
  Monitor(ResourceMonitors& owner, client::ApiResource resource)
      : owner_(owner),
        resource_(std::move(resource)),
        api_version_(resource_.api_version()),
        adds_resources_(AddsResources(resource_)),
        since_(owner.clock_.Monotonic()),
        informer_(owner.informers_.For(resource_, {.metadata_only = true})) {
    informer_.AddHandler(this);
  }
  ~Monitor() override { informer_.RemoveHandler(this); }

  const client::ApiResource& resource() const { return resource_; }
  const std::string& api_version() const { return api_version_; }
  client::Informer& informer() const { return informer_; }
  bool synced() const { return informer_.synced(); }
  bool settled() const { return synced() || owner_.clock_.Monotonic() - since_ >= kSyncPatience; }

  void OnAdd(const client::ObjectPtr& object) override {
    if (adds_resources_) owner_.on_apis_changed_();
    Observe(*object);
  }
  void OnUpdate(const client::ObjectPtr& old, const client::ObjectPtr& object) override {
    if (adds_resources_) owner_.on_apis_changed_();
    if (SameOwnership(*old, *object)) return;
    if (client::UidOf(*old) != client::UidOf(*object)) owner_.graph_.Remove(Identity(*old));
    Observe(*object);
  }
  void OnDelete(const client::ObjectPtr& last) override {
    if (adds_resources_) owner_.on_apis_changed_();
    owner_.graph_.Remove(Identity(*last));
  }

 private:
  ObjectIdentity Identity(const object::Document& object) const {
    client::ObjectName name = client::NameOf(object);
    return {.kind = resource_.kind,
            .api_version = api_version_,
            .name_space = std::move(name.name_space),
            .name = std::move(name.name),
            .uid = std::string(client::UidOf(object))};
  }
  void Observe(const object::Document& object) {
    owner_.graph_.Observe({.identity = Identity(object),
                           .owners = OwnersOf(object),
                           .being_deleted = client::IsDeleting(object),
                           .foreground = HasFinalizer(object, kForegroundFinalizer),
                           .orphan = HasFinalizer(object, kOrphanFinalizer)});
  }

  ResourceMonitors& owner_;
  const client::ApiResource resource_;
  const std::string api_version_;
  const bool adds_resources_;
  const Duration since_;
  client::Informer& informer_;
};

ResourceMonitors::ResourceMonitors(client::InformerSet& informers, OwnerGraph& graph, Clock& clock,
                                   std::function<void()> on_apis_changed)
    : informers_(informers),
      graph_(graph),
      clock_(clock),
      on_apis_changed_(std::move(on_apis_changed)) {}

ResourceMonitors::~ResourceMonitors() = default;

ResourceMonitors::Change ResourceMonitors::Update(const client::ServedApi& served) {
  const auto is_hidden = [&](const std::string& api_version) {
    return std::ranges::find(served.unavailable, api_version) != served.unavailable.end();
  };
  Kinds kinds;
  std::map<std::string, const client::ApiResource*> wanted;
  for (const client::DiscoveredResource& discovered : served.resources) {
    const client::ApiResource& resource = discovered.resource;
    std::shared_ptr<const client::ApiResource> known =
        Resolve(resource.api_version(), resource.kind);
    if (known == nullptr || !(*known == resource) || known->namespaced != resource.namespaced) {
      known = std::make_shared<const client::ApiResource>(resource);
    }
    kinds.try_emplace({resource.group, resource.kind}, std::move(known));
    if (IsMonitored(discovered)) wanted.emplace(KeyOf(resource), &resource);
  }
  for (const auto& [name, resource] : kinds_) {
    if (is_hidden(resource->api_version())) kinds.try_emplace(name, resource);
  }

  Change change{.any = kinds != kinds_};
  kinds_ = std::move(kinds);
  for (auto at = monitors_.begin(); at != monitors_.end();) {
    const Monitor& monitor = *at->second;
    if (wanted.contains(at->first) || (is_hidden(monitor.api_version()) && monitor.synced())) {
      ++at;
      continue;
    }
    change.any = true;
    const client::ApiResource resource = monitor.resource();
    client::Informer& informer = monitor.informer();
    at = monitors_.erase(at);
    informers_.Drop(informer);
    std::ranges::move(graph_.Unobserve(resource.api_version(), resource.kind),
                      std::back_inserter(change.lost));
  }
  for (const auto& [key, resource] : wanted) {
    if (monitors_.contains(key)) continue;
    change.any = true;
    monitors_.emplace(key, std::make_unique<Monitor>(*this, *resource));
  }
  if (change.any) informers_.Start();
  return change;
}

std::shared_ptr<const client::ApiResource> ResourceMonitors::Resolve(std::string_view api_version,
                                                                     std::string_view kind) const {
  const size_t slash = api_version.find('/');
  const std::string_view group =
      slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
  const std::string_view version =
      slash == std::string_view::npos ? api_version : api_version.substr(slash + 1);
  const auto found = kinds_.find({std::string(group), std::string(kind)});
  if (found == kinds_.end()) return nullptr;
  const client::ApiResource& resource = *found->second;
  // An object is the same in all versions of its kind, so that it is looked for in the one that is
  // served; custom kinds may have any.
  if (version != resource.version && resource.type != nullptr &&
      client::FindBuiltIn(group, version, resource.name) == nullptr) {
    return nullptr;
  }
  return found->second;
}

bool ResourceMonitors::synced() const {
  return !monitors_.empty() &&
         std::ranges::all_of(monitors_, [](const auto& entry) { return entry.second->synced(); });
}

bool ResourceMonitors::settled() const {
  return std::ranges::all_of(monitors_, [](const auto& entry) { return entry.second->settled(); });
}

}  // namespace skiff::controllers
