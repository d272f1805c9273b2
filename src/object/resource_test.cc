#include "object/resource.h"

#include <algorithm>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace skiff::object {
namespace {

std::string Names(VerbSet verbs) {
  std::string out;
  verbs.ForEachName([&](std::string_view name) { out.append(name).append(" "); });
  return out;
}

TEST(ResourceTest, PodsHaveTheirNamesVerbsAndSubresources) {
  const ResourceDesc* pods = FindResource("", "v1", "pods");
  ASSERT_NE(pods, nullptr);
  EXPECT_EQ(pods->singular, "pod");
  EXPECT_TRUE(pods->namespaced);
  EXPECT_EQ(pods->kind, FindKind("v1", "Pod"));
  EXPECT_EQ(pods->kind_name, "Pod");
  EXPECT_EQ(pods->list_kind, FindKind("v1", "PodList"));
  EXPECT_EQ(Names(pods->verbs), "create delete deletecollection get list patch update watch ");
  ASSERT_EQ(pods->short_names.size(), 1u);
  EXPECT_EQ(pods->short_names[0], "po");
  ASSERT_EQ(pods->categories.size(), 1u);
  EXPECT_EQ(pods->categories[0], "all");
  EXPECT_EQ(pods->storage_version_hash, "xPOwRZ+Yhw8=");

  const SubresourceDesc* eviction = pods->FindSubresource("eviction");
  ASSERT_NE(eviction, nullptr);
  EXPECT_EQ(eviction->kind, FindKind("policy/v1", "Eviction"));
  EXPECT_EQ(Names(eviction->verbs), "create ");
  EXPECT_EQ(pods->FindSubresource("resize")->gate, "InPlacePodVerticalScaling");
  EXPECT_EQ(pods->FindSubresource("scale"), nullptr);
}

TEST(ResourceTest, PodsSayHowTheyAreStoredSelectedAndShown) {
  const ResourceHub& hub = *FindResource("", "v1", "pods")->hub;
  ASSERT_NE(hub.storage, nullptr);
  EXPECT_EQ(hub.storage->prefix, "pods");
  EXPECT_EQ(hub.storage->stored, FindKind("v1", "Pod"));
  EXPECT_EQ(hub.storage->media, StorageMedia::kProtobuf);
  EXPECT_TRUE(hub.storage->graceful);
  EXPECT_TRUE(hub.storage->returns_deleted);
  EXPECT_TRUE(hub.storage->watch_cache);
  EXPECT_EQ(hub.storage->ttl_seconds, 0u);
  ASSERT_NE(hub.storage->FindReset("main"), nullptr);
  EXPECT_EQ(hub.storage->FindReset("main")->paths[0], "status");
  EXPECT_EQ(hub.storage->FindReset("exec"), nullptr);
  EXPECT_EQ(hub.storage->FindKeepOnly("ephemeralcontainers")->paths[0], "spec.ephemeralContainers");
  const auto on_update = hub.storage->FindActions("update");
  ASSERT_EQ(on_update.size(), 2u);
  EXPECT_EQ(on_update[0].kind, ActionDesc::kKeep);
  EXPECT_EQ(on_update[0].text, "status");
  EXPECT_EQ(on_update[1].kind, ActionDesc::kBump);
  EXPECT_TRUE(hub.storage->FindActions("nothing").empty());

  const SelectableField* node = hub.FindSelectable("spec.nodeName");
  ASSERT_NE(node, nullptr);
  EXPECT_TRUE(node->trigger);
  EXPECT_TRUE(node->indexed);
  EXPECT_EQ(node->cell, "");
  EXPECT_EQ(hub.FindSelectable("status.podIP")->cell, ".status.podIPs[0].ip");
  EXPECT_EQ(hub.FindSelectable("spec.hostname"), nullptr);
  ASSERT_EQ(hub.field_aliases.size(), 1u);
  EXPECT_EQ(hub.field_aliases[0].target, "spec.nodeName");

  EXPECT_EQ(hub.name_format, "dns1123Subdomain");
  ASSERT_NE(hub.columns, nullptr);
  EXPECT_EQ(hub.columns, FindColumns(FindKind("v1", "Pod")));
  EXPECT_EQ(hub.columns->columns[0].name, "Name");
  EXPECT_EQ(hub.columns->columns[0].format, "name");
  EXPECT_EQ(hub.columns->columns[0].cell, ".metadata.name");
  EXPECT_EQ(hub.columns->columns[5].name, "IP");
  EXPECT_EQ(hub.columns->columns[5].priority, 1);
}

TEST(ResourceTest, DeploymentsScaleThroughAnotherGroupsKind) {
  const ResourceDesc* deployments = FindResource("apps", "v1", "deployments");
  ASSERT_NE(deployments, nullptr);
  const SubresourceDesc* scale = deployments->FindSubresource("scale");
  ASSERT_NE(scale, nullptr);
  EXPECT_EQ(scale->kind, FindKind("autoscaling/v1", "Scale"));
  EXPECT_EQ(Names(scale->verbs), "get patch update ");
  EXPECT_FALSE(scale->verbs.Has(Verb::kCreate));
  ASSERT_EQ(deployments->hub->immutable.size(), 1u);
  EXPECT_EQ(deployments->hub->immutable[0], "spec.selector");
}

TEST(ResourceTest, CustomResourceDefinitionsAreStoredAsJsonOfTheOldVersion) {
  const ResourceDesc* crds =
      FindResource("apiextensions.k8s.io", "v1", "customresourcedefinitions");
  ASSERT_NE(crds, nullptr);
  EXPECT_FALSE(crds->namespaced);
  EXPECT_EQ(crds->hub->storage->media, StorageMedia::kJson);
  EXPECT_EQ(crds->hub->storage->stored,
            FindMessage("apiextensions.k8s.io/v1beta1", "CustomResourceDefinition"));
  EXPECT_EQ(crds->hub->storage->prefix, "apiextensions.k8s.io/customresourcedefinitions");
  EXPECT_FALSE(crds->hub->storage->unconditional_update);
  EXPECT_EQ(crds->hub->columns, nullptr);
  EXPECT_NE(crds->hub->name_note, "");
}

TEST(ResourceTest, EventsExpireAndAreShownAlikeInBothGroups) {
  for (auto [group, resource] : {std::pair("", "events"), std::pair("events.k8s.io", "events")}) {
    const ResourceDesc* events = FindResource(group, "v1", resource);
    ASSERT_NE(events, nullptr) << group;
    EXPECT_EQ(events->hub->storage->ttl_seconds, 3600u);
    EXPECT_FALSE(events->hub->storage->watch_cache);
    EXPECT_TRUE(events->hub->storage->create_on_update);
    EXPECT_EQ(events->hub->storage->propagation, DeletePropagation::kUnsupported);
    EXPECT_EQ(events->hub->storage->stored, FindKind("v1", "Event"));
    EXPECT_EQ(events->hub->columns->kind, FindKind("v1", "Event"));
  }
}

TEST(ResourceTest, AllVersionsOfAResourceShareAHub) {
  const ResourceDesc* v1 = FindResource("autoscaling", "v1", "horizontalpodautoscalers");
  const ResourceDesc* v2 = FindResource("autoscaling", "v2", "horizontalpodautoscalers");
  ASSERT_NE(v1, nullptr);
  ASSERT_NE(v2, nullptr);
  EXPECT_NE(v1->kind, v2->kind);
  EXPECT_EQ(v1->hub, v2->hub);
  EXPECT_EQ(v1->hub->resource, v2);
  EXPECT_EQ(v1->hub->storage->stored, v2->kind);
  EXPECT_EQ(v1->hub->columns->kind, v2->kind);
  EXPECT_EQ(FindPreferredResource("autoscaling", "horizontalpodautoscalers"), v2);
}

TEST(ResourceTest, ResourcesThatAreOnlyAnsweredHaveNoStorage) {
  const ResourceDesc* reviews = FindResource("authentication.k8s.io", "v1", "tokenreviews");
  ASSERT_NE(reviews, nullptr);
  EXPECT_EQ(reviews->hub->storage, nullptr);
  EXPECT_EQ(reviews->list_kind, nullptr);
  EXPECT_EQ(Names(reviews->verbs), "create ");
}

TEST(ResourceTest, SelectorsDefaultToNameAndNamespace) {
  const ResourceHub& hub = *FindResource("apps", "v1", "deployments")->hub;
  ASSERT_EQ(hub.selectable.size(), 2u);
  EXPECT_EQ(hub.selectable[0].label, "metadata.name");
  EXPECT_EQ(hub.selectable[1].label, "metadata.namespace");
}

TEST(ResourceTest, GroupVersionsStandInTheOrderOfDiscovery) {
  const auto served = ServedGroupVersions();
  ASSERT_GT(served.size(), 30u);
  EXPECT_EQ(served[0].desc->path, "core/v1");
  EXPECT_EQ(served[1].desc->path, "apiregistration.k8s.io/v1");
  const auto place = [&](std::string_view path) {
    return std::ranges::find(served, path, [](const auto& gv) { return gv.desc->path; });
  };
  EXPECT_EQ(place("autoscaling/v2") + 1, place("autoscaling/v1"));
  EXPECT_TRUE(place("autoscaling/v2")->preferred);
  EXPECT_FALSE(place("autoscaling/v1")->preferred);
  EXPECT_TRUE(place("autoscaling/v1")->enabled_by_default);
  EXPECT_FALSE(place("certificates.k8s.io/v1alpha1")->enabled_by_default);
  EXPECT_EQ(place("apps/v1")->group_priority, 17800);
  EXPECT_EQ(place("apps/v1")->version_priority, 15);
}

TEST(ResourceTest, TablesAreSortedAndPointBackToWhereTheyStand) {
  for (const GroupVersionInfo& info : ServedGroupVersions()) {
    EXPECT_TRUE(std::ranges::is_sorted(info.resources, {}, &ResourceDesc::name));
    for (const ResourceDesc& resource : info.resources) {
      EXPECT_EQ(resource.version, &info) << resource.name;
      EXPECT_EQ(resource.kind->group_version, info.desc) << resource.name;
      EXPECT_EQ(resource.hub->resource->name, resource.name);
      EXPECT_EQ(resource.hub->resource->version->desc->group, info.desc->group);
      EXPECT_EQ(resource.hub->resource->hub, resource.hub);
      EXPECT_EQ(info.FindResource(resource.name), &resource);
      EXPECT_TRUE(std::ranges::is_sorted(resource.subresources, {}, &SubresourceDesc::name));
      EXPECT_EQ(resource.verbs.Has(Verb::kList), resource.list_kind != nullptr) << resource.name;
    }
  }
  for (const ColumnsDesc& columns : AllColumns()) EXPECT_EQ(FindColumns(columns.kind), &columns);
  for (const DefaultsDesc& rules : AllDefaults()) EXPECT_EQ(FindDefaults(rules.message), &rules);
}

TEST(ResourceTest, DefaultRulesKeepTheirOrderAndConditions) {
  const DefaultsDesc* defaults = FindDefaults(FindKind("apps/v1", "Deployment"));
  ASSERT_NE(defaults, nullptr);
  ASSERT_EQ(defaults->rules.size(), 7u);
  EXPECT_EQ(defaults->rules[0].path, "spec.replicas");
  EXPECT_EQ(defaults->rules[0].value_json, "1");
  EXPECT_TRUE(defaults->rules[0].conditions.empty());
  const DefaultRuleDesc& surge = defaults->rules[4];
  EXPECT_EQ(surge.value_json, "\"25%\"");
  ASSERT_EQ(surge.conditions.size(), 1u);
  EXPECT_EQ(surge.conditions[0].path, "spec.strategy.type");
  EXPECT_FALSE(surge.conditions[0].negated);
  EXPECT_EQ(surge.conditions[0].values[0], "RollingUpdate");
  EXPECT_FALSE(surge.by_code());

  const DefaultsDesc* pod = FindDefaults(FindKind("v1", "Pod"));
  ASSERT_NE(pod, nullptr);
  EXPECT_TRUE(std::ranges::any_of(pod->rules, &DefaultRuleDesc::by_code));
  EXPECT_EQ(FindDefaults(FindKind("v1", "ConfigMap")), nullptr);
}

TEST(ResourceTest, UnknownNamesAreNotFound) {
  EXPECT_EQ(FindResource("", "v1", "pod"), nullptr);
  EXPECT_EQ(FindResource("", "v2", "pods"), nullptr);
  EXPECT_EQ(FindResource("nowhere", "v1", "pods"), nullptr);
  EXPECT_EQ(FindPreferredResource("apps", "pods"), nullptr);
  EXPECT_EQ(FindColumns(FindKind("v1", "LimitRange")), nullptr);
}

}  // namespace
}  // namespace skiff::object
