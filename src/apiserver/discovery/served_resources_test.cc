#include "apiserver/discovery/served_resources.h"

#include <string>

#include <gtest/gtest.h>

namespace skiff::apiserver {
namespace {

ServedResources Serve(std::string_view config, bool gates = true) {
  const Result<RuntimeConfig> parsed = RuntimeConfig::Parse(config);
  EXPECT_TRUE(parsed) << parsed.error().message();
  return ServedResources(*parsed, FeatureGates({{"AllAlpha", gates}, {"AllBeta", gates}}));
}

std::string ErrorOf(std::string_view config) {
  const Result<RuntimeConfig> parsed = RuntimeConfig::Parse(config);
  return parsed ? "none" : parsed.error().message();
}

TEST(ServedResourcesTest, ServesStableVersionsByDefault) {
  const ServedResources served = Serve("");
  EXPECT_NE(served.FindResource("apps", "v1", "deployments"), nullptr);
  EXPECT_NE(served.FindResource("", "v1", "pods"), nullptr);
  EXPECT_EQ(served.FindVersion("resource.k8s.io", "v1beta2"), nullptr);
  EXPECT_EQ(served.FindGroup("internal.apiserver.k8s.io"), nullptr);
  EXPECT_EQ(served.groups()[0].name, "");
  EXPECT_EQ(served.groups()[1].name, "apiregistration.k8s.io");
  EXPECT_EQ(served.FindGroup("autoscaling")->versions[0].info->desc->version, "v2");
}

TEST(ServedResourcesTest, LookUpsOfWhatIsNotThereGiveNothing) {
  const ServedResources served = Serve("");
  EXPECT_EQ(served.FindGroup("none"), nullptr);
  EXPECT_EQ(served.FindVersion("apps", "v9"), nullptr);
  EXPECT_EQ(served.FindResource("apps", "v1", "deployment"), nullptr);
  const ServedResource* const pods = served.FindResource("", "v1", "pods");
  EXPECT_NE(pods->FindSubresource("eviction"), nullptr);
  EXPECT_EQ(pods->FindSubresource("evict"), nullptr);
}

TEST(ServedResourcesTest, MaturitiesAreSwitchedAsAWhole) {
  const ServedResources beta = Serve("api/beta=true");
  EXPECT_NE(beta.FindVersion("resource.k8s.io", "v1beta2"), nullptr);
  EXPECT_EQ(beta.FindVersion("resource.k8s.io", "v1alpha3"), nullptr);
  const ServedResources all = Serve("api/all=true,api/alpha=false");
  EXPECT_NE(all.FindVersion("resource.k8s.io", "v1beta1"), nullptr);
  EXPECT_EQ(all.FindVersion("resource.k8s.io", "v1alpha3"), nullptr);
  const ServedResources ga = Serve("api/ga=false,/v1=true");
  EXPECT_NE(ga.FindVersion("", "v1"), nullptr);
  EXPECT_EQ(ga.FindGroup("apps"), nullptr);
}

TEST(ServedResourcesTest, AVersionOutweighsItsMaturityAndAResourceItsVersion) {
  const ServedResources served = Serve(
      "resource.k8s.io/v1beta2/devicetaintrules=true,resource.k8s.io/v1beta2=false,"
      "api/beta=true,apps/v1/daemonsets=0");
  EXPECT_NE(served.FindResource("resource.k8s.io", "v1beta2", "devicetaintrules"), nullptr);
  EXPECT_EQ(served.FindResource("resource.k8s.io", "v1beta2", "resourceclaims"), nullptr);
  EXPECT_NE(served.FindVersion("resource.k8s.io", "v1beta1"), nullptr);
  EXPECT_EQ(served.FindResource("apps", "v1", "daemonsets"), nullptr);
  EXPECT_NE(served.FindResource("apps", "v1", "deployments"), nullptr);
}

TEST(ServedResourcesTest, AResourceNeedsItsGateToo) {
  const ServedResources off = Serve("certificates.k8s.io/v1alpha1", false);
  EXPECT_EQ(off.FindVersion("certificates.k8s.io", "v1alpha1"), nullptr);
  const ServedResources on = Serve("certificates.k8s.io/v1alpha1", true);
  EXPECT_NE(on.FindVersion("certificates.k8s.io", "v1alpha1"), nullptr);
}

TEST(ServedResourcesTest, TheLastOfTwoEntriesCounts) {
  EXPECT_EQ(Serve("apps/v1=true,apps/v1=false").FindGroup("apps"), nullptr);
  EXPECT_NE(Serve("apps/v1=false, apps/v1").FindGroup("apps"), nullptr);
}

TEST(ServedResourcesTest, CoreMayBeNamedInThreeWays) {
  EXPECT_EQ(Serve("v1=false").FindGroup(""), nullptr);
  EXPECT_EQ(Serve("/v1=false").FindGroup(""), nullptr);
  EXPECT_EQ(Serve("/v1/pods=false").FindResource("", "v1", "pods"), nullptr);
  EXPECT_NE(Serve("api/v1").FindGroup(""), nullptr);
  EXPECT_EQ(Serve("api/v1=false").FindGroup(""), nullptr);
  EXPECT_EQ(Serve("api/v1/pods=false").FindResource("", "v1", "pods"), nullptr);
}

TEST(ServedResourcesTest, AGroupThatHasGoneMayStillBeNamed) {
  EXPECT_EQ(Serve("extensions/v1beta1").FindGroup("extensions"), nullptr);
}

TEST(ServedResourcesTest, MoreGroupsTakeTheirPlaceByPriority) {
  const ServedResources served = Serve("");
  const object::GroupVersionDesc desc{"", "stable.example.com", "v1", "stable.example.com/v1", {}};
  const object::GroupVersionInfo info{&desc, true, true, 1000, 100, {}};
  const ServedResources more = served.With({{"stable.example.com", {{&info, {}}}}});
  EXPECT_EQ(more.groups().size(), served.groups().size() + 1);
  EXPECT_EQ(more.groups().back().name, "stable.example.com");
  EXPECT_EQ(more.groups()[1].name, "apiregistration.k8s.io");
}

TEST(RuntimeConfigTest, NamesWhatItDoesNotKnow) {
  EXPECT_EQ(ErrorOf("none/v1=true"), R"(--runtime-config: "none/v1": there is no such API group)");
  EXPECT_EQ(ErrorOf("apps/v9"), R"(--runtime-config: "apps/v9": the group has no such version)");
  EXPECT_EQ(
      ErrorOf("apps/v1/Deployments"),
      "--runtime-config: \"apps/v1/Deployments\": the version has no such resource (plural, in "
      "lower case)");
  EXPECT_EQ(ErrorOf("api/legacy=true"),
            R"(--runtime-config: "api/legacy": there is no such API group)");
  EXPECT_EQ(ErrorOf("apps/v1/deployments/scale"),
            "--runtime-config: \"apps/v1/deployments/scale\": expected group/version or "
            "group/version/resource");
}

TEST(RuntimeConfigTest, ValuesAreTrueOrFalse) {
  EXPECT_EQ(ErrorOf("api/all=1"),
            R"(--runtime-config: "api/all": expected true or false, not "1")");
  EXPECT_EQ(ErrorOf("apps/v1=maybe"),
            R"(--runtime-config: "apps/v1": expected true or false, not "maybe")");
  EXPECT_EQ(ErrorOf("apps/v1=T, ,"), "none");
}

TEST(RuntimeConfigTest, SomethingIsLeftToServe) {
  EXPECT_EQ(ErrorOf("api/all=false"),
            R"(--runtime-config: "api/all": false alone would leave nothing to serve)");
  EXPECT_EQ(ErrorOf("api/all=false,v1=true"), "none");
}

}  // namespace
}  // namespace skiff::apiserver
