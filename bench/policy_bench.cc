// Admission policies on the creation of a pod: one with five expressions that are all true, limit
// 15 µs, and 100 that are about something else, limit 10 µs for all of them.
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/admission/policy_evaluation.h"
#include "base/random.h"
#include "bench/benches.h"
#include "object/json/decode.h"

namespace skiff::bench {
namespace {

using namespace skiff::apiserver;  // NOLINT: all of it is about admission

constexpr double kSeconds = 1.0;
constexpr int kRunsAtOnce = 200;
constexpr double kPolicyMicroseconds = 15;
constexpr double kOthersMicroseconds = 10;
constexpr int kOthers = 100;

constexpr std::string_view kPod =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-1","namespace":"shop",
        "labels":{"app":"web","tier":"front"}},"spec":{"serviceAccountName":"web","containers":[
        {"name":"app","image":"registry.example/web:1.2","resources":{"limits":{"cpu":"1",
        "memory":"1Gi"}},"securityContext":{"runAsNonRoot":true}},
        {"name":"log","image":"registry.example/log:3","resources":{"limits":{"cpu":"100m",
        "memory":"64Mi"}},"securityContext":{"runAsNonRoot":true}}]}})";
constexpr std::string_view kFive =
    R"json({"metadata":{"name":"pods"},"spec":{"matchConstraints":{"matchPolicy":"Equivalent",
        "resourceRules":[{"operations":["CREATE","UPDATE"],"apiGroups":[""],"apiVersions":["v1"],
        "resources":["pods"]}]},"validations":[
        {"expression":"object.spec.containers.all(c, has(c.resources.limits))"
},
        {"expression":"object.spec.containers.all(c, c.image.startsWith('registry.example/'))"},
        {"expression":"has(object.metadata.labels) && 'app' in object.metadata.labels"},
        {"expression":"!has(object.spec.hostNetwork) || !object.spec.hostNetwork"},
        {"expression":"object.spec.containers.all(c, c.securityContext.runAsNonRoot == true)"}]
}
})json";
constexpr std::string_view kOther =
    R"({"metadata":{"name":"other"},"spec":{"matchConstraints":{"matchPolicy":"Equivalent",
        "resourceRules":[{"operations":["CREATE","UPDATE"],"apiGroups":["apps"],
        "apiVersions":["v1"],"resources":["deployments","statefulsets","pods"]}]},
        "validations":[{"expression":"true"}]}})";

class NoAuthorizer final : public serving::Authorizer {
 public:
  void Authorize(const serving::AccessAttributes&,
                 std::move_only_function<void(serving::AuthorizationResult)> done) override {
    done({});
  }
};

object::Document Read(std::string_view json, const object::MessageDesc* type) {
  Result<object::Document> read = object::DecodeJson(json, type);
  if (!read) std::abort();
  return std::move(*read);
}

PolicySnapshot Snapshot(std::string_view json, int count) {
  const object::Document policy = Read(json, nullptr);
  std::vector<BoundPolicy> bound;
  for (int i = 0; i < count; ++i) {
    bound.push_back({std::make_shared<const Policy>(CompilePolicy(policy.root())),
                     {std::make_shared<const PolicyBinding>()}});
  }
  return PolicySnapshot(std::move(bound));
}

// A creation of the pod on its way, as often as it is asked for.
class PodCreation {
 public:
  PodCreation() : pod_(Read(kPod, object::FindKind("v1", "Pod"))) {}

  // How many policies matched; all that did were asked, and agreed.
  int Admit(const PolicySnapshot& policies) {
    AdmissionRequest request{.operation = AdmissionOperation::kCreate,
                             .resource = *object::FindResource("", "v1", "pods"),
                             .subresource = {},
                             .name_space = "shop",
                             .name = "web-1",
                             .user = user_,
                             .now = {},
                             .random = random_,
                             .object = &pod_,
                             .transaction = transaction_,
                             .warnings = warnings_};
    const RequestFacts facts(request, namespaces_, served_);
    PolicyRequest seen(facts, authorizer_);
    int matched = 0;
    for (const BoundPolicy* each : policies.For(request.resource.name)) {
      const auto found = facts.Match(each->policy->match);
      if (!found || !*found) continue;
      ++matched;
      const auto object = seen.As(**found);
      if (!object) std::abort();
      const PolicyInputs::Given given{**object, **found};
      for (const PolicyDecision& each_one :
           EvaluatePolicy(*each->policy, seen, given, clock_).decisions) {
        if (each_one.denies) std::abort();
      }
    }
    return matched;
  }

 private:
  object::Document pod_;
  serving::UserInfo user_{"ada", "1", {"dev", "system:authenticated"}, {}};
  SystemRandom random_;
  SystemClock clock_;
  NoAuthorizer authorizer_;
  Namespaces namespaces_{nullptr};
  std::function<bool(const object::ResourceDesc&)> served_;
  store::Transaction transaction_;
  std::vector<std::string> warnings_;
};

double Microseconds(const PolicySnapshot& policies, int matching) {
  PodCreation creation;
  const auto [seconds] = BestSecondsEach(kSeconds, [&] {
    for (int i = 0; i < kRunsAtOnce; ++i) {
      if (creation.Admit(policies) != matching) std::abort();
    }
  });
  return seconds / kRunsAtOnce * 1e6;
}

}  // namespace

void BenchPolicies(Report& report) {
  const double five = Microseconds(Snapshot(kFive, 1), 1);
  report.Figure("policy_of_five_expressions", five, "us", five / kPolicyMicroseconds,
                "the_limit_15_us", AtMost(1));
  const double others = Microseconds(Snapshot(kOther, kOthers), 0);
  report.Figure("100_policies_of_others", others, "us", others / kOthersMicroseconds,
                "the_limit_10_us", AtMost(1));
}

}  // namespace skiff::bench
