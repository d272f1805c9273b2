#include "apiserver/aggregator/discovery_reply.h"

#include <map>
#include <vector>

#include "base/aggregation_limits.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "serving/request/accept.h"
#include "views/apidiscovery.k8s.io/v2.h"
#include "views/meta/v1.h"

namespace skiff::apiserver {
namespace {

namespace v2 = views::apidiscovery_k8s_io_v2;
namespace meta = views::meta_v1;

const object::DecodeOptions kDecode{.max_bytes = limits::kMaxBackendDiscoveryBytes};

// Some clients of Go stumble over those that are not there.
void CompleteKinds(v2::MutableAPIResourceDiscovery resource) {
  if (!resource.Read().has_response_kind()) resource.mutable_response_kind();
  const size_t count = resource.Read().subresources().size();
  for (size_t i = 0; i < count; ++i) {
    auto sub = resource.mutable_subresources(i);
    if (!sub.Read().has_response_kind()) sub.mutable_response_kind();
  }
}

SharedBytes ResourcesOf(const v2::APIVersionDiscovery& version) {
  const object::Value* const resources = version.AsValue()->Find("resources");
  if (resources == nullptr || resources->size() == 0) return {};
  ByteBuffer out;
  object::EncodeJson(*resources, out);
  return SharedBytes(out.view());
}

std::string_view ScopeOf(const meta::APIResource& resource) {
  return resource.namespaced() ? "Namespaced" : "Cluster";
}

void SetKind(const meta::APIResource& from, meta::MutableGroupVersionKind to) {
  to.set_group(from.group());
  to.set_version(from.version());
  to.set_kind(from.kind());
}

void AddResource(const meta::APIResource& from, v2::MutableAPIResourceDiscovery to) {
  to.set_resource(from.name());
  SetKind(from, to.mutable_response_kind());
  to.set_scope(ScopeOf(from));
  to.set_singular_resource(from.singular_name());
  for (const std::string_view each : from.verbs()) to.add_verbs(each);
  for (const std::string_view each : from.short_names()) to.add_short_names(each);
  for (const std::string_view each : from.categories()) to.add_categories(each);
}

}  // namespace

constexpr std::string_view kAggregatedDiscoveryTypes =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";

bool IsAggregatedDiscovery(std::string_view content_type) {
  const std::vector<serving::MediaRange> types = serving::ParseAccept(content_type);
  if (types.size() != 1 || !types[0].Covers("application/json")) return false;
  const std::string_view version = types[0].Parameter("v");
  return types[0].Parameter("g") == "apidiscovery.k8s.io" &&
         types[0].Parameter("as") == "APIGroupDiscoveryList" &&
         (version == "v2" || version == "v2beta1");
}

Result<DiscoveredResources> ReadGroupDiscovery(std::string_view json) {
  // v2beta1 differs in nothing but its name.
  SKIFF_ASSIGN_OR_RETURN(object::Document document,
                         object::DecodeJson(json, v2::APIGroupDiscoveryList::Type(), kDecode));
  v2::MutableAPIGroupDiscoveryList list(document);
  DiscoveredResources out;
  const size_t groups = list.Read().items().size();
  for (size_t g = 0; g < groups; ++g) {
    auto group = list.mutable_items(g);
    const size_t versions = group.Read().versions().size();
    for (size_t v = 0; v < versions; ++v) {
      auto version = group.mutable_versions(v);
      const size_t resources = version.Read().resources().size();
      for (size_t r = 0; r < resources; ++r) CompleteKinds(version.mutable_resources(r));
      out.insert_or_assign(
          {std::string(group.Read().metadata().name()), std::string(version.Read().version())},
          ResourcesOf(version.Read()));
    }
  }
  return out;
}

Result<SharedBytes> ReadResourceList(std::string_view json) {
  SKIFF_ASSIGN_OR_RETURN(const object::Document document,
                         object::DecodeJson(json, meta::APIResourceList::Type(), kDecode));
  const meta::APIResourceList list(document);
  object::Document made = v2::APIGroupDiscovery::New();
  auto version = v2::MutableAPIGroupDiscovery(made).add_versions();
  std::map<std::string_view, size_t> places;
  for (const meta::APIResource each : list.resources()) {
    if (each.name().find('/') != std::string_view::npos) continue;
    places[each.name()] = places.size();
    AddResource(each, version.add_resources());
  }
  for (const meta::APIResource each : list.resources()) {
    const size_t slash = each.name().find('/');
    if (slash == std::string_view::npos) continue;
    const std::string_view parent = each.name().substr(0, slash);
    const auto [at, is_new] = places.try_emplace(parent, places.size());
    if (is_new) {
      auto added = version.add_resources();
      added.set_resource(parent);
      added.set_scope(ScopeOf(each));
      added.mutable_response_kind();
    }
    auto resource = version.mutable_resources(at->second);
    if (resource.Read().scope() != ScopeOf(each)) {
      return Fail(StatusReason::kInternalError,
                  std::string(each.name()) + " is of another scope than its resource");
    }
    auto sub = resource.add_subresources();
    sub.set_subresource(each.name().substr(slash + 1));
    sub.mutable_response_kind();
    if (!each.kind().empty()) SetKind(each, sub.mutable_response_kind());
    for (const std::string_view verb : each.verbs()) sub.add_verbs(verb);
  }
  return ResourcesOf(version.Read());
}

}  // namespace skiff::apiserver
