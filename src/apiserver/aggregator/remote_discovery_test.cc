#include "apiserver/aggregator/remote_discovery.h"

#include <deque>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "apiserver/aggregator/testing_backends.h"
#include "base/aggregation_limits.h"
#include "client/manual_executor.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kType =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

std::string Discovery(std::string_view version, std::string_view resource) {
  return R"({"items":[{"metadata":{"name":"a.com"},"versions":[{"version":")" +
         std::string(version) + R"(","resources":[{"resource":")" + std::string(resource) +
         R"(","scope":"Cluster","verbs":["get"]}]}]}]})";
}

BackendReply Reply(int code, std::string body, std::string_view type = kType,
                   std::string etag = "") {
  return FakeReply(code, std::move(body), type, std::move(etag));
}

class RemoteDiscoveryTest : public testing::Test {
 protected:
  void Register(const std::string& version, const std::string& service = "svc") {
    const std::string name = version + ".a.com";
    const object::Document object = RemoteApiService(version, service);
    registered_.OnObject(name, &object);
    backends_.known[name] =
        std::make_shared<FakeBackend>(*ReadBackendState(object), executor_, answer_);
    discovery_.OnChange();
  }
  void Remove(const std::string& name) {
    registered_.OnObject(name, nullptr);
    backends_.known.erase(name);
    discovery_.OnChange();
  }

  // "v1 things", "v1 ?" of what is not known, "v1 stale".
  std::string Known() {
    std::string out;
    for (const RegisteredVersion& each : *registered_.versions()) {
      out += (out.empty() ? "" : ", ") + each.version + " ";
      const std::string_view text = each.resources.view();
      const size_t at = text.find(R"("resource":")");
      if (!each.is_known) {
        out += "?";
      } else if (each.is_stale) {
        out += at == text.npos ? "stale" : "stale but something";
      } else {
        out += at == text.npos ? "-" : text.substr(at + 12, text.find('"', at + 12) - at - 12);
      }
    }
    return out;
  }

  ManualClock clock_;
  client::ManualExecutor executor_{clock_};
  MemoryLogSink sink_;
  Log log_{clock_, sink_};
  std::vector<BackendRequest> asked_;
  std::deque<Result<BackendReply>> replies_;  // the last one again and again
  FakeBackend::Answer answer_ = [this](const BackendRequest& request) {
    asked_.push_back(request);
    Result<BackendReply> reply = replies_.front();
    if (replies_.size() > 1) replies_.pop_front();
    return reply;
  };
  FakeBackends backends_{executor_};
  RegisteredApi registered_;
  RemoteDiscovery discovery_{{.backends = backends_,
                              .post =
                                  [this](Executor::Work work) {
                                    executor_.Post(std::move(work));
                                    return true;
                                  },
                              .executor = [this]() -> Executor& { return executor_; },
                              .registered = registered_,
                              .log = log_}};
};

TEST_F(RemoteDiscoveryTest, AServerIsAskedAtOnceAndOnceAMinute) {
  replies_ = {Reply(200, Discovery("v1", "things"), kType, "\"1\"")};
  Register("v1");
  EXPECT_EQ(Known(), "v1 ?");
  EXPECT_FALSE(registered_.is_complete());
  executor_.RunUntilIdle();
  EXPECT_EQ(Known(), "v1 things");
  EXPECT_TRUE(registered_.is_complete());
  ASSERT_EQ(asked_.size(), 1u);
  EXPECT_EQ(asked_[0].path, "/apis");
  EXPECT_EQ(asked_[0].accept, kAggregatedDiscoveryTypes);
  EXPECT_EQ(asked_[0].user, "system:kube-aggregator");
  replies_ = {Reply(304, "")};
  const uint64_t before = registered_.revision();
  executor_.Advance(std::chrono::seconds(59));
  EXPECT_EQ(asked_.size(), 1u);
  executor_.Advance(std::chrono::seconds(1));
  ASSERT_EQ(asked_.size(), 2u);
  EXPECT_EQ(asked_[1].if_none_match, "\"1\"");
  EXPECT_EQ(Known(), "v1 things");
  EXPECT_EQ(registered_.revision(), before);
  replies_ = {Reply(200, Discovery("v1", "others"), kType, "\"2\"")};
  executor_.Advance(std::chrono::seconds(60));
  EXPECT_EQ(Known(), "v1 others");
}

TEST_F(RemoteDiscoveryTest, OneThatDoesNotAnswerIsStaleAndAskedAgainSoon) {
  replies_ = {Fail(StatusReason::kServiceUnavailable, "connection refused")};
  Register("v1");
  executor_.RunUntilIdle();
  EXPECT_EQ(Known(), "v1 stale");
  EXPECT_TRUE(registered_.is_complete());
  executor_.Advance(std::chrono::milliseconds(3500));  // after 0.5, 1 and 2 seconds
  EXPECT_EQ(asked_.size(), 4u);
  executor_.Advance(std::chrono::minutes(10));
  EXPECT_LT(asked_.size(), 20u);
  const std::string log = sink_.Text();
  EXPECT_EQ(log.find("connection refused"), log.rfind("connection refused"));
  replies_ = {Reply(200, Discovery("v1", "things"))};
  executor_.Advance(std::chrono::minutes(1));
  EXPECT_EQ(Known(), "v1 things");
  replies_ = {Reply(503, "service unavailable", "text/plain")};
  executor_.Advance(std::chrono::minutes(1));
  EXPECT_EQ(Known(), "v1 stale");
}

TEST_F(RemoteDiscoveryTest, GarbageIsNoAnswer) {
  replies_ = {Reply(200, "<html>")};
  Register("v1");
  executor_.RunUntilIdle();
  EXPECT_EQ(Known(), "v1 stale");
}

TEST_F(RemoteDiscoveryTest, OneThatIsOlderIsAskedVersionByVersion) {
  answer_ = [this](const BackendRequest& request) -> Result<BackendReply> {
    asked_.push_back(request);
    if (request.path == "/apis")
      return Reply(200, R"({"kind":"APIGroupList"})", "application/json");
    if (request.path == "/apis/a.com/v2") return Reply(404, "");
    return Reply(200, R"({"resources":[{"name":"olds","verbs":["get"]}]})", "application/json");
  };
  Register("v1");
  Register("v2");
  executor_.RunUntilIdle();
  EXPECT_EQ(Known(), "v1 olds, v2 stale");
}

TEST_F(RemoteDiscoveryTest, VersionsOfOneServerShareItsAnswer) {
  replies_ = {Reply(200, Discovery("v1", "things"), kType, "\"1\"")};
  Register("v1");
  executor_.RunUntilIdle();
  Register("v2");
  executor_.RunUntilIdle();
  // The answer is asked for as a whole: it may have had v2 already, which was not kept.
  ASSERT_EQ(asked_.size(), 2u);
  EXPECT_EQ(asked_[1].if_none_match, "");
  EXPECT_EQ(Known(), "v1 things, v2 -");
  Register("v3", "other");
  executor_.RunUntilIdle();
  EXPECT_EQ(asked_.size(), 3u);
}

TEST_F(RemoteDiscoveryTest, OneThatHasGoneIsNotAskedAnyMore) {
  replies_ = {Reply(200, Discovery("v1", "things"))};
  Register("v1");
  executor_.RunUntilIdle();
  Remove("v1.a.com");
  EXPECT_EQ(Known(), "");
  executor_.Advance(std::chrono::minutes(10));
  EXPECT_EQ(asked_.size(), 1u);
}

TEST_F(RemoteDiscoveryTest, WhatIsTooMuchForAllIsNotKept) {
  const std::string large(limits::kMaxDiscoveredBytes / 5, 'x');
  for (int i = 1; i <= 7; ++i) {
    replies_ = {Reply(200, Discovery("v" + std::to_string(i), large))};
    Register("v" + std::to_string(i), "s" + std::to_string(i));
    executor_.RunUntilIdle();
  }
  size_t bytes = 0;
  size_t stale = 0;
  for (const RegisteredVersion& each : *registered_.versions()) {
    bytes += each.resources.size();
    stale += each.is_stale ? 1 : 0;
  }
  EXPECT_GT(bytes, limits::kMaxDiscoveredBytes / 2);
  EXPECT_LE(bytes, limits::kMaxDiscoveredBytes);
  EXPECT_EQ(stale, 3u);
}

}  // namespace
}  // namespace skiff::apiserver
