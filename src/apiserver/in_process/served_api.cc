#include "apiserver/in_process/served_api.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/discovery/merged_groups.h"
#include "object/json/decode.h"
#include "object/resource.h"
#include "views/apidiscovery.k8s.io/v2.h"

namespace skiff::apiserver {
namespace {

namespace v2 = views::apidiscovery_k8s_io_v2;

client::DiscoveredResource Discovered(std::string_view group, const object::ResourceDesc& desc) {
  client::DiscoveredResource out;
  out.resource = client::ApiResource{.group = std::string(group),
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

client::DiscoveredResource Discovered(const RegisteredVersion& version,
                                      const v2::APIResourceDiscovery& resource) {
  client::DiscoveredResource out;
  out.resource = client::ApiResource{.group = version.group,
                                     .version = version.version,
                                     .name = std::string(resource.resource()),
                                     .kind = std::string(resource.response_kind().kind()),
                                     .namespaced = resource.scope() == "Namespaced"};
  for (const std::string_view verb : resource.verbs()) out.verbs.emplace_back(verb);
  std::ranges::sort(out.verbs);
  return out;
}

// What it is made of has been read before, so it can be read.
object::Document ReadVersion(const RegisteredVersion& version) {
  const std::string_view resources = version.resources.view();
  const std::string json =
      R"({"versions":[{"resources":)" + std::string(resources.empty() ? "[]" : resources) + "}]}";
  auto read =
      object::DecodeJson(json, v2::APIGroupDiscovery::Type(), {.max_bytes = json.size() + 1});
  return read ? std::move(*read) : v2::APIGroupDiscovery::New();
}

}  // namespace

client::ServedApi DiscoverApi(const ServedResources& served, const RegisteredVersions& registered) {
  client::ServedApi out;
  for (const MergedGroup& group : MergeGroups(served, registered)) {
    std::set<std::string, std::less<>> seen;
    const auto add = [&](client::DiscoveredResource resource) {
      if (seen.insert(resource.resource.name).second) out.resources.push_back(std::move(resource));
    };
    for (const MergedVersion& version : group.versions) {
      if (version.local != nullptr) {
        for (const ServedResource& each : version.local->resources) {
          if (!seen.contains(each.desc->name)) add(Discovered(group.name, *each.desc));
        }
        continue;
      }
      if (version.remote->is_stale) continue;
      const object::Document read = ReadVersion(*version.remote);
      for (const v2::APIVersionDiscovery each : v2::APIGroupDiscovery(read).versions()) {
        for (const v2::APIResourceDiscovery resource : each.resources()) {
          add(Discovered(*version.remote, resource));
        }
      }
    }
  }
  for (const RegisteredVersion& version : registered) {
    if (version.is_remote && version.is_stale) {
      out.unavailable.push_back(version.group + "/" + version.version);
    }
  }
  return out;
}

}  // namespace skiff::apiserver
