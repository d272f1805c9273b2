#include "apiserver/flowcontrol/flow_matcher.h"

#include <gtest/gtest.h>

#include "object/json/decode.h"
#include "views/flowcontrol.apiserver.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace flow = views::flowcontrol_apiserver_k8s_io_v1;

object::Document Level(const std::string& name) {
  object::Document out = flow::PriorityLevelConfiguration::New();
  flow::MutablePriorityLevelConfiguration level(out);
  level.mutable_metadata().set_name(name);
  level.mutable_metadata().set_uid("uid-of-level-" + name);
  return out;
}

object::Document Schema(const std::string& name, int precedence, const std::string& level,
                        const std::string& rules) {
  const std::string text = R"({"metadata":{"name":")" + name + R"(","uid":"uid-of-)" + name +
                           R"("},"spec":{"matchingPrecedence":)" + std::to_string(precedence) +
                           R"(,"priorityLevelConfiguration":{"name":")" + level + R"("},"rules":)" +
                           rules + "}}";
  Result<object::Document> out = object::DecodeJson(text, flow::FlowSchema::Type());
  EXPECT_TRUE(out) << text;
  return std::move(*out);
}

std::string RulesFor(const std::string& subject) {
  return R"([{"subjects":[)" + subject +
         R"(],"resourceRules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"],)"
         R"("clusterScope":true,"namespaces":["*"]}],)"
         R"("nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["*"]}]}])";
}

const std::string kAnybody = R"({"kind":"Group","group":{"name":"system:authenticated"}})";

serving::UserInfo User(std::string name,
                       std::vector<std::string> groups = {"system:authenticated"}) {
  return {.name = std::move(name), .uid = {}, .groups = std::move(groups), .extra = {}};
}

serving::RequestInfo Ask(std::string_view method, std::string_view path) {
  return *serving::ReadRequestInfo(method, path, serving::QueryParameters());
}

class FlowMatcherTest : public testing::Test {
 protected:
  void Add(const std::string& name, int precedence, const std::string& rules,
           const std::string& level = "work") {
    schemas_.push_back(Schema(name, precedence, level, rules));
  }
  std::string Match(const serving::UserInfo& user, std::string_view path,
                    std::string_view method = "GET") {
    const FlowMatcher matcher(schemas_, levels_);
    const FlowClass* found = matcher.Match(user, Ask(method, path));
    return found == nullptr ? "" : found->schema;
  }

  std::vector<object::Document> schemas_;
  std::vector<object::Document> levels_{[] {
    std::vector<object::Document> out;
    out.push_back(Level("work"));
    return out;
  }()};
};

TEST_F(FlowMatcherTest, TheLowestPrecedenceWinsThenTheName) {
  Add("c", 10, RulesFor(kAnybody));
  Add("b", 5, RulesFor(kAnybody));
  Add("a", 5, RulesFor(kAnybody));
  EXPECT_EQ(Match(User("ann"), "/api/v1/pods"), "a");
  const FlowMatcher matcher(schemas_, levels_);
  const FlowClass* found = matcher.Match(User("ann"), Ask("GET", "/api/v1/pods"));
  EXPECT_EQ(found->schema_uid, "uid-of-a");
  EXPECT_EQ(found->level, "work");
  EXPECT_EQ(found->level_uid, "uid-of-level-work");
}

TEST_F(FlowMatcherTest, SchemasWithoutTheirLevelDoNotCount) {
  Add("dangling", 1, RulesFor(kAnybody), "nowhere");
  Add("other", 2, RulesFor(kAnybody));
  EXPECT_EQ(Match(User("ann"), "/api/v1/pods"), "other");
}

TEST_F(FlowMatcherTest, SubjectsAreUsersGroupsAndServiceAccounts) {
  Add("ann", 1, RulesFor(R"({"kind":"User","user":{"name":"ann"}})"));
  Add("ops", 2, RulesFor(R"({"kind":"Group","group":{"name":"ops"}})"));
  Add("robot", 3,
      RulesFor(R"({"kind":"ServiceAccount","serviceAccount":{"namespace":"ci","name":"robot"}})"));
  Add("ci", 4,
      RulesFor(R"({"kind":"ServiceAccount","serviceAccount":{"namespace":"ci","name":"*"}})"));
  Add("all", 5, RulesFor(R"({"kind":"User","user":{"name":"*"}})"));
  EXPECT_EQ(Match(User("ann"), "/api/v1/pods"), "ann");
  EXPECT_EQ(Match(User("bob", {"dev", "ops"}), "/api/v1/pods"), "ops");
  EXPECT_EQ(Match(User("system:serviceaccount:ci:robot"), "/api/v1/pods"), "robot");
  EXPECT_EQ(Match(User("system:serviceaccount:ci:robots"), "/api/v1/pods"), "ci");
  EXPECT_EQ(Match(User("system:serviceaccount:cicd:robot"), "/api/v1/pods"), "all");
  EXPECT_EQ(Match(User("carl", {}), "/api/v1/pods"), "all");
}

TEST_F(FlowMatcherTest, ResourceRulesLookAtVerbGroupResourceAndScope) {
  Add("leases", 1,
      R"([{"subjects":[)" + kAnybody +
          R"(],"resourceRules":[{"verbs":["get","update"],"apiGroups":["coordination.k8s.io"],)"
          R"("resources":["leases"],"namespaces":["kube-system"]}]}])");
  Add("nodes", 2,
      R"([{"subjects":[)" + kAnybody +
          R"(],"resourceRules":[{"verbs":["*"],"apiGroups":[""],"resources":["nodes/status"],)"
          R"("clusterScope":true}]}])");
  Add("catch-all", 10000, RulesFor(kAnybody));
  const std::string leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/a";
  EXPECT_EQ(Match(User("ann"), leases), "leases");
  EXPECT_EQ(Match(User("ann"), leases, "DELETE"), "catch-all");
  EXPECT_EQ(Match(User("ann"), "/apis/coordination.k8s.io/v1/namespaces/default/leases/a"),
            "catch-all");
  EXPECT_EQ(Match(User("ann"), "/api/v1/nodes/n/status"), "nodes");
  EXPECT_EQ(Match(User("ann"), "/api/v1/nodes/n"), "catch-all");
}

TEST_F(FlowMatcherTest, PathsStandForWhatIsBelowThem) {
  Add("probes", 1,
      R"([{"subjects":[)" + kAnybody +
          R"(],"nonResourceRules":[{"verbs":["get"],"nonResourceURLs":["/healthz","/apis/*"]}]}])");
  Add("catch-all", 10000, RulesFor(kAnybody));
  EXPECT_EQ(Match(User("ann"), "/healthz"), "probes");
  EXPECT_EQ(Match(User("ann"), "/healthz/etcd"), "probes");
  EXPECT_EQ(Match(User("ann"), "/healthzzz"), "catch-all");
  EXPECT_EQ(Match(User("ann"), "/apis/apps"), "probes");
  EXPECT_EQ(Match(User("ann"), "/healthz", "POST"), "catch-all");
}

TEST_F(FlowMatcherTest, WhoFitsNowhereIsCaughtAll) {
  EXPECT_EQ(Match(User("ann"), "/"), "");
  Add("catch-all", 10000, RulesFor(kAnybody));
  EXPECT_EQ(Match(User("nobody", {}), "/"), "catch-all");
  EXPECT_FALSE(FlowMatcher(schemas_, levels_).complete());
  Add("exempt", 1, RulesFor(R"({"kind":"Group","group":{"name":"system:masters"}})"));
  EXPECT_TRUE(FlowMatcher(schemas_, levels_).complete());
}

}  // namespace
}  // namespace skiff::apiserver
