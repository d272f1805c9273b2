#include "controllers/root_ca.h"

#include "controllers/queue_controller_testing.h"

namespace skiff::controllers {
namespace {

const client::ApiResource& ConfigMaps() { return client::BuiltIn("", "v1", "configmaps"); }

class RootCaTest : public ControllerTest {
 protected:
  RootCaTest() { options_.root_ca = "PEM"; }
  std::string Data(const std::string& name_space) {
    return Json(Find(ConfigMaps(), name_space, "kube-root-ca.crt"), {"data"});
  }
};

TEST_F(RootCaTest, EveryNamespaceHasTheCertificateWithItsDescription) {
  PutNamespace("a");
  Run(MakeRootCaController);
  PutNamespace("b");
  Settle();
  EXPECT_EQ(Data("a"), R"({"ca.crt":"PEM"})");
  EXPECT_EQ(Data("b"), R"({"ca.crt":"PEM"})");
  EXPECT_TRUE(
      AnnotationOf(*Find(ConfigMaps(), "a", "kube-root-ca.crt"), "kubernetes.io/description")
          .starts_with("Contains a CA bundle"));
  ExpectQuiet();
  EXPECT_TRUE(registry_.Text().contains("root_ca_cert_publisher_sync_total{code=\"200\"}"));
  EXPECT_TRUE(registry_.Text().contains(
      "root_ca_cert_publisher_sync_duration_seconds_count{code=\"200\"}"));
}

TEST_F(RootCaTest, WhatIsChangedOrDeletedIsPutBack) {
  PutNamespace("a");
  PutNamespace("b");
  Run(MakeRootCaController);
  Put(ConfigMaps(), R"({"metadata":{"name":"kube-root-ca.crt","namespace":"a",
      "labels":{"mine":"stays"}},"data":{"ca.crt":"other","more":"x"}})");
  Remove(ConfigMaps(), "b", "kube-root-ca.crt");
  Settle();
  EXPECT_EQ(Data("a"), R"({"ca.crt":"PEM"})");
  EXPECT_EQ(LabelOf(*Find(ConfigMaps(), "a", "kube-root-ca.crt"), "mine"), "stays");
  EXPECT_EQ(Data("b"), R"({"ca.crt":"PEM"})");
}

TEST_F(RootCaTest, ADescriptionOfOnesOwnIsLeftAsItIs) {
  PutNamespace("a");
  Put(ConfigMaps(), R"({"metadata":{"name":"kube-root-ca.crt","namespace":"a",
      "annotations":{"kubernetes.io/description":"mine"}},"data":{"ca.crt":"PEM"}})");
  Run(MakeRootCaController);
  EXPECT_EQ(Writes(), 0U);
}

TEST_F(RootCaTest, WithoutACertificateNothingIsWatchedOrWritten) {
  options_.root_ca.clear();
  PutNamespace("a");
  Run(MakeRootCaController);
  EXPECT_TRUE(api_.calls().empty());
  EXPECT_TRUE(api_.watch_calls().empty());
}

TEST_F(RootCaTest, FailuresAreTriedAgain) {
  PutNamespace("a");
  api_.Fail({.verb = client::ClientVerb::kCreate, .times = 3});
  Run(MakeRootCaController);
  EXPECT_EQ(Data("a"), R"({"ca.crt":"PEM"})");
}

TEST_F(RootCaTest, WhatGoesUnseenComesBack) {
  PutNamespace("a");
  Run(MakeRootCaController);
  api_.Fail({.verb = client::ClientVerb::kCreate, .times = 3});
  Remove(ConfigMaps(), "a", "kube-root-ca.crt");
  Pass(std::chrono::milliseconds(1));
  // It is made while nobody sees it, and goes before somebody does.
  api_.HoldWatches(true);
  api_.BreakWatches(Status(StatusReason::kExpired, "too old"));
  Pass(std::chrono::milliseconds(200));
  ASSERT_TRUE(Find(ConfigMaps(), "a", "kube-root-ca.crt"));
  Remove(ConfigMaps(), "a", "kube-root-ca.crt");
  api_.HoldWatches(false);
  Pass(std::chrono::minutes(2));
  EXPECT_TRUE(Find(ConfigMaps(), "a", "kube-root-ca.crt"));
  ExpectQuiet();
}

}  // namespace
}  // namespace skiff::controllers
