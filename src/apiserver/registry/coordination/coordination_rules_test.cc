#include "apiserver/registry/rules_testing.h"
#include "apiserver/validation/semantic_version.h"

namespace skiff::apiserver {
namespace {

using testing::RulesTester;

TEST(CoordinationRulesTest, TheNumbersOfALeaseAreNotNegative) {
  const RulesTester lease("coordination.k8s.io/v1", "Lease",
                          R"({"spec": {"holderIdentity": "a", "leaseDurationSeconds": 15}})");
  lease.ExpectNew({
      {"spec.leaseDurationSeconds=0", "spec.leaseDurationSeconds Invalid"},
      {"spec.leaseTransitions=-1", "spec.leaseTransitions Invalid"},
      {"spec.leaseTransitions=0", ""},
      {"spec.strategy=Mine", "spec.strategy.strategy NotSupported"},
      {"spec.strategy=a b/c", "spec.strategy.strategy Invalid"},
      {"spec.strategy=example.com/mine & spec.preferredHolder=x", ""},
      {"spec.preferredHolder=x", "spec.preferredHolder Forbidden"},
  });
  lease.ExpectChanged({{"", "spec.leaseDurationSeconds=0", "spec.leaseDurationSeconds Invalid"}});
}

TEST(CoordinationRulesTest, ACandidateSaysWhichVersionsItRuns) {
  const RulesTester candidate("coordination.k8s.io/v1beta1", "LeaseCandidate",
                              R"({"metadata": {"name": "c"},
                                  "spec": {"leaseName": "l", "binaryVersion": "1.36.0",
                                  "emulationVersion": "1.35.0",
                                  "strategy": "OldestEmulationVersion"}})");
  candidate.ExpectNew({
      {"spec.leaseName=", "spec.leaseName Required"},
      {"spec.binaryVersion=", "spec.binaryVersion Required"},
      {"spec.binaryVersion=v1", "spec.binaryVersion Invalid; spec.binaryVersion Invalid"},
      {"spec.emulationVersion=1.37.0", "spec.binaryVersion Invalid"},
      {"spec.emulationVersion=x", "spec.emulationVersion Invalid; spec.emulationVersion Required"},
      {"spec.emulationVersion=", "spec.emulationVersion Required"},
      {"spec.strategy=", "spec.strategy Required"},
      {"spec.strategy=Other", "spec.strategy.strategy NotSupported"},
  });
  candidate.ExpectChanged({{"", "spec.leaseName=other", "spec.leaseName Invalid"},
                           {"", "spec.binaryVersion=1.36.1", ""}});
}

TEST(CoordinationRulesTest, VersionsCompareAsSemverSays) {
  const auto version = [](std::string_view text) { return *SemanticVersion::Parse(text); };
  EXPECT_LT(version("1.0.0-alpha"), version("1.0.0-alpha.1"));
  EXPECT_LT(version("1.0.0-alpha.1"), version("1.0.0-alpha.beta"));
  EXPECT_LT(version("1.0.0-beta.2"), version("1.0.0-beta.11"));
  EXPECT_LT(version("1.0.0-rc.1"), version("1.0.0"));
  EXPECT_LT(version("1.9.0"), version("1.10.0"));
  EXPECT_EQ(version("1.0.0+a"), version("1.0.0+b"));
  for (const std::string_view text : {"", "1", "1.2", "01.2.3", "1.2.3-01", "1.2.3-", "v1.2.3"}) {
    EXPECT_FALSE(SemanticVersion::Parse(text)) << text;
  }
}

}  // namespace
}  // namespace skiff::apiserver
