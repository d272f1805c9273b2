#include "apiserver/admission/resource_rules.h"

#include <gtest/gtest.h>

#include "apiserver/admission/testing.h"

namespace skiff::apiserver {
namespace {

// Remembers as what its criteria see a request.
class Recorder final : public AdmissionPlugin {
 public:
  Recorder(const PluginContext& context, MatchCriteria criteria)
      : namespaces_(StorageOf(context, "", "namespaces")), criteria_(std::move(criteria)) {}

  Result<void> Validate(AdmissionRequest& request) override {
    const std::function<bool(const object::ResourceDesc&)> by_default;
    const RequestFacts facts(request, namespaces_, by_default);
    const Result<std::optional<MatchedResource>> found = facts.Match(criteria_);
    if (!found) {
      seen = found.error().message();
    } else {
      seen = *found ? std::string((*found)->group()) + "/" + std::string((*found)->version()) +
                          " " + std::string((*found)->kind->name)
                    : "";
    }
    return {};
  }
  std::string seen;

 private:
  Namespaces namespaces_;
  MatchCriteria criteria_;
};

class ResourceRulesTest : public testing::PluginTest {
 protected:
  // As what criteria (JSON of a MatchResources) see the request; empty: they do not match.
  std::string Seen(const std::string& criteria, const testing::Asked& asked) {
    const auto json = object::DecodeJson(criteria, nullptr);
    EXPECT_TRUE(json) << criteria;
    Recorder recorder(Context(), ReadMatchCriteria(json->root(), "resourceRules"));
    Ask(asked, recorder);
    return recorder.seen;
  }
  static std::string Rule(const std::string& groups, const std::string& resources,
                          const std::string& more = {}) {
    return R"({"operations":["CREATE","DELETE"],"apiGroups":[)" + groups +
           R"(],"apiVersions":["v1"],"resources":[)" + resources + "]" + more + "}";
  }
  static std::string Rules(const std::string& rules, const std::string& more = {}) {
    return R"({"resourceRules":[)" + rules + "]" + more + "}";
  }
};

constexpr char kPod[] = R"({"metadata":{"name":"x","labels":{"app":"web"}}})";

TEST_F(ResourceRulesTest, RulesNameOperationsGroupsVersionsAndResources) {
  struct Case {
    const char* groups;
    const char* resources;
    const char* more;
    testing::Asked asked;
    const char* seen;
  };
  const Case cases[] = {
      {R"("")", R"("pods")", "", {.object = kPod}, "/v1 Pod"},
      {R"("*")", R"("*")", "", {.object = kPod}, "/v1 Pod"},
      {R"("apps")", R"("pods")", "", {.object = kPod}, ""},
      {R"("")", R"("services","pods")", "", {.object = kPod}, "/v1 Pod"},
      {R"("")", R"("pods")", "", {.operation = AdmissionOperation::kUpdate, .object = kPod}, ""},
      {R"("")", R"("pods/binding")", "", {.object = kPod}, ""},
      {R"("")", R"("pods/*")", "", {.object = kPod}, "/v1 Pod"},
      {R"("")", R"("*/*")", "", {.object = kPod}, "/v1 Pod"},
      {R"("")", R"("pods")", "", {.subresource = "binding", .object = "{}"}, ""},
      {R"("")", R"("pods/binding")", "", {.subresource = "binding", .object = "{}"}, "/v1 Binding"},
      {R"("")", R"("*/binding")", "", {.subresource = "binding", .object = "{}"}, "/v1 Binding"},
      {R"("")", R"("pods")", R"(,"resourceNames":["y","x"])", {.object = kPod}, "/v1 Pod"},
      {R"("")", R"("pods")", R"(,"resourceNames":["y"])", {.object = kPod}, ""},
      {R"("")", R"("pods")", R"(,"scope":"Namespaced")", {.object = kPod}, "/v1 Pod"},
      {R"("")", R"("pods")", R"(,"scope":"Cluster")", {.object = kPod}, ""},
      {R"("")",
       R"("namespaces")",
       R"(,"scope":"Cluster")",
       {.operation = AdmissionOperation::kDelete, .resource = "namespaces", .name = "ns"},
       "/v1 Namespace"},
      {R"("")",
       R"("namespaces")",
       R"(,"scope":"Namespaced")",
       {.operation = AdmissionOperation::kDelete, .resource = "namespaces", .name = "ns"},
       ""},
  };
  for (const Case& each : cases) {
    const std::string criteria = Rules(Rule(each.groups, each.resources, each.more));
    EXPECT_EQ(Seen(criteria, each.asked), each.seen) << criteria;
  }
}

TEST_F(ResourceRulesTest, EquivalentRequestsAreSeenInTheVersionOfTheRule) {
  const testing::Asked event{.resource = "events", .object = R"({"metadata":{"name":"x"}})"};
  const std::string rule = Rule(R"("events.k8s.io")", R"("events")");
  EXPECT_EQ(Seen(Rules(rule, R"(,"matchPolicy":"Exact")"), event), "");
  EXPECT_EQ(Seen(Rules(rule, R"(,"matchPolicy":"Equivalent")"), event), "events.k8s.io/v1 Event");
  EXPECT_EQ(Seen(Rules(rule + "," + Rule(R"("")", R"("events")"), R"(,"matchPolicy":"Equivalent")"),
                 event),
            "/v1 Event");
}

TEST_F(ResourceRulesTest, ExcludedRulesAndSelectorsTakeRequestsAway) {
  Add(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"prod","labels":{"env":"prod"}},
          "status":{"phase":"Active"}})");
  const std::string pods = Rule(R"("")", R"("pods")");
  struct Case {
    const char* more;
    testing::Asked asked;
    bool matches;
  };
  const testing::Asked made{.object = kPod};
  const testing::Asked gone{.operation = AdmissionOperation::kDelete, .old = kPod};
  const testing::Asked in_prod{.name_space = "prod", .object = kPod};
  const testing::Asked nowhere{.name_space = "no", .object = kPod};
  const std::string excluded = R"(,"excludeResourceRules":[)" + pods + "]";
  const Case cases[] = {
      {excluded.c_str(), made, false},
      {R"(,"objectSelector":{"matchLabels":{"app":"web"}})", made, true},
      {R"(,"objectSelector":{"matchLabels":{"app":"web"}})", gone, true},
      {R"(,"objectSelector":{"matchLabels":{"app":"db"}})", made, false},
      {R"(,"namespaceSelector":{"matchLabels":{"env":"prod"}})", in_prod, true},
      {R"(,"namespaceSelector":{"matchLabels":{"env":"prod"}})", made, false},
      {R"(,"namespaceSelector":{}, "objectSelector":{})", nowhere, true},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(!Seen(Rules(pods, each.more), each.asked).empty(), each.matches) << each.more;
  }
  const std::string selecting = R"(,"namespaceSelector":{"matchLabels":{"env":"prod"}})";
  EXPECT_EQ(Seen(Rules(pods, selecting), nowhere), "namespaces \"no\" not found");
  EXPECT_EQ(Seen(Rules(Rule(R"("")", R"("nodes")"), selecting), nowhere), "");
}

TEST_F(ResourceRulesTest, NamespacesBringTheirOwnLabels) {
  const std::string criteria =
      Rules(R"({"operations":["*"],"apiGroups":[""],"apiVersions":["v1"],)"
            R"("resources":["namespaces"]})",
            R"(,"namespaceSelector":{"matchLabels":{"env":"prod"}})");
  const std::string labelled = R"({"metadata":{"name":"new","labels":{"env":"prod"}}})";
  EXPECT_NE(Seen(criteria, {.resource = "namespaces", .name_space = "", .object = labelled}), "");
  EXPECT_EQ(Seen(criteria, {.operation = AdmissionOperation::kDelete,
                            .resource = "namespaces",
                            .name_space = "",
                            .name = "ns",
                            .old = labelled}),
            "");
}

}  // namespace
}  // namespace skiff::apiserver
