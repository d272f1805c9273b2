#include "apiserver/in_process/served_api.h"

#include <set>
#include <string_view>

#include "apiserver/registry/cache_reads.h"
#include "apiserver/rest/object_output.h"
#include "object/resource.h"
#include "views/apiregistration.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

client::DiscoveredResource Discovered(const ServedGroup& group, const object::ResourceDesc& desc) {
  client::DiscoveredResource out;
  out.resource = client::ApiResource{.group = std::string(group.name),
                                     .version = std::string(desc.version->desc->version),
                                     .name = std::string(desc.name),
                                     .kind = std::string(desc.kind_name),
                                     .namespaced = desc.namespaced,
                                     // The tables of a definition may go before whoever asked.
                                     .type = desc.kind->open != nullptr ? nullptr : desc.kind};
  // In ascending order, as the verbs themselves are.
  for (size_t i = 0; i < object::kVerbCount; ++i) {
    const auto verb = static_cast<object::Verb>(i);
    if (desc.verbs.Has(verb)) out.verbs.emplace_back(object::VerbName(verb));
  }
  return out;
}

}  // namespace

std::vector<client::DiscoveredResource> DiscoverResources(const ServedResources& served) {
  std::vector<client::DiscoveredResource> out;
  for (const ServedGroup& group : served.groups()) {
    std::set<std::string_view> seen;
    for (const ServedVersion& version : group.versions) {
      for (const ServedResource& resource : version.resources) {
        if (seen.insert(resource.desc->name).second) {
          out.push_back(Discovered(group, *resource.desc));
        }
      }
    }
  }
  return out;
}

std::vector<std::string> UnavailableGroups(ResourceStorage* api_services) {
  std::vector<std::string> out;
  ForEachInCache(api_services, [&](const store::CacheEntry& entry) {
    const Result<object::Document> object = DecodeStored(entry.value().view(), {});
    if (!object) return;
    const auto spec = views::apiregistration_k8s_io_v1::APIService(*object).spec();
    if (!spec.has_service()) return;
    out.push_back(std::string(spec.group()) + "/" + std::string(spec.version()));
  });
  return out;
}

}  // namespace skiff::apiserver
