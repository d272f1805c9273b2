#include "apiserver/discovery/discovery_documents.h"

#include <string>

#include "serving/request/json_writer.h"

namespace skiff::apiserver {
namespace {

void WriteVerbs(serving::JsonWriter& json, object::VerbSet verbs) {
  json.OpenArray("verbs");
  verbs.ForEachName([&](std::string_view verb) { json.String(verb); });
  json.CloseArray();
}

// Of custom resources Kubernetes has them in an order of its own.
void WriteResourceVerbs(serving::JsonWriter& json, const ServedResource& served) {
  if (served.desc->kind->open == nullptr) return WriteVerbs(json, served.verbs);
  using object::Verb;
  json.OpenArray("verbs");
  for (const Verb verb : {Verb::kDelete, Verb::kDeleteCollection, Verb::kGet, Verb::kList,
                          Verb::kPatch, Verb::kCreate, Verb::kUpdate, Verb::kWatch}) {
    if (served.verbs.Has(verb)) json.String(object::VerbName(verb));
  }
  json.CloseArray();
}

void WriteNames(serving::JsonWriter& json, const object::ResourceDesc& resource) {
  if (!resource.short_names.empty()) json.StringArray("shortNames", resource.short_names);
  if (!resource.categories.empty()) json.StringArray("categories", resource.categories);
}

// Group and version of a kind, empty where they are those of the list it stands in.
struct KindVersion {
  KindVersion(const object::MessageDesc& kind, const object::GroupVersionInfo& list) {
    if (kind.group_version == list.desc) return;
    group = kind.group_version->group;
    version = kind.group_version->version;
  }
  std::string_view group;
  std::string_view version;
};

void WriteVersion(serving::JsonWriter& json, const MergedGroup& group,
                  const MergedVersion& version) {
  json.OpenObject();
  json.String("groupVersion", std::string(group.name).append("/").append(version.version));
  json.String("version", version.version);
  json.CloseObject();
}

void WriteGroupMembers(serving::JsonWriter& json, const MergedGroup& group) {
  json.String("name", group.name);
  json.OpenArray("versions");
  for (const MergedVersion& version : group.versions) WriteVersion(json, group, version);
  json.CloseArray();
  json.Key("preferredVersion");
  WriteVersion(json, group, group.versions.front());
}

void WriteResource(serving::JsonWriter& json, const ServedResource& served) {
  const object::ResourceDesc& resource = *served.desc;
  json.OpenObject();
  json.String("name", resource.name);
  json.String("singularName", resource.singular);
  json.Bool("namespaced", resource.namespaced);
  json.String("kind", resource.kind_name);
  WriteResourceVerbs(json, served);
  WriteNames(json, resource);
  if (!resource.storage_version_hash.empty()) {
    json.String("storageVersionHash", resource.storage_version_hash);
  }
  json.CloseObject();
}

void WriteSubresource(serving::JsonWriter& json, const object::ResourceDesc& resource,
                      const object::SubresourceDesc& sub) {
  const KindVersion kind(*sub.kind, *resource.version);
  json.OpenObject();
  json.String("name", std::string(resource.name).append("/").append(sub.name));
  json.String("singularName", "");
  json.Bool("namespaced", resource.namespaced);
  if (!kind.group.empty()) json.String("group", kind.group);
  if (!kind.version.empty()) json.String("version", kind.version);
  json.String("kind", sub.kind->name);
  WriteVerbs(json, sub.verbs);
  json.CloseObject();
}

void WriteResponseKind(serving::JsonWriter& json, const KindVersion& version,
                       std::string_view kind) {
  json.OpenObject("responseKind");
  json.String("group", version.group);
  json.String("version", version.version);
  json.String("kind", kind);
  json.CloseObject();
}

void WriteResourceDiscovery(serving::JsonWriter& json, const ServedResource& served) {
  const object::ResourceDesc& resource = *served.desc;
  json.OpenObject();
  json.String("resource", resource.name);
  WriteResponseKind(json, KindVersion(*resource.kind, *resource.version), resource.kind_name);
  json.String("scope", resource.namespaced ? "Namespaced" : "Cluster");
  json.String("singularResource", resource.singular);
  WriteResourceVerbs(json, served);
  WriteNames(json, resource);
  if (!served.subresources.empty()) {
    json.OpenArray("subresources");
    for (const object::SubresourceDesc* sub : served.subresources) {
      json.OpenObject();
      json.String("subresource", sub->name);
      WriteResponseKind(json, KindVersion(*sub->kind, *resource.version), sub->kind->name);
      WriteVerbs(json, sub->verbs);
      json.CloseObject();
    }
    json.CloseArray();
  }
  json.CloseObject();
}

void WriteVersionDiscovery(serving::JsonWriter& json, const MergedVersion& version) {
  json.String("version", version.version);
  if (version.remote != nullptr) {
    if (!version.remote->resources.empty()) json.Raw("resources", version.remote->resources.view());
    json.String("freshness", version.remote->is_stale ? "Stale" : "Current");
    return;
  }
  json.OpenArray("resources");
  for (const ServedResource& each : version.local->resources) WriteResourceDiscovery(json, each);
  json.CloseArray();
  json.String("freshness", "Current");
}

void WriteGroupDiscovery(serving::JsonWriter& json, const MergedGroup& group) {
  json.OpenObject();
  json.OpenObject("metadata");
  if (!group.name.empty()) json.String("name", group.name);
  json.CloseObject();
  json.OpenArray("versions");
  for (const MergedVersion& version : group.versions) {
    json.OpenObject();
    WriteVersionDiscovery(json, version);
    json.CloseObject();
  }
  json.CloseArray();
  json.CloseObject();
}

}  // namespace

void WriteApiVersions(const ServedResources& served, std::string_view server_address,
                      ByteBuffer& out) {
  serving::JsonWriter json(out);
  json.OpenObject();
  json.String("kind", "APIVersions");
  json.OpenArray("versions");
  if (const ServedGroup* core = served.FindGroup("")) {
    for (const ServedVersion& version : core->versions) json.String(version.info->desc->version);
  }
  json.CloseArray();
  json.OpenArray("serverAddressByClientCIDRs");
  json.OpenObject();
  json.String("clientCIDR", "0.0.0.0/0");
  json.String("serverAddress", server_address);
  json.CloseObject();
  json.CloseArray();
  json.CloseObject();
}

void WriteApiGroupList(std::span<const MergedGroup> groups, ByteBuffer& out) {
  serving::JsonWriter json(out);
  json.OpenObject();
  json.String("kind", "APIGroupList");
  json.String("apiVersion", "v1");
  json.OpenArray("groups");
  for (const MergedGroup& group : groups) {
    if (group.name.empty()) continue;
    json.OpenObject();
    WriteGroupMembers(json, group);
    json.CloseObject();
  }
  json.CloseArray();
  json.CloseObject();
}

void WriteApiGroup(const MergedGroup& group, ByteBuffer& out) {
  serving::JsonWriter json(out);
  json.OpenObject();
  json.String("kind", "APIGroup");
  json.String("apiVersion", "v1");
  WriteGroupMembers(json, group);
  json.CloseObject();
}

void WriteApiResourceList(const ServedVersion& version, ByteBuffer& out) {
  serving::JsonWriter json(out);
  json.OpenObject();
  json.String("kind", "APIResourceList");
  if (!version.info->desc->group.empty()) json.String("apiVersion", "v1");
  json.String("groupVersion", version.info->desc->api_version);
  json.OpenArray("resources");
  for (const ServedResource& resource : version.resources) {
    WriteResource(json, resource);
    for (const object::SubresourceDesc* sub : resource.subresources) {
      WriteSubresource(json, *resource.desc, *sub);
    }
  }
  json.CloseArray();
  json.CloseObject();
}

void WriteApiGroupDiscoveryList(std::span<const MergedGroup> groups, DiscoveryPart part,
                                ByteBuffer& out) {
  serving::JsonWriter json(out);
  json.OpenObject();
  json.String("kind", "APIGroupDiscoveryList");
  json.String("apiVersion", "apidiscovery.k8s.io/v2");
  json.Raw("metadata", "{}");
  json.OpenArray("items");
  for (const MergedGroup& group : groups) {
    if (group.name.empty() == (part == DiscoveryPart::kCore)) WriteGroupDiscovery(json, group);
  }
  json.CloseArray();
  json.CloseObject();
}

}  // namespace skiff::apiserver
