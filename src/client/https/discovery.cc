#include "client/https/discovery.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/limits.h"
#include "client/object.h"
#include "object/json/decode.h"

namespace skiff::client {
namespace {

std::string TextAt(const object::Value& object, std::initializer_list<std::string_view> path) {
  const object::Value* value = object.FindPath(path);
  return value != nullptr && value->is_string() ? std::string(value->AsText()) : std::string();
}

std::span<const object::Value> ItemsAt(const object::Value& object, std::string_view name) {
  const object::Value* list = object.Find(name);
  if (list == nullptr || !list->is_list()) return {};
  return list->items();
}

Result<object::Document> Decode(std::string_view json, std::string_view path,
                                std::string_view kind) {
  object::DecodeOptions options;
  options.max_bytes = limits::kMaxApiResponseBytes;
  options.borrow_text = true;
  Result<object::Document> document =
      object::DecodeJson(json, object::FindMessage(path, kind), options);
  if (!document)
    return Fail(StatusReason::kInternalError,
                "a document of discovery cannot be read: " + document.error().ToString());
  return document;
}

DiscoveredResource MakeResource(const DiscoveredVersion& of, std::string name, std::string kind,
                                bool namespaced, std::span<const object::Value> verbs) {
  DiscoveredResource made;
  made.resource = {.group = of.group,
                   .version = of.version,
                   .name = std::move(name),
                   .kind = std::move(kind),
                   .namespaced = namespaced};
  // A custom resource may have the name of one that is built in, but not its kind as well.
  const ApiResource* known = FindBuiltIn(of.group, of.version, made.resource.name);
  if (known != nullptr && known->kind == made.resource.kind) made.resource.type = known->type;
  for (const object::Value& verb : verbs)
    if (verb.is_string()) made.verbs.emplace_back(verb.AsText());
  std::ranges::sort(made.verbs);
  return made;
}

DiscoveredVersion ReadVersion(std::string group, const object::Value& version) {
  DiscoveredVersion made{.group = std::move(group), .version = TextAt(version, {"version"})};
  made.available = TextAt(version, {"freshness"}) != "Stale";
  for (const object::Value& resource : ItemsAt(version, "resources")) {
    std::string kind = TextAt(resource, {"responseKind", "kind"});
    // What has subresources only has no kind itself.
    if (kind.empty() || ItemsAt(resource, "verbs").empty()) continue;
    made.resources.push_back(MakeResource(made, TextAt(resource, {"resource"}), std::move(kind),
                                          TextAt(resource, {"scope"}) == "Namespaced",
                                          ItemsAt(resource, "verbs")));
  }
  return made;
}

// The preferred one first; the others stay in their order.
void PreferVersion(std::vector<DiscoveredVersion>& versions, size_t first,
                   std::string_view preferred) {
  const auto begin = versions.begin() + static_cast<ptrdiff_t>(first);
  const auto found = std::find_if(begin, versions.end(), [&](const DiscoveredVersion& one) {
    return one.version == preferred;
  });
  if (found != versions.end()) std::rotate(begin, found, found + 1);
}

std::unexpected<Status> TooMany() {
  return Fail(StatusReason::kInternalError, "the server has too many groups and versions");
}

}  // namespace

Result<std::vector<DiscoveredVersion>> ReadAggregatedDiscovery(std::string_view json) {
  SKIFF_ASSIGN_OR_RETURN(const object::Document document,
                         Decode(json, "apidiscovery.k8s.io/v2", "APIGroupDiscoveryList"));
  std::vector<DiscoveredVersion> versions;
  for (const object::Value& group : ItemsAt(document.root(), "items")) {
    for (const object::Value& version : ItemsAt(group, "versions")) {
      if (versions.size() == limits::kMaxDiscoveredVersions) return TooMany();
      versions.push_back(ReadVersion(TextAt(group, {"metadata", "name"}), version));
    }
  }
  return versions;
}

Result<std::vector<DiscoveredVersion>> ReadVersions(std::string_view json) {
  std::vector<DiscoveredVersion> versions;
  SKIFF_ASSIGN_OR_RETURN(const object::TypeMeta meta, object::PeekTypeMeta(json));
  if (meta.kind == "APIVersions") {
    SKIFF_ASSIGN_OR_RETURN(const object::Document document, Decode(json, "meta/v1", "APIVersions"));
    for (const object::Value& version : ItemsAt(document.root(), "versions"))
      versions.push_back({.group = "", .version = std::string(version.AsText())});
    return versions;
  }
  SKIFF_ASSIGN_OR_RETURN(const object::Document document, Decode(json, "meta/v1", "APIGroupList"));
  for (const object::Value& group : ItemsAt(document.root(), "groups")) {
    const size_t first = versions.size();
    for (const object::Value& version : ItemsAt(group, "versions")) {
      if (versions.size() == limits::kMaxDiscoveredVersions) return TooMany();
      versions.push_back(
          {.group = TextAt(group, {"name"}), .version = TextAt(version, {"version"})});
    }
    PreferVersion(versions, first, TextAt(group, {"preferredVersion", "version"}));
  }
  return versions;
}

Result<std::vector<DiscoveredResource>> ReadResources(std::string_view json,
                                                      const DiscoveredVersion& of) {
  SKIFF_ASSIGN_OR_RETURN(const object::Document document,
                         Decode(json, "meta/v1", "APIResourceList"));
  std::vector<DiscoveredResource> resources;
  for (const object::Value& resource : ItemsAt(document.root(), "resources")) {
    std::string name = TextAt(resource, {"name"});
    if (name.find('/') != std::string::npos) continue;
    const object::Value* namespaced = resource.Find("namespaced");
    resources.push_back(MakeResource(of, std::move(name), TextAt(resource, {"kind"}),
                                     namespaced != nullptr && namespaced->AsBool(),
                                     ItemsAt(resource, "verbs")));
  }
  return resources;
}

ServedApi ChoosePreferred(const std::vector<DiscoveredVersion>& versions) {
  ServedApi served;
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const DiscoveredVersion& version : versions) {
    if (!version.available) served.unavailable.push_back(version.name());
    for (const DiscoveredResource& resource : version.resources)
      if (seen.emplace(version.group, resource.resource.name).second)
        served.resources.push_back(resource);
  }
  return served;
}

}  // namespace skiff::client
