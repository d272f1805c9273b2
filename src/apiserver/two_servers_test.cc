// Two servers in one process, on one store, that were given different flags: each keeps to its own.
#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "apiserver/server_testing.h"
#include "object/json/encode.h"

namespace skiff::apiserver {
namespace {

class TwoServersTest : public ServerWithinTest {
 protected:
  // The first is as Kubernetes is without flags.
  void SetUp() override {
    ServerWithinTest::SetUp();
    is_other_ = true;
    other_server_ = MakeServer();
    ASSERT_NE(other_server_, nullptr);
    other_admin_ = other_server_->Connect(Admin(), executor_);
  }
  void Change(ApiServerOptions& options) override {
    if (!is_other_) return;
    options.feature_gates = {{"HPAScaleToZero", true},
                             {"MaxUnavailableStatefulSet", true},
                             {"CrossNamespaceVolumeDataSource", true}};
    options.allow_privileged = true;
  }
  void TearDown() override {
    other_admin_.reset();
    other_server_.reset();
  }

  // The object as JSON, or what is wrong with it.
  std::string Created(client::ClientTransport& by, const client::ApiResource& resource,
                      std::string_view json) {
    const Result<client::ObjectPtr> made =
        Await(client::Client(by, "test")
                  .Create(resource, *client::ParseObject(resource, std::string(json))));
    return made ? object::EncodeJson((*made)->root()) : made.error().message();
  }
  std::string OfFirst(const client::ApiResource& resource, std::string_view json) {
    return Created(*admin_, resource, json);
  }
  std::string OfOther(const client::ApiResource& resource, std::string_view json) {
    return Created(*other_admin_, resource, json);
  }
  static bool Has(const std::string& text, std::string_view part) { return text.contains(part); }

  bool is_other_ = false;
  std::unique_ptr<ApiServer> other_server_;
  std::unique_ptr<client::ClientTransport> other_admin_;
};

TEST_F(TwoServersTest, RulesFollowTheGatesOfTheirServer) {
  const client::ApiResource& scalers =
      client::BuiltIn("autoscaling", "v2", "horizontalpodautoscalers");
  constexpr std::string_view kToZero =
      R"({"metadata":{"name":"a","namespace":"default"},"spec":{"minReplicas":0,"maxReplicas":2,
          "scaleTargetRef":{"kind":"Deployment","name":"d","apiVersion":"apps/v1"},
          "metrics":[{"type":"External","external":{"metric":{"name":"m"},
            "target":{"type":"Value","value":"1"}}}]}})";
  EXPECT_TRUE(Has(OfFirst(scalers, kToZero), "must be greater than or equal to 1"));
  EXPECT_TRUE(Has(OfOther(scalers, kToZero), R"("minReplicas":0)"));
}

TEST_F(TwoServersTest, RulesFollowTheFlagsOfTheirServer) {
  const client::ApiResource& pods = client::BuiltIn("", "v1", "pods");
  constexpr std::string_view kPrivileged =
      R"({"metadata":{"name":"p","namespace":"default"},"spec":{"containers":[
          {"name":"c","image":"i","securityContext":{"privileged":true}}]}})";
  EXPECT_TRUE(Has(OfFirst(pods, kPrivileged), "disallowed by cluster policy"));
  EXPECT_TRUE(Has(OfOther(pods, kPrivileged), R"("privileged":true)"));
}

TEST_F(TwoServersTest, DefaultsFollowTheGatesOfTheirServer) {
  const client::ApiResource& sets = client::BuiltIn("apps", "v1", "statefulsets");
  const auto set = [](std::string_view name) {
    return R"({"metadata":{"namespace":"default","name":")" + std::string(name) +
           R"("},"spec":{"serviceName":"s","selector":{"matchLabels":{"a":"b"}},
             "template":{"metadata":{"labels":{"a":"b"}},
               "spec":{"containers":[{"name":"c","image":"i"}]}}}})";
  };
  const std::string first = OfFirst(sets, set("first"));
  EXPECT_TRUE(Has(first, "RollingUpdate") && !Has(first, "maxUnavailable")) << first;
  EXPECT_TRUE(Has(OfOther(sets, set("other")), R"("maxUnavailable":1)"));
}

TEST_F(TwoServersTest, WhatIsKeptOfAnObjectFollowsTheGatesOfTheServer) {
  const client::ApiResource& claims = client::BuiltIn("", "v1", "persistentvolumeclaims");
  const auto claim = [](std::string_view name) {
    return R"({"metadata":{"namespace":"default","name":")" + std::string(name) +
           R"("},"spec":{"accessModes":["ReadWriteOnce"],
             "resources":{"requests":{"storage":"1Gi"}},
             "dataSourceRef":{"apiGroup":"a.b","kind":"X","name":"y","namespace":"other"}}})";
  };
  EXPECT_FALSE(Has(OfFirst(claims, claim("first")), R"("namespace":"other")"));
  EXPECT_TRUE(Has(OfOther(claims, claim("other")), R"("namespace":"other")"));
}

}  // namespace
}  // namespace skiff::apiserver
