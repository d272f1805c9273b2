#include "apiserver/pipeline.h"

#include <condition_variable>
#include <mutex>
#include <optional>

#include <gtest/gtest.h>

#include "base/metrics.h"
#include "serving/request/respond.h"

namespace skiff::apiserver {
namespace {

// Keeps the answer, and who wants the body; tasks run at once.
class FakeClient final : public net::Responder::Sink {
 public:
  void Respond(net::HttpResponse response) override {
    const std::lock_guard lock(mutex_);
    EXPECT_FALSE(answer_);
    answer_ = std::move(response);
    changed_.notify_all();
  }
  bool gone() const override { return false; }
  void Post(std::move_only_function<void()> task) override { task(); }
  void ReadBody(net::BodyCallback then) override { on_body = std::move(then); }

  net::BodyCallback on_body;
  bool answered() {
    const std::lock_guard lock(mutex_);
    return answer_.has_value();
  }
  const net::HttpResponse& Wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return answer_.has_value(); });
    return *answer_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<net::HttpResponse> answer_;
};

class FakeAuthenticator final : public serving::Authenticator {
 public:
  void Authenticate(const net::HttpRequest&, serving::AuthenticationCallback done) override {
    done(found);
  }
  serving::Authentication found =
      serving::Authentication::Of({.name = "ann", .uid = {}, .groups = {}, .extra = {}});
};

class FakeAuthorizer final : public serving::Authorizer {
 public:
  void Authorize(const serving::AccessAttributes&,
                 std::move_only_function<void(serving::AuthorizationResult)> done) override {
    done(answer);
  }
  serving::AuthorizationResult answer{
      .decision = serving::Decision::kAllow, .reason = {}, .evaluation_error = {}};
};

class PipelineTest : public testing::Test, private LogSink {
 protected:
  // A pipeline whose requests end with `resolver`.
  void Make(Resolver resolver, ResponseHeaderOptions headers = {}) {
    headers_ = std::move(*ResponseHeaders::Make(headers, random_));
    PipelineOptions options{.clock = clock_,
                            .random = random_,
                            .log = log_,
                            .metrics = metrics_,
                            .authenticator = authenticator_,
                            .authorizer = authorizer_,
                            .deadlines = deadlines_,
                            .headers = *headers_,
                            .memory = &memory_,
                            .max_readonly_inflight = 2,
                            .max_mutating_inflight = 1,
                            .resolvers = {std::move(resolver)}};
    pipeline_.emplace(std::move(options));
  }
  // As when the head has come.
  std::shared_ptr<FakeClient> Begin(const std::string& method, const std::string& path) {
    auto client = std::make_shared<FakeClient>();
    net::HttpRequest request;
    request.method = method;
    request.path = path;
    pipeline_->HandleHead(std::move(request), net::Responder(client));
    return client;
  }
  std::shared_ptr<FakeClient> Ask(const std::string& method, const std::string& path,
                                  net::HttpHeaders headers = {}, int version = 11) {
    auto client = std::make_shared<FakeClient>();
    net::HttpRequest request;
    request.method = method;
    request.path = path.substr(0, path.find('?'));
    if (path.find('?') != std::string::npos) request.query = path.substr(path.find('?') + 1);
    request.headers = std::move(headers);
    request.version = version;
    pipeline_->Handle(std::move(request), net::Responder(client));
    return client;
  }
  static bool AnswerOk(serving::ApiRequestPtr& request) {
    serving::RespondText(*request, 200, "ok");
    return true;
  }
  // Keeps requests, as a store that hangs does.
  Resolver Keep() {
    return [this](serving::ApiRequestPtr& request) {
      kept_.push_back(std::move(request));
      return true;
    };
  }

  void Write(std::string_view) override {}

  ManualClock clock_;
  SystemRandom random_;
  Log log_{clock_, *this, 0};
  MetricsRegistry registry_;
  ApiServerMetrics metrics_{registry_};
  FakeAuthenticator authenticator_;
  FakeAuthorizer authorizer_;
  RequestDeadlines deadlines_{clock_};
  std::unique_ptr<ResponseHeaders> headers_;
  uint64_t memory_used_ = 0;
  MemoryGauge memory_{clock_, 1000, [this] { return memory_used_; }};
  std::optional<Pipeline> pipeline_;
  std::vector<serving::ApiRequestPtr> kept_;  // which the pipeline counts until they go
};

TEST_F(PipelineTest, ARequestThatNobodyAnswersEndsAfterItsTime) {
  Make(Keep());
  const auto slow = Ask("GET", "/api/v1/pods");
  const auto hasty = Ask("GET", "/api/v1/pods?timeout=5s");
  clock_.Advance(std::chrono::seconds(6));
  const net::HttpResponse& answer = hasty->Wait();
  EXPECT_EQ(answer.code, 504);
  EXPECT_NE(answer.body.view().find("\"reason\":\"Timeout\""), std::string_view::npos);
  EXPECT_NE(answer.body.view().find("did not complete within the allotted timeout"),
            std::string_view::npos);
  EXPECT_FALSE(answer.headers.Get("audit-id").empty());
  EXPECT_FALSE(slow->answered());
  clock_.Advance(std::chrono::seconds(60));
  EXPECT_EQ(slow->Wait().code, 504);
  // Whoever comes late has no effect.
  for (const serving::ApiRequestPtr& each : kept_) serving::RespondText(*each, 200, "at last");
  EXPECT_NE(registry_.Text().find("apiserver_request_total{code=\"504\""), std::string::npos);
  EXPECT_EQ(registry_.Text().find("apiserver_request_total{code=\"200\""), std::string::npos);
}

TEST_F(PipelineTest, AnAnswerInTimeIsTheAnswer) {
  Make(Keep());
  const auto client = Ask("GET", "/api/v1/pods?timeout=5s");
  serving::RespondText(*kept_[0], 200, "ok");
  EXPECT_EQ(client->Wait().code, 200);
  clock_.Advance(std::chrono::seconds(60));
  EXPECT_EQ(client->Wait().code, 200);
}

TEST_F(PipelineTest, WatchesMayTakeTheirTime) {
  Make(Keep());
  const auto watch = Ask("GET", "/api/v1/pods?watch=1&timeout=1s");
  const auto list = Ask("GET", "/api/v1/pods?timeout=1s");
  clock_.Advance(std::chrono::seconds(100));
  EXPECT_EQ(list->Wait().code, 504);
  EXPECT_FALSE(watch->answered());
}

TEST_F(PipelineTest, ATimeoutThatIsNoneIsRefused) {
  Make(Keep());
  EXPECT_EQ(Ask("GET", "/api/v1/pods?timeout=soon")->Wait().code, 400);
}

TEST_F(PipelineTest, CredentialsAreGoneOnceTheyAreKnown) {
  Make(Keep());
  net::HttpHeaders headers;
  headers.Add("authorization", "Bearer secret");
  headers.Add("accept", "*/*");
  const auto client = Ask("GET", "/healthz", std::move(headers));
  EXPECT_EQ(kept_[0]->http.headers.Find("authorization"), nullptr);
  EXPECT_EQ(kept_[0]->http.headers.Get("accept"), "*/*");
}

TEST_F(PipelineTest, WhatCannotBeEvaluatedIsAnErrorUnlessItIsAllowed) {
  Make(AnswerOk);
  authorizer_.answer = {.decision = serving::Decision::kNoOpinion,
                        .reason = "why",
                        .evaluation_error = "webhook <gone>"};
  const auto refused = Ask("GET", "/api/v1/pods");
  EXPECT_EQ(refused->Wait().code, 500);
  EXPECT_EQ(refused->Wait().headers.Get("content-type"), "text/plain; charset=utf-8");
  EXPECT_EQ(refused->Wait().body.view(),
            "Internal Server Error: \"/api/v1/pods\": webhook &lt;gone&gt;\n");
  authorizer_.answer.decision = serving::Decision::kAllow;
  EXPECT_EQ(Ask("GET", "/api/v1/pods")->Wait().code, 200);
  authorizer_.answer = {
      .decision = serving::Decision::kDeny, .reason = "no", .evaluation_error = {}};
  EXPECT_EQ(Ask("GET", "/api/v1/pods")->Wait().code, 403);
}

TEST_F(PipelineTest, TooManyRequestsAreSentAwayButNotAdministrators) {
  Make(Keep());
  const auto first = Ask("GET", "/api/v1/pods");
  const auto second = Ask("GET", "/api/v1/pods");
  const auto third = Ask("GET", "/api/v1/pods");
  EXPECT_EQ(third->Wait().code, 429);
  EXPECT_EQ(third->Wait().headers.Get("retry-after"), "1");
  EXPECT_EQ(third->Wait().body.view(), "Too many requests, please try again later.\n");
  EXPECT_FALSE(Ask("POST", "/api/v1/namespaces")->answered());
  EXPECT_TRUE(Ask("DELETE", "/api/v1/namespaces/a")->answered());
  // Watches are not counted.
  EXPECT_FALSE(Ask("GET", "/api/v1/pods?watch=true")->answered());
  EXPECT_EQ(pipeline_->in_flight(), 3);
  authenticator_.found.user.groups = {"system:masters"};
  EXPECT_FALSE(Ask("GET", "/api/v1/pods")->answered());
  kept_.clear();
  EXPECT_EQ(pipeline_->in_flight(), 0);
  authenticator_.found.user.groups = {};
  EXPECT_FALSE(Ask("GET", "/api/v1/pods")->answered());
}

TEST_F(PipelineTest, ABodyIsReadOnlyOfWhoMayAsk) {
  std::string body;
  Make([&](serving::ApiRequestPtr& request) {
    body = request->http.body;
    return AnswerOk(request);
  });
  const auto allowed = Begin("POST", "/api/v1/namespaces");
  EXPECT_FALSE(allowed->answered());
  ASSERT_TRUE(allowed->on_body);
  allowed->on_body({.bytes = "{}"});
  EXPECT_EQ(allowed->Wait().code, 200);
  EXPECT_EQ(body, "{}");
  const auto large = Begin("POST", "/api/v1/namespaces");
  ASSERT_TRUE(large->on_body);
  large->on_body({.bytes = {}, .too_large = true});
  EXPECT_EQ(large->Wait().code, 413);
  authorizer_.answer.decision = serving::Decision::kDeny;
  const auto forbidden = Begin("POST", "/api/v1/namespaces");
  EXPECT_EQ(forbidden->Wait().code, 403);
  EXPECT_FALSE(forbidden->on_body);
  authenticator_.found = serving::Authentication::Refused("unknown");
  const auto unknown = Begin("POST", "/api/v1/namespaces");
  EXPECT_EQ(unknown->Wait().code, 401);
  EXPECT_FALSE(unknown->on_body);
}

TEST_F(PipelineTest, ABodyThatDoesNotComeEndsARequestAtItsTime) {
  Make(AnswerOk);
  const auto slow = Begin("POST", "/api/v1/namespaces");
  EXPECT_EQ(pipeline_->in_flight(), 1);
  clock_.Advance(std::chrono::seconds(60));
  EXPECT_EQ(slow->Wait().code, 504);
  slow->on_body = nullptr;
  EXPECT_EQ(pipeline_->in_flight(), 0);
}

TEST_F(PipelineTest, WhenMemoryIsShortWhatStaysIsRefusedFirst) {
  Make(AnswerOk);
  const auto code = [&](const std::string& method, const std::string& path) {
    return Ask(method, path)->Wait().code;
  };
  const std::string lease = "/apis/coordination.k8s.io/v1/namespaces/a/leases/b";
  EXPECT_EQ(code("POST", "/api/v1/namespaces"), 200);
  memory_used_ = 800;
  clock_.Advance(std::chrono::seconds(1));
  const auto refused = Ask("POST", "/api/v1/namespaces");
  EXPECT_EQ(refused->Wait().code, 429);
  EXPECT_EQ(refused->Wait().headers.Get("retry-after"), "1");
  EXPECT_EQ(code("PATCH", "/api/v1/namespaces/a"), 429);
  EXPECT_EQ(code("GET", "/api/v1/namespaces"), 200);
  EXPECT_EQ(code("DELETE", "/api/v1/namespaces/a"), 200);
  EXPECT_EQ(code("PUT", lease), 200);
  memory_used_ = 900;
  clock_.Advance(std::chrono::seconds(1));
  EXPECT_EQ(code("GET", "/api/v1/namespaces"), 429);
  EXPECT_EQ(code("DELETE", "/api/v1/namespaces/a"), 200);
  EXPECT_EQ(code("PUT", lease), 200);
  EXPECT_EQ(code("GET", "/livez"), 200);
  memory_used_ = 0;
  clock_.Advance(std::chrono::seconds(1));
  EXPECT_EQ(code("POST", "/api/v1/namespaces"), 200);
}

TEST_F(PipelineTest, AServerThatStopsSendsClientsElsewhere) {
  Make(AnswerOk);
  pipeline_->StartRejecting();
  const auto late = Ask("GET", "/api/v1/pods");
  EXPECT_EQ(late->Wait().code, 429);
  EXPECT_EQ(late->Wait().headers.Get("retry-after"), "5");
  EXPECT_EQ(late->Wait().headers.Get("connection"), "close");
  EXPECT_EQ(Ask("GET", "/readyz")->Wait().code, 200);
  net::HttpHeaders own;
  own.Add("user-agent", "kube-apiserver/v1.36");
  EXPECT_EQ(Ask("GET", "/api/v1/pods", std::move(own))->Wait().code, 200);
}

TEST_F(PipelineTest, PagesOfAllowedOriginsMayReadAnswers) {
  Make(AnswerOk, {.allowed_origins = {"^https://.*\\.example\\.com(:|$)"},
                  .transport_security = {"max-age=31536000", "includeSubDomains"}});
  const auto with_origin = [&](const std::string& method, const std::string& origin) {
    net::HttpHeaders headers;
    headers.Add("origin", origin);
    return Ask(method, "/api/v1/pods", std::move(headers));
  };
  const auto page = with_origin("GET", "https://a.example.com:8443");
  const net::HttpResponse& allowed = page->Wait();
  EXPECT_EQ(allowed.headers.Get("access-control-allow-origin"), "https://a.example.com:8443");
  EXPECT_EQ(allowed.headers.Get("access-control-allow-credentials"), "true");
  EXPECT_EQ(allowed.headers.Get("strict-transport-security"),
            "max-age=31536000; includeSubDomains");
  const auto other_page = with_origin("GET", "https://a.example.com.evil.org");
  const net::HttpResponse& other = other_page->Wait();
  EXPECT_EQ(other.code, 200);
  EXPECT_EQ(other.headers.Find("access-control-allow-origin"), nullptr);
  // A browser asks before it has credentials.
  authenticator_.found = {};
  EXPECT_EQ(with_origin("OPTIONS", "https://a.example.com")->Wait().code, 204);
  EXPECT_EQ(with_origin("OPTIONS", "https://b.example.org")->Wait().code, 401);
}

TEST_F(PipelineTest, ConnectionsEndByChance) {
  Make(AnswerOk, {.allowed_origins = {}, .transport_security = {}, .goaway_chance = 1});
  EXPECT_EQ(Ask("GET", "/healthz", {}, 20)->Wait().headers.Get("connection"), "close");
  EXPECT_EQ(Ask("GET", "/healthz", {}, 11)->Wait().headers.Find("connection"), nullptr);
}

TEST(ResponseHeadersTest, OriginsMustBeRegularExpressions) {
  SystemRandom random;
  const auto made =
      ResponseHeaders::Make({.allowed_origins = {"("}, .transport_security = {}}, random);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message().find("--cors-allowed-origins"), std::string::npos);
}

}  // namespace
}  // namespace skiff::apiserver
