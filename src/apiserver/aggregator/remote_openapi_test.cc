#include "apiserver/aggregator/remote_openapi.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "apiserver/aggregator/testing_backends.h"
#include "client/manual_executor.h"

namespace skiff::apiserver {
namespace {

class RemoteOpenApiTest : public testing::Test {
 protected:
  void Register(const std::string& version, bool available = true,
                const std::string& service = "svc") {
    const object::Document object = RemoteApiService(version, service, available);
    backends_.known[version + ".a.com"] =
        std::make_shared<FakeBackend>(*ReadBackendState(object), executor_, answer_);
    openapi_.OnChange();
    executor_.RunUntilIdle();
  }

  std::string Swagger() {
    std::string out;
    for (const RemoteSwagger& each : openapi_.state()->swagger) {
      (out += each.json.view()) += "\n";
    }
    return out;
  }
  std::string Addresses() {
    std::string out;
    for (const RemoteDocument& each : openapi_.state()->documents) {
      out += each.name + " " + each.url + "\n";
    }
    return out;
  }
  size_t Asked(std::string_view path) {
    return static_cast<size_t>(std::ranges::count(asked_, path, &BackendRequest::path));
  }

  ManualClock clock_;
  client::ManualExecutor executor_{clock_};
  MemoryLogSink sink_;
  Log log_{clock_, sink_};
  std::vector<BackendRequest> asked_;
  Result<BackendReply> v2_ = FakeReply(404, "", "text/plain");
  Result<BackendReply> v3_ = FakeReply(404, "", "text/plain");
  FakeBackend::Answer answer_ = [this](const BackendRequest& request) {
    asked_.push_back(request);
    return request.path == "/openapi/v2" ? v2_ : v3_;
  };
  FakeBackends backends_{executor_};
  RemoteOpenApi openapi_{{.backends = backends_,
                          .post =
                              [this](Executor::Work work) {
                                executor_.Post(std::move(work));
                                return true;
                              },
                          .executor = [this]() -> Executor& { return executor_; },
                          .log = log_}};
};

TEST_F(RemoteOpenApiTest, WhatBelongsToAVersionIsTakenOver) {
  v2_ = FakeReply(200, R"({"paths":{"/apis/a.com/v1/x":{},"/apis/b.com/v1/x":{}}})",
                  "application/json", "\"1\"");
  v3_ = FakeReply(200,
                  R"({"paths":{"apis/a.com/v1":{"serverRelativeURL":)"
                  R"("/openapi/v3/apis/a.com/v1?hash=7"},"apis/b.com/v1":{},"version":{}}})",
                  "application/json");
  Register("v1");
  EXPECT_EQ(Swagger(), R"({"definitions":{},"parameters":{},"paths":{"/apis/a.com/v1/x":{}}})"
                       "\n");
  EXPECT_EQ(Addresses(), "apis/a.com/v1 /openapi/v3/apis/a.com/v1?hash=7\n");
  EXPECT_EQ(asked_[0].user, "system:aggregator");
  EXPECT_EQ(asked_[0].accept, "application/json");
  v2_ = FakeReply(304, "", "");
  executor_.Advance(std::chrono::seconds(60));
  EXPECT_EQ(asked_.at(2).if_none_match, "\"1\"");
  EXPECT_EQ(openapi_.state()->swagger.size(), 1u);
  // Once its APIService has gone, nothing is left of it.
  backends_.known.clear();
  openapi_.OnChange();
  executor_.RunUntilIdle();
  EXPECT_EQ(Swagger() + Addresses(), "");
  executor_.Advance(std::chrono::minutes(10));
  EXPECT_EQ(asked_.size(), 4u);
}

TEST_F(RemoteOpenApiTest, AddressesLeadToTheDocumentAndNowhereElse) {
  for (const std::string_view other :
       {"https://evil.example.com/", "//evil", "/openapi/v3/apis/a.com/v10", "/api/v1", ""}) {
    v3_ = FakeReply(
        200, R"({"paths":{"apis/a.com/v1":{"serverRelativeURL":")" + std::string(other) + R"("}}})",
        "application/json");
    Register("v1");
    EXPECT_EQ(Addresses(), "apis/a.com/v1 /openapi/v3/apis/a.com/v1\n") << other;
  }
}

TEST_F(RemoteOpenApiTest, OfOneThatIsOlderDocumentsAreMade) {
  v2_ = FakeReply(200, R"({"paths":{"/apis/a.com/v1/x":{"get":{"responses":{}}}}})",
                  "application/json");
  Register("v1");
  const RemoteDocument made = openapi_.Find("apis/a.com/v1");
  EXPECT_EQ(made.url, "/openapi/v3/apis/a.com/v1?hash=" + made.hash);
  EXPECT_EQ(made.json.view(),
            R"({"openapi":"3.0.0","info":{"title":"","version":""},"paths":{"/apis/a.com/v1/x":)"
            R"({"get":{"responses":{}}}},"components":{"schemas":{}}})");
  EXPECT_EQ(openapi_.Find("apis/a.com/v2").name, "");
  // Once it knows better, its own count.
  v3_ = FakeReply(200, R"({"paths":{"apis/a.com/v1":{}}})", "application/json");
  executor_.Advance(std::chrono::minutes(1));
  EXPECT_EQ(openapi_.Find("apis/a.com/v1").name, "");
  EXPECT_EQ(Addresses(), "apis/a.com/v1 /openapi/v3/apis/a.com/v1\n");
}

TEST_F(RemoteOpenApiTest, OneThatIsNotAvailableIsNotAsked) {
  v2_ = FakeReply(200, R"({"paths":{"/apis/a.com/v1/x":{}}})", "application/json");
  Register("v1", false);
  executor_.Advance(std::chrono::minutes(10));
  EXPECT_TRUE(asked_.empty());
  Register("v1", true);
  EXPECT_EQ(openapi_.state()->swagger.size(), 1u);
  // It keeps what it has said.
  Register("v1", false);
  executor_.Advance(std::chrono::minutes(10));
  EXPECT_EQ(openapi_.state()->swagger.size(), 1u);
  EXPECT_EQ(Asked("/openapi/v2"), 1u);
}

TEST_F(RemoteOpenApiTest, FaultsAreToldOnceAndHurtNothingElse) {
  v2_ = FakeReply(200, "<html>", "text/html");
  v3_ = FakeReply(200, R"({"paths":{"apis/a.com/v1":{}}})", "application/json");
  Register("v1");
  EXPECT_EQ(Addresses(), "apis/a.com/v1 /openapi/v3/apis/a.com/v1\n");
  executor_.Advance(std::chrono::minutes(1));
  EXPECT_EQ(Asked("/openapi/v2"), 2u);
  // After that two minutes, four, eight; never more than an hour.
  executor_.Advance(std::chrono::minutes(2 + 4 + 8));
  EXPECT_EQ(Asked("/openapi/v2"), 5u);
  executor_.Advance(std::chrono::hours(10));
  EXPECT_GE(Asked("/openapi/v2"), 14u);
  EXPECT_LE(Asked("/openapi/v2"), 18u);
  const std::string log = sink_.Text();
  EXPECT_EQ(log.find("cannot be taken over"), log.rfind("cannot be taken over"));
  v2_ = FakeReply(200, R"({"paths":{"/apis/a.com/v1/x":{}}})", "application/json");
  executor_.Advance(std::chrono::hours(1));
  EXPECT_EQ(openapi_.state()->swagger.size(), 1u);
  // What it says then is no less than nothing.
  v2_ = Fail(StatusReason::kServiceUnavailable, "connection refused");
  executor_.Advance(std::chrono::hours(1));
  EXPECT_EQ(openapi_.state()->swagger.size(), 1u);
}

TEST_F(RemoteOpenApiTest, PartsStandByThePrioritiesOfVersionsAndServers) {
  v2_ = FakeReply(200, R"({"paths":{"/apis/a.com/v1/x":{},"/apis/a.com/v2/x":{}}})",
                  "application/json");
  Register("v2");
  Register("v1", true, "other");
  const std::string all = Swagger();
  EXPECT_EQ(openapi_.state()->swagger.size(), 2u);
  EXPECT_LT(all.find("a.com/v1"), all.find("a.com/v2"));
}

}  // namespace
}  // namespace skiff::apiserver
