#include "apiserver/router.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "apiserver/registry/find_rules.h"
#include "apiserver/rest/create.h"
#include "apiserver/rest/delete.h"
#include "apiserver/rest/delete_collection.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/get.h"
#include "apiserver/rest/list.h"
#include "apiserver/rest/patch.h"
#include "apiserver/rest/update.h"
#include "apiserver/rest/watch.h"
#include "object/scalar/names.h"
#include "serving/request/respond.h"

namespace skiff::apiserver {
namespace {

std::optional<object::Verb> VerbOf(std::string_view name) {
  for (size_t i = 0; i < object::kVerbCount; ++i) {
    if (object::VerbName(static_cast<object::Verb>(i)) == name) return static_cast<object::Verb>(i);
  }
  return std::nullopt;
}

// By Verb.
using VerbHandler = void (*)(serving::ApiRequestPtr request, const Endpoint& endpoint);
constexpr VerbHandler kHandlers[] = {HandleCreate, HandleDelete, HandleDeleteCollection,
                                     HandleGet,    HandleList,   HandlePatch,
                                     HandleUpdate, HandleWatch};
static_assert(std::size(kHandlers) == object::kVerbCount);

// Kinds that Kubernetes would rather see gone, and what it says to who uses them.
struct Deprecation {
  std::string_view resource;  // of the core group
  std::string_view warning;
};
constexpr Deprecation kDeprecations[] = {
    {"endpoints", "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"},
    {"componentstatuses", "v1 ComponentStatus is deprecated in v1.19+"},
};

void WarnOfDeprecation(serving::ApiRequest& request) {
  if (!request.info.group.empty()) return;
  for (const Deprecation& each : kDeprecations) {
    if (request.info.resource == each.resource) request.warnings.emplace_back(each.warning);
  }
}

// Whether the URL has a namespace where the resource has one, and none where it has not. Lists and
// watches may go over all namespaces.
bool ScopeFits(const serving::RequestInfo& info, const object::ResourceDesc& resource) {
  if (!resource.namespaced) return !info.within_namespace;
  return !info.name_space.empty() || !info.name_in_path;
}

// Subresources whose objects Kubernetes shows as they are and never as a Table.
struct WithoutTables {
  std::string_view group;
  std::string_view resource;
  std::string_view subresource;
};
constexpr WithoutTables kWithoutTables[] = {
    {"", "namespaces", "finalize"},
    {"", "pods", "ephemeralcontainers"},
    {"", "pods", "resize"},
    {"apiextensions.k8s.io", "customresourcedefinitions", "status"},
    {"apiregistration.k8s.io", "apiservices", "status"},
    {"certificates.k8s.io", "certificatesigningrequests", "approval"},
    {"resource.k8s.io", "devicetaintrules", "status"},
    {"resource.k8s.io", "resourceclaims", "status"},
    {"resource.k8s.io", "resourcepoolstatusrequests", "status"},
    {"scheduling.k8s.io", "podgroups", "status"},
};

bool HasTables(const object::ResourceDesc& desc, std::string_view subresource) {
  return std::ranges::none_of(kWithoutTables, [&](const WithoutTables& each) {
    return each.group == desc.version->desc->group && each.resource == desc.name &&
           each.subresource == subresource;
  });
}

}  // namespace

Router::Router(const ServedResources& served, const StorageSet& storages, const Registry& registry,
               const CustomResources& custom, RestContext& context)
    : custom_(custom) {
  for (const ServedGroup& group : served.groups()) {
    for (const ServedVersion& version : group.versions) {
      Version& made =
          versions_[{std::string(group.name), std::string(version.info->desc->version)}];
      for (const ServedResource& resource : version.resources) {
        AddResource(resource, storages, registry, context, made);
      }
    }
  }
  AddBindings();
}

// The older way to bind a pod: the pod is named in the body.
void Router::AddBindings() {
  const auto core = versions_.find({"", "v1"});
  if (core == versions_.end()) return;
  const auto pods = core->second.find("pods");
  if (pods == core->second.end()) return;
  for (const SubresourceRoute& route : pods->second.subresources) {
    if (route.handler == nullptr || route.endpoint.subresource->name != "binding") continue;
    SetVirtual("", "bindings", [&route](serving::ApiRequestPtr request, const Endpoint&) {
      route.handler(std::move(request), route.endpoint);
    });
  }
}

void Router::AddResource(const ServedResource& served, const StorageSet& storages,
                         const Registry& registry, RestContext& context, Version& version) {
  const object::ResourceDesc& desc = *served.desc;
  RoutedResource& resource = version[std::string(desc.name)];
  resource.view = std::make_unique<ObjectView>(desc);
  resource.columns = std::make_unique<LazyColumns>(desc);
  resource.endpoint = Endpoint{.resource = &desc,
                               .subresource = nullptr,
                               .storage = storages.Find(desc.hub),
                               .behaviour = registry.BehaviourOf(*desc.hub),
                               .rules = FindRules(desc.version->desc->group, desc.kind_name),
                               .view = resource.view.get(),
                               .columns = resource.columns.get(),
                               .context = &context};
  for (const object::SubresourceDesc* subresource : served.subresources) {
    SubresourceRoute& route = resource.subresources.emplace_back();
    route.endpoint = resource.endpoint;
    route.endpoint.subresource = subresource;
    if (!HasTables(desc, subresource->name)) route.endpoint.columns = nullptr;
    route.handler = registry.SubresourceHandler(desc, subresource->name);
  }
}

void Router::SetVirtual(std::string_view group, std::string_view path, VirtualHandler handler) {
  virtual_[std::string(group) + "/" + std::string(path)] = std::move(handler);
}

bool Router::Route(serving::ApiRequestPtr& request) const {
  const serving::RequestInfo& info = request->info;
  const auto version =
      versions_.find(std::pair<std::string, std::string>(info.group, info.version));
  if (version != versions_.end()) {
    const auto resource = version->second.find(info.resource);
    if (resource != version->second.end() && ScopeFits(info, *resource->second.endpoint.resource)) {
      RouteTo(std::move(request), resource->second);
      return true;
    }
  }
  if (RouteCustom(request)) return true;
  if (!ServesGroup(info.group)) return false;
  serving::RespondError(*request, UnknownResource());
  return true;
}

void Router::RouteTo(serving::ApiRequestPtr request, const RoutedResource& resource) const {
  if (!resource.deprecation.empty()) request->warnings.push_back(resource.deprecation);
  if (!request->info.subresource.empty()) return RouteSubresource(std::move(request), resource);
  request->is_routed = true;
  RouteObject(std::move(request), resource);
}

namespace {

// What a request for a custom resource keeps: the definition, and, if it may create an object, the
// word that it is doing so.
struct Held {
  std::shared_ptr<ServedDefinition> definition;
  std::shared_ptr<const void> creation;
};

bool MayCreate(const serving::RequestInfo& info) {
  return info.subresource.empty() && (info.verb == "create" || info.verb == "patch");
}

}  // namespace

bool Router::RouteCustom(serving::ApiRequestPtr& request) const {
  const serving::RequestInfo& info = request->info;
  std::shared_ptr<ServedDefinition> definition = custom_.Find(info.group, info.resource);
  std::shared_ptr<const void> creation;
  if (MayCreate(info)) {
    // Who comes while a definition is replaced creates by the new one.
    while (definition != nullptr && !definition->terminating()) {
      creation = definition->BeginCreation();
      if (creation != nullptr) break;
      definition = custom_.Find(info.group, info.resource);
    }
  }
  const RoutedResource* resource =
      definition != nullptr ? definition->Route(info.version) : nullptr;
  if (resource == nullptr || !ScopeFits(info, *resource->endpoint.resource)) return false;
  if (creation != nullptr) {
    request->served_by = std::make_shared<Held>(Held{definition, std::move(creation)});
  } else {
    request->served_by = definition;
  }
  request->is_untyped = true;
  if (definition->storage() != nullptr) {
    RouteTo(std::move(request), *resource);
    return true;
  }
  auto waiting = std::make_shared<serving::ApiRequestPtr>(std::move(request));
  definition->WhenReady([this, waiting, resource, weak = std::weak_ptr(definition)] {
    net::Responder& responder = (*waiting)->responder;
    responder.Post([this, waiting, resource, definition = weak.lock()] {
      RouteWaited(std::move(*waiting), *resource, definition->retired());
    });
  });
  return true;
}

void Router::RouteWaited(serving::ApiRequestPtr request, const RoutedResource& resource,
                         bool retired) const {
  if (retired) {
    // It has changed or gone while its objects were being read.
    if (!RouteCustom(request)) serving::RespondError(*request, UnknownResource());
    return;
  }
  if (resource.endpoint.storage != nullptr) return RouteTo(std::move(request), resource);
  serving::RespondError(*request, Status(StatusReason::kServiceUnavailable,
                                         "the objects of this resource cannot be served"));
}

bool Router::ServesGroup(std::string_view group) const {
  for (const auto& [key, version] : versions_) {
    if (key.first == group) return true;
  }
  return false;
}

bool Router::RouteVirtual(serving::ApiRequestPtr& request, const Endpoint& endpoint) const {
  if (virtual_.empty()) return false;
  std::string key = request->info.group + "/" + request->info.resource;
  if (endpoint.subresource != nullptr) key += "/" + request->info.subresource;
  const auto found = virtual_.find(key);
  if (found == virtual_.end()) return false;
  found->second(std::move(request), endpoint);
  return true;
}

void Router::RouteObject(serving::ApiRequestPtr request, const RoutedResource& resource) const {
  const serving::RequestInfo& info = request->info;
  const object::ResourceDesc& desc = *resource.endpoint.resource;
  const std::optional<object::Verb> verb = VerbOf(info.verb);
  const bool needs_namespace =
      verb == object::Verb::kCreate || verb == object::Verb::kDeleteCollection;
  const bool creates_nowhere = (needs_namespace && desc.namespaced && info.name_space.empty()) ||
                               (verb == object::Verb::kCreate && info.name_in_path);
  const bool names_nothing =
      (verb == object::Verb::kUpdate || verb == object::Verb::kPatch) && info.name.empty();
  // Paths of the old form have their verb in them, whatever the method.
  const bool watches_by_writing = verb == object::Verb::kWatch && request->http.method != "GET";
  if (!verb || !desc.verbs.Has(*verb) || creates_nowhere || names_nothing || watches_by_writing ||
      request->http.method == "HEAD") {
    return serving::RespondError(*request, MethodNotAllowed());
  }
  WarnOfDeprecation(*request);
  if (RouteVirtual(request, resource.endpoint)) return;
  if (resource.endpoint.storage == nullptr)
    return serving::RespondError(*request, MethodNotAllowed());
  kHandlers[static_cast<size_t>(*verb)](std::move(request), resource.endpoint);
}

namespace {

// A subresource that has no such verb. Of custom resources Kubernetes says which.
Status Unsupported(const serving::ApiRequest& request, const RoutedResource& resource) {
  const object::ResourceDesc& desc = *resource.endpoint.resource;
  if (desc.kind->open == nullptr) return MethodNotAllowed();
  const std::string group(desc.version->desc->group);
  Status out(StatusReason::kMethodNotAllowed, request.info.verb +
                                                  " is not supported on resources of kind \"" +
                                                  std::string(desc.name) + "." + group + "\"");
  out.SetSubject({.name = {}, .group = group, .kind = std::string(desc.name), .uid = {}});
  return out;
}

}  // namespace

void Router::RouteSubresource(serving::ApiRequestPtr request,
                              const RoutedResource& resource) const {
  for (const SubresourceRoute& route : resource.subresources) {
    if (route.endpoint.subresource->name != request->info.subresource) continue;
    request->is_routed = true;
    const std::optional<object::Verb> verb = VerbOf(request->info.verb);
    if (!verb || !route.endpoint.subresource->verbs.Has(*verb)) {
      return serving::RespondError(*request, Unsupported(*request, resource));
    }
    // Only what is passed on to others goes on after the name of the subresource.
    if (!request->info.rest.empty() && request->info.subresource != "proxy") {
      return serving::RespondError(*request, UnknownResource());
    }
    if (RouteVirtual(request, route.endpoint)) return;
    if (route.handler != nullptr) return route.handler(std::move(request), route.endpoint);
    // A subresource that can only be read, such as a pod's log, is no part of the object.
    const object::SubresourceDesc& desc = *route.endpoint.subresource;
    if (resource.endpoint.storage == nullptr || desc.kind != resource.endpoint.resource->kind ||
        !desc.verbs.Has(object::Verb::kUpdate)) {
      return serving::RespondError(*request, Status(StatusReason::kServiceUnavailable,
                                                    "this server cannot serve the subresource " +
                                                        request->info.subresource + " yet"));
    }
    return kHandlers[static_cast<size_t>(*verb)](std::move(request), route.endpoint);
  }
  const object::ResourceDesc& desc = *resource.endpoint.resource;
  serving::RespondError(*request, desc.kind->open != nullptr ? NotFound(desc, request->info.name)
                                                             : UnknownResource());
}

}  // namespace skiff::apiserver
