#include "apiserver/authz/rbac_policy.h"

#include <gtest/gtest.h>

#include "apiserver/authz/authorization_chain.h"
#include "apiserver/authz/escalation.h"
#include "apiserver/authz/testing.h"
#include "object/protobuf/envelope.h"
#include "serving/auth/forbidden.h"

namespace skiff::apiserver {
namespace {

using testing::Doc;
using testing::User;

constexpr char kReader[] = R"({"kind":"ClusterRole","metadata":{"name":"reader"},"rules":[
  {"verbs":["get","list"],"apiGroups":[""],"resources":["pods","*/status"]},
  {"verbs":["get"],"nonResourceURLs":["/metrics","/logs/*"]}]})";

std::string Binding(std::string_view kind, std::string_view meta, std::string_view role,
                    std::string_view subjects) {
  return std::string(R"({"kind":")") + std::string(kind) + R"(","metadata":{)" + std::string(meta) +
         R"(},"roleRef":{"apiGroup":"rbac.authorization.k8s.io",)" + std::string(role) +
         R"(},"subjects":[)" + std::string(subjects) + "]}";
}

const std::string kToReader = R"("kind":"ClusterRole","name":"reader")";

serving::AccessAttributes Ask(const serving::UserInfo& user, std::string_view verb,
                              std::string_view resource, std::string_view name_space = {},
                              std::string_view name = {}, std::string_view subresource = {}) {
  serving::AccessAttributes attributes;
  attributes.user = &user;
  attributes.is_resource = true;
  attributes.verb = verb;
  attributes.resource = resource;
  attributes.name_space = name_space;
  attributes.name = name;
  attributes.subresource = subresource;
  return attributes;
}

serving::AccessAttributes AskPath(const serving::UserInfo& user, std::string_view verb,
                                  std::string_view path) {
  serving::AccessAttributes attributes;
  attributes.user = &user;
  attributes.verb = verb;
  attributes.path = path;
  return attributes;
}

bool Allows(const RbacPolicy& policy, const serving::AccessAttributes& attributes) {
  return policy.Decide(attributes).decision == serving::Decision::kAllow;
}

TEST(RbacPolicyTest, ClusterRoleBindingGrantsEverywhere) {
  RbacPolicy policy;
  policy.Put(Doc(kReader));
  policy.Put(Doc(Binding("ClusterRoleBinding", R"("name":"readers")", kToReader,
                         R"({"kind":"User","name":"ann"},{"kind":"Group","name":"dev"})")));
  const serving::UserInfo ann = User("ann");
  const serving::UserInfo bob = User("bob", {"dev", "system:authenticated"});
  EXPECT_EQ(policy.Decide(Ask(ann, "get", "pods", "ns1")).reason,
            "RBAC: allowed by ClusterRoleBinding \"readers\" of ClusterRole \"reader\" to User "
            "\"ann\"");
  EXPECT_EQ(policy.Decide(Ask(bob, "list", "pods")).reason,
            "RBAC: allowed by ClusterRoleBinding \"readers\" of ClusterRole \"reader\" to Group "
            "\"dev\"");
  EXPECT_FALSE(Allows(policy, Ask(ann, "delete", "pods", "ns1")));
  EXPECT_FALSE(Allows(policy, Ask(ann, "get", "secrets", "ns1")));
  EXPECT_EQ(policy.Decide(Ask(User("carl"), "get", "pods")).reason, "");
  EXPECT_TRUE(Allows(policy, Ask(ann, "get", "nodes", "", "n", "status")));
  EXPECT_FALSE(Allows(policy, Ask(ann, "get", "pods", "ns", "n", "log")));
  EXPECT_FALSE(Allows(policy, Ask(ann, "get", "nodes", "", "n", "xstatus")));
}

TEST(RbacPolicyTest, RoleBindingGrantsInItsNamespaceOnly) {
  RbacPolicy policy;
  policy.Put(Doc(kReader));
  policy.Put(Doc(Binding("RoleBinding", R"("name":"b","namespace":"ns1")", kToReader,
                         R"({"kind":"ServiceAccount","name":"sa"},
                            {"kind":"ServiceAccount","name":"sa","namespace":"ns2"})")));
  const serving::UserInfo local = User("system:serviceaccount:ns1:sa");
  const serving::UserInfo other = User("system:serviceaccount:ns2:sa");
  EXPECT_EQ(policy.Decide(Ask(local, "get", "pods", "ns1")).reason,
            "RBAC: allowed by RoleBinding \"b/ns1\" of ClusterRole \"reader\" to ServiceAccount "
            "\"sa/ns1\"");
  EXPECT_TRUE(Allows(policy, Ask(other, "get", "pods", "ns1")));
  EXPECT_FALSE(Allows(policy, Ask(other, "get", "pods", "ns2")));
  EXPECT_FALSE(Allows(policy, Ask(local, "get", "pods")));
  // What has no namespace is out of reach of a RoleBinding.
  EXPECT_FALSE(Allows(policy, AskPath(local, "get", "/metrics")));
}

TEST(RbacPolicyTest, ResourceNamesNarrowARuleDown) {
  RbacPolicy policy;
  policy.Put(Doc(R"({"kind":"Role","metadata":{"name":"one","namespace":"ns"},"rules":[
    {"verbs":["*"],"apiGroups":["*"],"resources":["configmaps"],"resourceNames":["a","b"]}]})"));
  policy.Put(Doc(Binding("RoleBinding", R"("name":"b","namespace":"ns")",
                         R"("kind":"Role","name":"one")", R"({"kind":"User","name":"ann"})")));
  const serving::UserInfo ann = User("ann");
  EXPECT_TRUE(Allows(policy, Ask(ann, "delete", "configmaps", "ns", "b")));
  EXPECT_FALSE(Allows(policy, Ask(ann, "delete", "configmaps", "ns", "c")));
  EXPECT_FALSE(Allows(policy, Ask(ann, "list", "configmaps", "ns")));
}

TEST(RbacPolicyTest, UrlsMayEndWithAStar) {
  RbacPolicy policy;
  policy.Put(Doc(kReader));
  policy.Put(Doc(Binding("ClusterRoleBinding", R"("name":"b")", kToReader,
                         R"({"kind":"User","name":"ann"})")));
  const serving::UserInfo ann = User("ann");
  EXPECT_TRUE(Allows(policy, AskPath(ann, "get", "/metrics")));
  EXPECT_FALSE(Allows(policy, AskPath(ann, "get", "/metrics/x")));
  EXPECT_TRUE(Allows(policy, AskPath(ann, "get", "/logs/kubelet")));
  EXPECT_FALSE(Allows(policy, AskPath(ann, "get", "/logs")));
  EXPECT_FALSE(Allows(policy, AskPath(ann, "post", "/metrics")));
}

TEST(RbacPolicyTest, AMissingRoleIsToldAsTheReason) {
  RbacPolicy policy;
  policy.Put(Doc(Binding("ClusterRoleBinding", R"("name":"b")", kToReader,
                         R"({"kind":"User","name":"ann"},{"kind":"Group","name":"g"})")));
  policy.Put(Doc(Binding("RoleBinding", R"("name":"b","namespace":"ns")",
                         R"("kind":"Role","name":"gone")", R"({"kind":"User","name":"ann"})")));
  const serving::UserInfo ann = User("ann", {"g"});
  EXPECT_EQ(policy.Decide(Ask(ann, "get", "pods")).reason,
            "RBAC: clusterrole.rbac.authorization.k8s.io \"reader\" not found");
  EXPECT_EQ(policy.Decide(Ask(ann, "get", "pods", "ns")).reason,
            "RBAC: [clusterrole.rbac.authorization.k8s.io \"reader\" not found, "
            "role.rbac.authorization.k8s.io \"gone\" not found]");
  policy.Put(Doc(kReader));
  EXPECT_TRUE(Allows(policy, Ask(ann, "get", "pods")));
}

TEST(RbacPolicyTest, FollowsChangesOfRolesAndBindings) {
  RbacPolicy policy;
  policy.Put(Doc(kReader));
  const std::string for_ann =
      Binding("ClusterRoleBinding", R"("name":"b")", kToReader, R"({"kind":"User","name":"ann"})");
  policy.Put(Doc(for_ann));
  const serving::UserInfo ann = User("ann");
  const serving::UserInfo bob = User("bob");
  policy.Put(Doc(Binding("ClusterRoleBinding", R"("name":"b")", kToReader,
                         R"({"kind":"User","name":"bob"})")));
  EXPECT_FALSE(Allows(policy, Ask(ann, "get", "pods")));
  EXPECT_TRUE(Allows(policy, Ask(bob, "get", "pods")));
  policy.Put(Doc(R"({"kind":"ClusterRole","metadata":{"name":"reader"},"rules":[]})"));
  EXPECT_FALSE(Allows(policy, Ask(bob, "get", "pods")));
  policy.Put(Doc(kReader));
  policy.Remove(RbacKind::kClusterRole, "", "reader");
  EXPECT_FALSE(Allows(policy, Ask(bob, "get", "pods")));
  policy.Put(Doc(kReader));
  EXPECT_TRUE(Allows(policy, Ask(bob, "get", "pods")));
  policy.Remove(RbacKind::kClusterRoleBinding, "", "b");
  EXPECT_FALSE(Allows(policy, Ask(bob, "get", "pods")));
  policy.Remove(RbacKind::kClusterRoleBinding, "", "b");
  policy.Remove(RbacKind::kRoleBinding, "nowhere", "b");
}

TEST(RbacPolicyTest, ReadsStoredObjects) {
  RbacPolicy policy;
  for (const std::string& text :
       {std::string(kReader), Binding("ClusterRoleBinding", R"("name":"b")", kToReader,
                                      R"({"kind":"User","name":"ann"})")}) {
    std::string stored;
    object::EncodeStorage(Doc(text).root(), &stored);
    ASSERT_TRUE(policy.PutStored(stored).has_value());
  }
  EXPECT_TRUE(Allows(policy, Ask(User("ann"), "get", "pods")));
  EXPECT_FALSE(policy.PutStored("k8s").has_value());
}

TEST(RbacPolicyTest, RulesOfAUserAreThoseOfHisBindingsOnce) {
  RbacPolicy policy;
  policy.Put(Doc(kReader));
  policy.Put(Doc(Binding("ClusterRoleBinding", R"("name":"b")", kToReader,
                         R"({"kind":"User","name":"ann"},{"kind":"Group","name":"g"})")));
  EXPECT_EQ(policy.RulesFor(User("ann", {"g"}), "ns").rules.size(), 2u);
  EXPECT_TRUE(policy.RulesFor(User("bob"), "ns").rules.empty());
}

TEST(PolicyRuleTest, CoverIsDecidedPieceByPiece) {
  const std::vector<PolicyRule> owner{
      {.verbs = {"get", "list"}, .api_groups = {"", "apps"}, .resources = {"pods", "*/scale"}},
      {.verbs = {"update"}, .api_groups = {""}, .resources = {"pods"}, .resource_names = {"a"}},
      {.verbs = {"get"}, .non_resource_urls = {"/healthz*"}}};
  EXPECT_TRUE(
      UncoveredRules(
          owner, {{.verbs = {"get"}, .api_groups = {"apps"}, .resources = {"deployments/scale"}}})
          .empty());
  EXPECT_TRUE(UncoveredRules(owner, {{.verbs = {"update"},
                                      .api_groups = {""},
                                      .resources = {"pods"},
                                      .resource_names = {"a"}}})
                  .empty());
  EXPECT_TRUE(
      UncoveredRules(owner, {{.verbs = {"get"}, .non_resource_urls = {"/healthz/x"}}}).empty());
  EXPECT_EQ(
      UncoveredRules(owner, {{.verbs = {"update"}, .api_groups = {""}, .resources = {"pods"}}})
          .size(),
      1u);
  const auto missing = CompactRules(UncoveredRules(
      owner, {{.verbs = {"get", "patch", "delete"}, .api_groups = {""}, .resources = {"pods"}}}));
  ASSERT_EQ(missing.size(), 1u);
  EXPECT_EQ(RuleText(missing[0]),
            R"({APIGroups:[""], Resources:["pods"], Verbs:["patch" "delete"]})");
}

TEST(PolicyRuleTest, ARuleOfBillionsOfPiecesIsNotTakenApart) {
  PolicyRule huge;
  for (int i = 0; i < 2000; ++i) {
    huge.verbs.push_back("v" + std::to_string(i));
    huge.resources.push_back("r" + std::to_string(i));
    huge.resource_names.push_back("n" + std::to_string(i));
  }
  huge.api_groups = {"a"};
  EXPECT_EQ(UncoveredRules({}, {huge}).size(), 1u);
  EXPECT_EQ(CompactRules({huge}).size(), 1u);
}

TEST(ForbiddenTest, MessagesAreThoseOfKubernetes) {
  const serving::UserInfo bob = User("bob");
  serving::AccessAttributes scale = Ask(bob, "update", "deployments", "ns", "d", "scale");
  scale.group = "apps";
  const Status status = serving::ForbiddenStatus(scale, "because");
  EXPECT_EQ(status.message(),
            "deployments.apps \"d\" is forbidden: User \"bob\" cannot update resource "
            "\"deployments/scale\" in API group \"apps\" in the namespace \"ns\": because");
  EXPECT_EQ(status.subject()->group, "apps");
  EXPECT_EQ(status.subject()->kind, "deployments");
  EXPECT_EQ(status.subject()->name, "d");
  EXPECT_EQ(serving::ForbiddenStatus(Ask(bob, "list", "nodes"), "").message(),
            "nodes is forbidden: User \"bob\" cannot list resource \"nodes\" in API group \"\" at "
            "the cluster scope");
  EXPECT_EQ(serving::ForbiddenStatus(AskPath(bob, "get", "/<b>"), "").message(),
            "forbidden: User \"bob\" cannot get path \"/&lt;b&gt;\"");
}

serving::AuthorizationResult Answer(serving::Authorizer& authorizer,
                                    const serving::AccessAttributes& attributes) {
  serving::AuthorizationResult answer;
  authorizer.Authorize(attributes, [&](serving::AuthorizationResult a) { answer = std::move(a); });
  return answer;
}

TEST(UnionAuthorizerTest, TheFirstOpinionCounts) {
  PrivilegedGroups masters({"system:masters"});
  AlwaysDeny deny;
  AlwaysAllow allow;
  UnionAuthorizer refusing({&masters, &deny, &deny});
  const serving::UserInfo root = User("root", {"system:masters"});
  const serving::UserInfo bob = User("bob");
  EXPECT_EQ(Answer(refusing, Ask(root, "get", "pods")).decision, serving::Decision::kAllow);
  const serving::AuthorizationResult refused = Answer(refusing, Ask(bob, "get", "pods"));
  EXPECT_EQ(refused.decision, serving::Decision::kNoOpinion);
  EXPECT_EQ(refused.reason, "Everything is forbidden.\nEverything is forbidden.");
  UnionAuthorizer allowing({&deny, &allow});
  EXPECT_EQ(Answer(allowing, Ask(bob, "get", "pods")).decision, serving::Decision::kAllow);
  UnionRuleResolver rules({&deny, &allow});
  EXPECT_EQ(rules.RulesFor(bob, "ns").rules.size(), 2u);
}

TEST(AuthorizationChainTest, MastersComeFirstAndModesInTheirOrder) {
  RbacPolicy policy;
  const auto chain = AuthorizationChain::Make({"RBAC", "AlwaysAllow"}, policy).value();
  const serving::UserInfo bob = User("bob");
  EXPECT_EQ(Answer(chain->authorizer(), Ask(bob, "get", "pods")).decision,
            serving::Decision::kAllow);
  const auto strict = AuthorizationChain::Make({"RBAC"}, policy).value();
  const serving::UserInfo root = User("root", {"system:masters"});
  EXPECT_EQ(Answer(strict->authorizer(), Ask(root, "get", "pods")).decision,
            serving::Decision::kAllow);
  EXPECT_EQ(Answer(strict->authorizer(), Ask(bob, "get", "pods")).decision,
            serving::Decision::kNoOpinion);
  EXPECT_TRUE(strict->rules().RulesFor(root, "ns").rules.empty());
}

TEST(AuthorizationChainTest, ModesMustBeKnownAndDifferent) {
  RbacPolicy policy;
  const auto error = [&](const std::vector<std::string>& modes) {
    return AuthorizationChain::Make(modes, policy).error().message();
  };
  EXPECT_EQ(error({}), "at least one authorization-mode must be passed");
  EXPECT_EQ(error({"Magic"}), "authorization-mode \"Magic\" is not a valid mode");
  EXPECT_EQ(error({"RBAC", "RBAC"}),
            "authorization-mode [\"RBAC\" \"RBAC\"] has mode specified more than once");
  AlwaysDeny node;
  EXPECT_TRUE(AuthorizationChain::Make({"Node", "RBAC"}, policy, {{"Node", {&node}}}).has_value());
}

// bob may read pods, and write roles and bindings, in namespace ns.
class EscalationTest : public ::testing::Test {
 protected:
  EscalationTest() {
    policy_.Put(Doc(R"({"kind":"Role","metadata":{"name":"r","namespace":"ns"},"rules":[
      {"verbs":["get","list"],"apiGroups":[""],"resources":["pods"]}]})"));
    policy_.Put(Doc(Binding("RoleBinding", R"("name":"b","namespace":"ns")",
                            R"("kind":"Role","name":"r")", R"({"kind":"User","name":"bob"})")));
    policy_.Put(Doc(kReader));
  }

  std::string Check(RbacKind kind, const std::string& object, const std::string& old = "",
                    const serving::UserInfo& user = User("bob", {"dev", "system:authenticated"})) {
    const object::Document document = Doc(object);
    const object::Document old_document = Doc(old.empty() ? object : old);
    const bool of_cluster = kind == RbacKind::kClusterRole || kind == RbacKind::kClusterRoleBinding;
    const RbacWrite write{.kind = kind,
                          .user = &user,
                          .name_space = of_cluster ? "" : "ns",
                          .request_name = "",
                          .object = &document,
                          .old = old.empty() ? nullptr : &old_document};
    std::string message = "no answer";
    CheckEscalation(write, policy_, policy_, [&](Result<void> result) {
      message = result ? "ok" : result.error().message();
    });
    return message;
  }

  RbacPolicy policy_;
};

std::string RoleOf(std::string_view rules, std::string_view more_metadata = "") {
  return R"({"kind":"Role","metadata":{"name":"new","namespace":"ns")" +
         std::string(more_metadata) + R"(},"rules":[)" + std::string(rules) + "]}";
}

constexpr char kSecrets[] = R"({"verbs":["get"],"apiGroups":[""],"resources":["secrets"]})";
constexpr char kPods[] = R"({"verbs":["get"],"apiGroups":[""],"resources":["pods"]})";

TEST_F(EscalationTest, OneGrantsWhatOneHas) {
  EXPECT_EQ(Check(RbacKind::kRole, RoleOf(kPods)), "ok");
  EXPECT_EQ(Check(RbacKind::kRole, RoleOf(kSecrets)),
            "roles.rbac.authorization.k8s.io \"new\" is forbidden: user \"bob\" (groups=[\"dev\" "
            "\"system:authenticated\"]) is attempting to grant RBAC permissions not currently "
            "held:\n{APIGroups:[\"\"], Resources:[\"secrets\"], Verbs:[\"get\"]}");
  EXPECT_EQ(Check(RbacKind::kRole, RoleOf(kSecrets), "", User("root", {"system:masters"})), "ok");
}

TEST_F(EscalationTest, EscalateAndBindAreExplicitRights) {
  policy_.Put(Doc(R"({"kind":"Role","metadata":{"name":"e","namespace":"ns"},"rules":[
    {"verbs":["escalate"],"apiGroups":["rbac.authorization.k8s.io"],"resources":["roles"]},
    {"verbs":["bind"],"apiGroups":["rbac.authorization.k8s.io"],"resources":["clusterroles"],
     "resourceNames":["reader"]}]})"));
  policy_.Put(Doc(Binding("RoleBinding", R"("name":"e","namespace":"ns")",
                          R"("kind":"Role","name":"e")", R"({"kind":"User","name":"eve"})")));
  const serving::UserInfo eve = User("eve");
  EXPECT_EQ(Check(RbacKind::kRole, RoleOf(kSecrets), "", eve), "ok");
  const std::string binding = Binding("RoleBinding", R"("name":"x","namespace":"ns")", kToReader,
                                      R"({"kind":"User","name":"eve"})");
  EXPECT_EQ(Check(RbacKind::kRoleBinding, binding, "", eve), "ok");
  EXPECT_NE(Check(RbacKind::kRoleBinding, binding), "ok");
}

TEST_F(EscalationTest, ABindingToNoRoleIsNotFound) {
  EXPECT_EQ(Check(RbacKind::kRoleBinding, Binding("RoleBinding", R"("name":"x","namespace":"ns")",
                                                  R"("kind":"ClusterRole","name":"none")", "")),
            "rolebindings.rbac.authorization.k8s.io \"none\" not found");
}

TEST_F(EscalationTest, RolesThatAreMissingAreToldToo) {
  policy_.Put(Doc(Binding("RoleBinding", R"("name":"x","namespace":"ns")",
                          R"("kind":"Role","name":"gone")", R"({"kind":"User","name":"bob"})")));
  EXPECT_TRUE(Check(RbacKind::kRole, RoleOf(kSecrets))
                  .ends_with("; resolution errors: [roles.rbac.authorization.k8s.io \"gone\" not "
                             "found]"));
}

TEST_F(EscalationTest, ChangingOnlyFinalizersIsFree) {
  EXPECT_EQ(Check(RbacKind::kRole, RoleOf(kSecrets),
                  RoleOf(kSecrets, R"(,"finalizers":["example.com/x"])")),
            "ok");
  EXPECT_NE(Check(RbacKind::kRole, RoleOf(kSecrets, R"(,"labels":{"a":"b"})"), RoleOf(kSecrets)),
            "ok");
}

TEST_F(EscalationTest, AggregationTakesFullAuthority) {
  const std::string role = R"({"kind":"ClusterRole","metadata":{"name":"agg"},
    "aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"a":"b"}}]}})";
  EXPECT_EQ(Check(RbacKind::kClusterRole, role),
            "clusterroles.rbac.authorization.k8s.io \"agg\" is forbidden: must have cluster-admin "
            "privileges to use the aggregationRule");
}

}  // namespace
}  // namespace skiff::apiserver
