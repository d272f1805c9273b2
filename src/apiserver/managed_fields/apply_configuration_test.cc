#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "apiserver/convert/normalize.h"
#include "apiserver/defaults/testing.h"
#include "apiserver/managed_fields/field_manager.h"
#include "apiserver/managed_fields/testing.h"
#include "base/random.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kDeployment =
    R"({"metadata":{"name":"d"},"spec":{"replicas":1,"selector":{"matchLabels":{"a":"b"}},)"
    R"("template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c",)"
    R"("image":"i:1","ports":[{"containerPort":80}],"env":[{"name":"E","value":"1"}]}]}}}})";

TEST(ApplyTest, OwnsWhatTheConfigurationSaysAndNotItsDefaults) {
  ManagedObject object("apps/v1", "Deployment");
  ASSERT_EQ(object.Apply("m", kDeployment), "");
  EXPECT_EQ(
      object.Owners(),
      R"(m Apply apps/v1 at 1 {"f:spec":{"f:replicas":{},"f:selector":{},"f:template":)"
      R"({"f:metadata":{"f:labels":{"f:a":{}}},"f:spec":{"f:containers":)"
      R"({"k:{\"name\":\"c\"}":{".":{},"f:env":{"k:{\"name\":\"E\"}":{".":{},"f:name":{},)"
      R"("f:value":{}}},"f:image":{},"f:name":{},"f:ports":)"
      R"({"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}}}}}}}}})"
      "\n");
  EXPECT_NE(object.Json().find(R"("terminationMessagePath")"), std::string::npos);
}

TEST(ApplyTest, AgainChangesNothingNotEvenTheTime) {
  ManagedObject object("apps/v1", "Deployment");
  ASSERT_EQ(object.Apply("m", kDeployment), "");
  const std::string before = object::EncodeJson(object.document().root());
  object.SetNow(9);
  ASSERT_EQ(object.Apply("m", kDeployment), "");
  EXPECT_EQ(object::EncodeJson(object.document().root()), before);
}

TEST(ApplyTest, MakesWhatAnUpdateMakes) {
  const std::pair<std::string_view, std::string_view> kinds[] = {{"apps/v1", "Deployment"},
                                                                 {"apps/v1", "ReplicaSet"},
                                                                 {"apps/v1", "DaemonSet"},
                                                                 {"apps/v1", "StatefulSet"},
                                                                 {"batch/v1", "Job"}};
  const std::string pod_spec =
      R"({"serviceAccountName":"a","containers":[{"name":"c","image":"i"}]})";
  const std::string annotated =
      R"({"labels":{"a":"b"},"annotations":{"pod.beta.kubernetes.io/init-containers":"x"}})";
  std::vector<std::array<std::string, 3>> objects = {
      {"v1", "Pod", R"("spec":)" + pod_spec},
      {"v1", "Pod",
       R"("spec":{"serviceAccount":"old","terminationGracePeriodSeconds":-1,)"
       R"("containers":[{"name":"c","image":"i"}]})"},
      {"v1", "Pod", R"("status":{"podIP":"10.0.0.1"})"},
      {"v1", "Pod", R"("status":{"podIPs":[{"ip":"10.0.0.1"},{"ip":"::1"}]})"},
      {"v1", "PodTemplate",
       R"("template":{"metadata":)" + annotated + R"(,"spec":)" + pod_spec + "}"},
      {"v1", "Secret", R"("stringData":{"a":"clear","b":"text"},"data":{"a":"eA==","c":"eQ=="})"},
      {"v1", "Node", R"("spec":{"podCIDR":"10.0.0.0/24"})"},
      {"v1", "Node", R"("spec":{"podCIDRs":["10.0.0.0/24","fd00::/64"]})"},
      {"batch/v1", "CronJob",
       R"("spec":{"jobTemplate":{"spec":{"template":{"spec":)" + pod_spec + "}}}}"},
      {"apps/v1", "StatefulSet", R"("spec":{"volumeClaimTemplates":[{"metadata":{"name":"c"}}]})"},
      {"apps/v1", "Deployment",
       R"("metadata":{"annotations":{"deprecated.deployment.rollback.to":"+07"}})"},
      {"policy/v1", "PodDisruptionBudget",
       R"("spec":{"selector":{"matchLabels":{"a":"b"},"matchExpressions":[{"operator":"Exists",)"
       R"("key":"pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match"}]}})"},
  };
  for (const auto& [version, kind] : kinds) {
    objects.push_back(
        {std::string(version), std::string(kind),
         R"("spec":{"template":{"metadata":)" + annotated + R"(,"spec":)" + pod_spec + "}}"});
  }
  for (const auto& [version, kind, members] : objects) {
    const std::string json =
        (members.starts_with("\"metadata\"") ? "{" : R"({"metadata":{"name":"n"},)") + members +
        "}";
    Result<object::Document> updated = object::DecodeJson(json, object::FindKind(version, kind));
    ASSERT_TRUE(updated) << json;
    ASSERT_TRUE(DefaultAndNormalize(KindDefaults(), *updated));
    ManagedObject applied(version, kind);
    ASSERT_EQ(applied.Apply("m", json), "") << json;
    Result<object::Document> made =
        object::DecodeJson(applied.Json(), object::FindKind(version, kind));
    for (const std::string_view name : {"kind", "apiVersion"}) {
      updated->root().Erase(name);
      made->root().Erase(name);
    }
    EXPECT_EQ(object::EncodeJson(made->root()), object::EncodeJson(updated->root()));
    // The same configuration once more changes nothing.
    const std::string before = object::EncodeJson(applied.document().root());
    ASSERT_EQ(applied.Apply("m", json), "");
    EXPECT_EQ(object::EncodeJson(applied.document().root()), before);
  }
}

TEST(ApplyTest, TheTextsOfASecretAreOwnedAsTheyWereGiven) {
  ManagedObject secret("v1", "Secret");
  ASSERT_EQ(secret.Apply("m", R"({"stringData":{"a":"x"}})"), "");
  EXPECT_EQ(secret.Owners(), "m Apply v1 at 1 {\"f:stringData\":{\"f:a\":{}}}\n");
  EXPECT_EQ(secret.Json().find("stringData"), std::string::npos) << secret.Json();
  EXPECT_NE(secret.Json().find(R"("data":{"a":"eA=="})"), std::string::npos) << secret.Json();
}

TEST(ApplyTest, WhatIsNoLongerAppliedGoes) {
  ManagedObject object("v1", "ConfigMap");
  ASSERT_EQ(object.Apply("m", R"({"metadata":{"name":"c","labels":{"l":"1"}},)"
                              R"("data":{"a":"1","b":"2"}})"),
            "");
  ASSERT_EQ(object.Apply("m", R"({"metadata":{"name":"c"},"data":{"a":"1"}})"), "");
  EXPECT_EQ(object.Json(),
            R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c"},"data":{"a":"1"}})");
}

TEST(ApplyTest, WhatIsNoLongerAppliedGoesEvenIfItsFieldIsAlwaysShown) {
  ManagedObject object("rbac.authorization.k8s.io/v1", "ClusterRole");
  object.Update("u", R"({"metadata":{"name":"r"},"aggregationRule":{"clusterRoleSelectors":[]}})");
  ASSERT_EQ(object.Apply("m", R"({"metadata":{"name":"r"},"rules":[{"verbs":["get"],)"
                              R"("apiGroups":[""],"resources":["pods"]}]})"),
            "");
  ASSERT_NE(object.Json().find("pods"), std::string::npos) << object.Json();
  ASSERT_EQ(object.Apply("m", R"({"metadata":{"name":"r"}})"), "");
  EXPECT_EQ(object.Json().find("pods"), std::string::npos) << object.Json();
  EXPECT_EQ(object.Owners().find("m Apply"), std::string::npos);
}

TEST(ApplyTest, WhatOthersOwnStays) {
  ManagedObject object("v1", "ConfigMap");
  ASSERT_EQ(object.Apply("m", R"({"metadata":{"name":"c"},"data":{"a":"1","b":"2"}})"), "");
  ASSERT_EQ(object.Apply("n", R"({"metadata":{"name":"c"},"data":{"b":"2"}})"), "");
  object.Update("u", R"({"metadata":{"name":"c"},"data":{"a":"1","b":"2","u":"3"}})");
  ASSERT_EQ(object.Apply("m", R"({"metadata":{"name":"c"}})"), "");
  EXPECT_EQ(object.Json(), R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c"},)"
                           R"("data":{"b":"2","u":"3"}})");
  EXPECT_EQ(object.Owners().find("m Apply"), std::string::npos);
}

TEST(ApplyTest, AnItemGoesWithWhatNobodyOwnedInIt) {
  ManagedObject object("v1", "Pod");
  ASSERT_EQ(object.Apply("m", R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"a",)"
                              R"("image":"1"},{"name":"b","image":"1"}]}})"),
            "");
  ASSERT_EQ(object.Apply("m", R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"b",)"
                              R"("image":"1"}]}})"),
            "");
  EXPECT_EQ(object.Json().find(R"("name":"a")"), std::string::npos) << object.Json();
  EXPECT_NE(object.Json().find(R"("name":"b","image":"1")"), std::string::npos) << object.Json();
}

TEST(ApplyTest, AnItemThatAnotherManagerSharesKeepsTheOthersPart) {
  ManagedObject object("v1", "Pod");
  ASSERT_EQ(object.Apply("m", R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"a",)"
                              R"("image":"1"}]}})"),
            "");
  ASSERT_EQ(object.Apply("n", R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"a",)"
                              R"("workingDir":"/w"}]}})"),
            "");
  ASSERT_EQ(object.Apply("m", R"({"metadata":{"name":"p"},"spec":{}})"), "");
  EXPECT_NE(object.Json().find(R"("workingDir":"/w")"), std::string::npos) << object.Json();
  EXPECT_EQ(object.Json().find(R"("image":"1")"), std::string::npos) << object.Json();
}

TEST(ApplyTest, ConflictsNameTheOwnersAndFields) {
  ManagedObject object("v1", "ConfigMap");
  object.Update("u", R"({"metadata":{"name":"c"},"data":{"a":"1","b":"1"}})");
  EXPECT_EQ(object.Apply("m", R"({"metadata":{"name":"c"},"data":{"a":"2"}})"),
            R"(Apply failed with 1 conflict: conflict with "u" using v1: .data.a)");
  ASSERT_EQ(object.Apply("n", R"({"metadata":{"name":"c"},"data":{"a":"1","b":"1"}})"), "");
  EXPECT_EQ(object.Apply("m", R"({"metadata":{"name":"c"},"data":{"a":"2","b":"2"}})"),
            "Apply failed with 4 conflicts: conflicts with \"n\":\n- .data.a\n- .data.b\n"
            "conflicts with \"u\" using v1:\n- .data.a\n- .data.b");
  // The same value is no conflict: it is shared.
  EXPECT_EQ(object.Apply("m", R"({"metadata":{"name":"c"},"data":{"a":"1"}})"), "");
}

TEST(ApplyTest, ForceTakesTheFieldsFromTheirOwners) {
  ManagedObject object("v1", "ConfigMap");
  ASSERT_EQ(object.Apply("m", R"({"metadata":{"name":"c"},"data":{"a":"1","b":"1"}})"), "");
  ASSERT_EQ(object.Apply("n", R"({"metadata":{"name":"c"},"data":{"a":"2"}})", true), "");
  EXPECT_EQ(object.Owners(), R"(m Apply v1 at 1 {"f:data":{"f:b":{}}})"
                             "\n"
                             R"(n Apply v1 at 1 {"f:data":{"f:a":{}}})"
                             "\n");
}

TEST(ApplyTest, NothingIsAppliedThatIsNoConfiguration) {
  ManagedObject object("v1", "ConfigMap");
  EXPECT_EQ(object.Apply("m", R"({"metadata":{"name":"c","managedFields":[]}})"),
            "metadata.managedFields must be nil");
  EXPECT_EQ(object.Apply("m", R"({"metadata":{"name":"c"},"bogus":1})"),
            "failed to create typed patch object (/c; /v1, Kind=ConfigMap): "
            ".bogus: field not declared in schema");
}

TEST(ApplyTest, TheOwnersFollowAVersionThatAManagerChangesTo) {
  ManagedObject object("autoscaling/v2", "HorizontalPodAutoscaler");
  constexpr std::string_view kOld =
      R"({"metadata":{"name":"h","managedFields":[{"manager":"m","operation":"Apply",)"
      R"("apiVersion":"autoscaling/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":)"
      R"({"f:maxReplicas":{},"f:minReplicas":{}}}}]},"spec":{"maxReplicas":3,"minReplicas":2}})";
  object.Update("x", R"({"metadata":{"name":"h"},"spec":{"maxReplicas":3,"minReplicas":2}})");
  object.Update("x", kOld);
  ASSERT_EQ(object.Apply("m", R"({"metadata":{"name":"h"},"spec":{"maxReplicas":3}})"), "");
  EXPECT_NE(object.Owners().find(R"(m Apply autoscaling/v2 at 1 {"f:spec":{"f:maxReplicas":{}}})"),
            std::string::npos)
      << object.Owners();
  EXPECT_NE(object.Json().find(R"("minReplicas":1)"), std::string::npos) << object.Json();
}

TEST(ApplyTest, KubectlGoesOnFromWhatItAppliedOnTheClientsSide) {
  ManagedObject object("v1", "ConfigMap");
  object.Update(
      "kubectl-client-side-apply",
      R"({"metadata":{"name":"c","annotations":)"
      R"({"kubectl.kubernetes.io/last-applied-configuration":"{\"apiVersion\":\"v1\",)"
      R"(\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"c\"},\"data\":{\"a\":\"1\"}}"}},)"
      R"("data":{"a":"1","b":"1"}})");
  EXPECT_EQ(object.Apply("other", R"({"metadata":{"name":"c"},"data":{"a":"2"}})"),
            R"(Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" )"
            R"(using v1: .data.a)");
  EXPECT_EQ(object.Apply("kubectl", R"({"metadata":{"name":"c"},"data":{"b":"2"}})"),
            R"(Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" )"
            R"(using v1: .data.b)");
  ASSERT_EQ(object.Apply("kubectl", R"({"metadata":{"name":"c"},"data":{"a":"2"}})"), "");
  EXPECT_NE(object.Json().find(R"(last-applied-configuration":"{\"apiVersion\":\"v1\",)"
                               R"(\"data\":{\"a\":\"2\"})"),
            std::string::npos)
      << object.Json();
}

// --- laws, on configurations that a generator makes

class RandomConfigurations {
 public:
  explicit RandomConfigurations(uint64_t seed) : random_(seed) {}

  // Of a pod; what it says depends on `salt`, so that two generators may differ in all values.
  std::string Pod(std::string_view salt) {
    std::string containers;
    for (const std::string_view name : {"a", "b", "c"}) {
      if (Chance()) Add(containers, Container(name, salt));
    }
    // An empty list or map would be owned as such, and vanish where it is stored.
    if (containers.empty()) containers = Container("d", salt);
    return R"({"metadata":{"name":"p","labels":)" + Map(salt) + R"(,"finalizers":)" + Set(salt) +
           R"(},"spec":{"containers":[)" + containers + R"(],"nodeSelector":)" + Map(salt) + "}}";
  }

 private:
  bool Chance() { return random_.Next() % 2 == 0; }
  static void Add(std::string& list, const std::string& item) {
    if (!list.empty()) list += ',';
    list += item;
  }
  std::string Quote(std::string_view text) { return '"' + std::string(text) + '"'; }
  std::string Map(std::string_view salt) {
    std::string out;
    for (const std::string_view key : {"x", "y", "z"}) {
      if (Chance()) Add(out, Quote(std::string(key) + std::string(salt)) + ":" + Quote(salt));
    }
    return out.empty() ? Map(salt) : "{" + out + "}";
  }
  std::string Set(std::string_view salt) {
    std::string out;
    for (const std::string_view key : {"e.com/1", "e.com/2", "e.com/3"}) {
      if (Chance()) Add(out, Quote(std::string(key) + std::string(salt)));
    }
    return out.empty() ? Set(salt) : "[" + out + "]";
  }
  std::string Container(std::string_view name, std::string_view salt) {
    std::string out = R"({"name":)" + Quote(std::string(name) + std::string(salt));
    if (Chance()) out += R"(,"image":)" + Quote(salt);
    if (Chance()) out += R"(,"args":[)" + Quote(salt) + "]";
    if (Chance()) out += R"(,"resources":{"limits":{"cpu":"1500m"}})";
    if (Chance()) {
      out += R"(,"env":[{"name":)" + Quote("E" + std::string(salt)) + R"(,"value":"1"}])";
    }
    return out + "}";
  }

  SeededRandom random_;
};

TEST(ApplyLawsTest, ApplyingTwiceIsApplyingOnce) {
  RandomConfigurations random(11);
  for (int i = 0; i < 300; ++i) {
    ManagedObject object("v1", "Pod");
    const std::string first = random.Pod("");
    const std::string second = random.Pod("");
    SCOPED_TRACE(first + " then " + second);
    ASSERT_EQ(object.Apply("m", first), "");
    ASSERT_EQ(object.Apply("m", second), "");
    const std::string once = object::EncodeJson(object.document().root());
    ASSERT_EQ(object.Apply("m", second), "");
    EXPECT_EQ(object::EncodeJson(object.document().root()), once);
    // What is left is what a fresh object would be.
    ManagedObject fresh("v1", "Pod");
    ASSERT_EQ(fresh.Apply("m", second), "");
    EXPECT_EQ(object.Owners(), fresh.Owners());
  }
}

// Lists keep the order in which items came, so those are compared as sets.
std::string Sorted(const std::string& json) {
  std::vector<std::string> parts;
  std::string part;
  for (const char c : json) {
    if (c == ',' || c == '{' || c == '}' || c == '[' || c == ']') {
      parts.push_back(std::exchange(part, {}));
    } else {
      part += c;
    }
  }
  std::sort(parts.begin(), parts.end());
  std::string out;
  for (const std::string& each : parts) out += each + "\n";
  return out;
}

TEST(ApplyLawsTest, ManagersThatDoNotConflictMayComeInAnyOrder) {
  RandomConfigurations random(12);
  for (int i = 0; i < 300; ++i) {
    const std::string one = random.Pod("1");
    const std::string two =
        R"({"metadata":{"name":"p","labels":{"l":"2"},"finalizers":["e.com/f"]},)"
        R"("spec":{"containers":[{"name":"own","image":"2"}],)"
        R"("hostNetwork":true}})";
    SCOPED_TRACE(one);
    ManagedObject forth("v1", "Pod");
    ManagedObject back("v1", "Pod");
    ASSERT_EQ(forth.Apply("m", one), "");
    ASSERT_EQ(forth.Apply("n", two), "");
    ASSERT_EQ(back.Apply("n", two), "");
    ASSERT_EQ(back.Apply("m", one), "");
    EXPECT_EQ(Sorted(forth.Json()), Sorted(back.Json()));
    EXPECT_EQ(forth.Owners(), back.Owners());
    // And either may leave without a trace of its own.
    ManagedObject alone("v1", "Pod");
    ASSERT_EQ(alone.Apply("m", one), "");
    ASSERT_EQ(forth.Apply("n", R"({"metadata":{"name":"p"}})"), "");
    EXPECT_EQ(forth.Owners(), alone.Owners());
  }
}

}  // namespace
}  // namespace skiff::apiserver
