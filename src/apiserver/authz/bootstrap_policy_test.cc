#include "apiserver/authz/bootstrap_policy.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "apiserver/authz/aggregation.h"
#include "apiserver/authz/rbac_policy.h"
#include "apiserver/authz/reconcile.h"
#include "apiserver/authz/testing.h"
#include "object/equal.h"
#include "object/json/decode.h"
#include "object/json/encode.h"

namespace skiff::apiserver {
namespace {

using testing::Doc;
using testing::User;

std::string NameOf(const object::Document& object) {
  return std::string(object.root().FindPath({"metadata", "name"})->AsText());
}

// By "Kind/name".
std::map<std::string, object::Document> ByName(std::vector<object::Document> objects) {
  std::map<std::string, object::Document> map;
  for (object::Document& object : objects) {
    std::string key = std::string(object.kind()) + "/" + NameOf(object);
    if (const object::Value* ns = object.root().FindPath({"metadata", "namespace"})) {
      key += "/" + std::string(ns->AsText());
    }
    map.emplace(std::move(key), std::move(object));
  }
  return map;
}

TEST(BootstrapPolicyTest, EveryObjectIsThere) {
  const auto objects = ByName(BootstrapObjects());
  EXPECT_EQ(objects.size(), 133u);
  EXPECT_EQ(object::EncodeJson(objects.at("ClusterRole/admin").root()),
            R"({"kind":"ClusterRole","apiVersion":"rbac.authorization.k8s.io/v1","metadata":)"
            R"({"name":"admin","labels":{"kubernetes.io/bootstrapping":"rbac-defaults"},)"
            R"("annotations":{"rbac.authorization.kubernetes.io/autoupdate":"true"}},)"
            R"("rules":null,"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":)"
            R"({"rbac.authorization.k8s.io/aggregate-to-admin":"true"}}]}})");
}

TEST(BootstrapPolicyTest, AgreesWithTheFactsAboutKubernetes) {
  const std::filesystem::path path =
      std::filesystem::path(SKIFF_SOURCE_DIR) / "../shared/facts/rbac-bootstrap.json";
  std::ifstream in(path);
  if (!in) GTEST_SKIP() << path << " is not there";
  std::stringstream text;
  text << in.rdbuf();
  const auto facts = object::DecodeJson(text.str(), nullptr);
  ASSERT_TRUE(facts.has_value());
  const auto objects = ByName(BootstrapObjects());
  size_t compared = 0;
  const std::pair<const char*, const char*> sections[] = {
      {"clusterRoles", "ClusterRole"},
      {"controllerClusterRoles", "ClusterRole"},
      {"clusterRoleBindings", "ClusterRoleBinding"},
      {"controllerClusterRoleBindings", "ClusterRoleBinding"},
      {"roles", "Role"},
      {"roleBindings", "RoleBinding"}};
  for (const auto& [section, kind] : sections) {
    for (const object::Value& fact : facts->root().Find(section)->items()) {
      std::string key = std::string(kind) + "/" + std::string(fact.Find("name")->AsText());
      if (const object::Value* ns = fact.Find("namespace")) key += "/" + std::string(ns->AsText());
      ASSERT_TRUE(objects.contains(key)) << key;
      auto ours = object::DecodeJson(object::EncodeJson(objects.at(key).root()), nullptr);
      object::Value& root = ours->root();
      for (const object::MapEntry& member : root.Find("metadata")->entries()) {
        root.SetEntry(ours->arena(), member.key, member.value);
      }
      for (const char* extra : {"kind", "apiVersion", "metadata"}) root.Erase(extra);
      EXPECT_EQ(object::EncodeJson(root), object::EncodeJson(fact)) << key;
      ++compared;
    }
  }
  EXPECT_EQ(compared, objects.size());
}

TEST(BootstrapPolicyTest, AWrongLineIsNamed) {
  for (const char* text : {"clusterrole a\n  allow get pods\n", "clusterrole a\n  user x\n",
                           "clusterrole a\nrole without-namespace\n", "clusterrole a\nfoo b\n"}) {
    const auto parsed = ParseBootstrapText(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_EQ(parsed.error().position().line, 2u);
  }
}

TEST(BootstrapPolicyTest, GivesTheUsualUsersTheirRights) {
  RbacPolicy policy;
  for (const object::Document& object : BootstrapObjects()) policy.Put(object);
  const serving::UserInfo scheduler = User("system:kube-scheduler", {"system:authenticated"});
  const serving::UserInfo nobody = User("system:anonymous", {"system:unauthenticated"});
  serving::AccessAttributes bind;
  bind.user = &scheduler;
  bind.is_resource = true;
  bind.verb = "create";
  bind.resource = "pods";
  bind.subresource = "binding";
  bind.name_space = "ns";
  EXPECT_EQ(policy.Decide(bind).decision, serving::Decision::kAllow);
  bind.user = &nobody;
  EXPECT_EQ(policy.Decide(bind).decision, serving::Decision::kNoOpinion);
  serving::AccessAttributes version;
  version.user = &nobody;
  version.verb = "get";
  version.path = "/version";
  EXPECT_EQ(policy.Decide(version).reason,
            "RBAC: allowed by ClusterRoleBinding \"system:public-info-viewer\" of ClusterRole "
            "\"system:public-info-viewer\" to Group \"system:unauthenticated\"");
}

TEST(AggregationTest, AdminGathersTheRulesOfItsParts) {
  std::vector<object::Document> roles;
  for (object::Document& object : BootstrapObjects()) {
    if (object.kind() == "ClusterRole") roles.push_back(std::move(object));
  }
  // Some take from others that are aggregated themselves, so it takes a few rounds.
  for (bool changed = true; changed;) {
    changed = false;
    for (object::Document& role : roles) {
      auto filled = WithAggregatedRules(role, roles);
      if (!filled) continue;
      role = std::move(*filled);
      changed = true;
    }
  }
  const auto by_name = ByName(std::move(roles));
  const auto admin = ReadPolicyRules(by_name.at("ClusterRole/admin").root().Find("rules"));
  for (const char* part :
       {"ClusterRole/edit", "ClusterRole/view", "ClusterRole/system:aggregate-to-admin"}) {
    const auto rules = ReadPolicyRules(by_name.at(part).root().Find("rules"));
    EXPECT_FALSE(rules.empty());
    EXPECT_TRUE(UncoveredRules(admin, rules).empty()) << part;
  }
}

constexpr char kExpectedRole[] = R"({"kind":"ClusterRole","metadata":{"name":"r",
  "labels":{"l":"1"},"annotations":{"rbac.authorization.kubernetes.io/autoupdate":"true"}},
  "rules":[{"verbs":["get","list"],"apiGroups":[""],"resources":["pods"]}]})";

TEST(ReconcileTest, MissingRulesAndLabelsAreAddedAndOthersKept) {
  const object::Document existing = Doc(R"({"kind":"ClusterRole","metadata":{"name":"r","uid":"u",
    "resourceVersion":"7","labels":{"l":"2","mine":"x"}},
    "rules":[{"verbs":["get","delete"],"apiGroups":["*"],"resources":["pods"]}]})");
  const auto role = ReconcileRole(existing, Doc(kExpectedRole));
  ASSERT_TRUE(role.has_value());
  EXPECT_EQ(object::EncodeJson(role->root()),
            R"({"kind":"ClusterRole","apiVersion":"rbac.authorization.k8s.io/v1","metadata":)"
            R"({"name":"r","uid":"u","resourceVersion":"7","labels":{"l":"2","mine":"x"},)"
            R"("annotations":{"rbac.authorization.kubernetes.io/autoupdate":"true"}},)"
            R"("rules":[{"verbs":["get","delete"],"apiGroups":["*"],"resources":["pods"]},)"
            R"({"verbs":["list"],"apiGroups":[""],"resources":["pods"]}]})");
  EXPECT_FALSE(ReconcileRole(*role, Doc(kExpectedRole)).has_value());
}

TEST(ReconcileTest, AnObjectThatIsNotToBeUpdatedIsLeftAlone) {
  const object::Document existing =
      Doc(R"({"kind":"ClusterRole","metadata":{"name":"r","annotations":
    {"rbac.authorization.kubernetes.io/autoupdate":"false"}}})");
  EXPECT_FALSE(ReconcileRole(existing, Doc(kExpectedRole)).has_value());
}

TEST(ReconcileTest, AggregationIsAddedAndTakenAway) {
  const std::string aggregated = R"({"kind":"ClusterRole","metadata":{"name":"r"},
    "aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"a":"b"}}]}})";
  const std::string plain = R"({"kind":"ClusterRole","metadata":{"name":"r"}})";
  const auto added = ReconcileRole(Doc(plain), Doc(aggregated));
  ASSERT_TRUE(added.has_value());
  EXPECT_TRUE(object::DeepEqual(added->root(), Doc(aggregated).root()));
  const auto removed = ReconcileRole(Doc(aggregated), Doc(plain));
  ASSERT_TRUE(removed.has_value());
  EXPECT_EQ(removed->root().Find("aggregationRule"), nullptr);
}

std::string BindingTo(std::string_view role, std::string_view user) {
  return R"({"kind":"ClusterRoleBinding","metadata":{"name":"b","uid":"u1"},"roleRef":{"apiGroup":)"
         R"("rbac.authorization.k8s.io","kind":"ClusterRole","name":")" +
         std::string(role) + R"("},"subjects":[{"kind":"User","name":")" + std::string(user) +
         R"("}]})";
}

TEST(ReconcileTest, MissingSubjectsAreAddedAndAnotherRoleTakesANewBinding) {
  const auto more = ReconcileBinding(Doc(BindingTo("r", "ann")), Doc(BindingTo("r", "bob")));
  ASSERT_TRUE(more.has_value());
  EXPECT_FALSE(more->recreate);
  EXPECT_EQ(more->binding.root().Find("subjects")->size(), 2u);
  const auto other = ReconcileBinding(Doc(BindingTo("old", "ann")), Doc(BindingTo("r", "ann")));
  ASSERT_TRUE(other.has_value());
  EXPECT_TRUE(other->recreate);
  EXPECT_FALSE(
      ReconcileBinding(Doc(BindingTo("r", "ann")), Doc(BindingTo("r", "ann"))).has_value());
}

TEST(ReconcileTest, AnEmptyClusterGetsEverythingAndAFullOneNothing) {
  const RbacPlan plan = PlanRbac({}, BootstrapObjects());
  EXPECT_EQ(plan.create.size(), 133u);
  EXPECT_EQ(plan.namespaces.size(), 2u);
  const RbacPlan again = PlanRbac(BootstrapObjects(), BootstrapObjects());
  EXPECT_TRUE(again.empty());
}

TEST(ReconcileTest, RolesThatBecameAggregatedPassTheirRulesOn) {
  std::vector<object::Document> existing;
  existing.push_back(Doc(R"({"kind":"ClusterRole","metadata":{"name":"view","uid":"u",
    "resourceVersion":"3"},"rules":[{"verbs":["get"],"apiGroups":["x"],"resources":["y"]}]})"));
  const RbacPlan plan = PlanRbac(existing, BootstrapObjects());
  for (const object::Document& object : plan.create) {
    if (NameOf(object) != "system:aggregate-to-view") continue;
    EXPECT_EQ(object.root().FindPath({"metadata", "uid"}), nullptr);
    const auto rules = ReadPolicyRules(object.root().Find("rules"));
    EXPECT_EQ(rules.front().api_groups, std::vector<std::string>{"x"});
    return;
  }
  FAIL() << "the role is not made";
}

// Objects in memory; the first writes may fail.
class FakeObjects final : public RbacObjects {
 public:
  void List(std::move_only_function<void(Result<std::vector<object::Document>>)> done) override {
    ++lists;
    std::vector<object::Document> copies;
    for (const object::Document& object : objects) copies.push_back(object.Copy());
    done(std::move(copies));
  }
  void Write(RbacPlan plan, std::move_only_function<void(Result<void>)> done) override {
    if (failures > 0) {
      --failures;
      done(Fail(StatusReason::kAlreadyExists, "somebody was faster"));
      return;
    }
    for (object::Document& object : plan.create) objects.push_back(std::move(object));
    done({});
  }

  std::vector<object::Document> objects;
  int failures = 0;
  int lists = 0;
};

TEST(EnsureBootstrapPolicyTest, WritesWhatIsMissingAndStartsOverAfterARace) {
  FakeObjects objects;
  objects.failures = 2;
  std::optional<Result<void>> result;
  EnsureBootstrapPolicy(objects, [&](Result<void> r) { result = std::move(r); });
  ASSERT_TRUE(result.has_value() && result->has_value());
  EXPECT_EQ(objects.lists, 3);
  EXPECT_EQ(objects.objects.size(), 133u);
  objects.objects.clear();
  objects.failures = 3;
  EnsureBootstrapPolicy(objects, [&](Result<void> r) { result = std::move(r); });
  EXPECT_FALSE(result->has_value());
}

}  // namespace
}  // namespace skiff::apiserver
