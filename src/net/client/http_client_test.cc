#include "net/client/http_client.h"

#include <atomic>
#include <memory>

#include <gtest/gtest.h>

#include "net/testing_tls.h"

namespace skiff::net {
namespace {

class Answer final : public ResponseHandler {
 public:
  void OnHead(int code, const HttpHeaders& headers) override {
    code_ = code;
    type_ = headers.Get("content-type");
    head_.Open();
  }
  void OnBody(std::string_view bytes) override {
    body_ += bytes;
    some_.Open();
  }
  void OnEnd(Result<void> outcome) override {
    outcome_ = std::move(outcome);
    end_.Open();
  }

  bool WaitForSome() { return some_.Wait(); }
  bool Wait() { return end_.Wait(); }
  int code() const { return code_; }
  const std::string& body() const { return body_; }
  std::string fault() const { return outcome_ ? "" : outcome_.error().message(); }
  const Result<void>& outcome() const { return outcome_; }

 private:
  int code_ = 0;
  std::string type_;
  std::string body_;
  Result<void> outcome_;
  Latch head_, some_, end_;
};

// A server with a certificate of a CA, and a client that believes that CA.
class HttpClientTest : public testing::Test {
 protected:
  HttpClientTest() {
    server_tls_.certificate.certificate_file =
        folder_.Write("tls.crt", server_certificate_.CertificatePem());
    server_tls_.certificate.key_file = folder_.Write("tls.key", server_certificate_.KeyPem());
    server_tls_.client_ca_files = {folder_.Write("ca.crt", ca_.CertificatePem())};
    client_tls_.ca_pem = ca_.CertificatePem();
    loop_ = *EventLoop::Create(clock_);
    loop_->Start("client");
  }
  ~HttpClientTest() override {
    Disconnect();
    loop_->Stop();
  }

  void Disconnect() {
    OnLoop([this] {
      if (client_ != nullptr) client_->Close();
      client_.reset();
    });
  }

  void OnLoop(const std::function<void()>& task) {
    Latch done;
    loop_->Post([&] {
      task();
      done.Open();
    });
    ASSERT_TRUE(done.Wait());
  }
  void Serve(FunctionHandler::Function function, HttpLimits limits = {}) {
    std::optional<TlsOptions> tls = server_tls_;
    if (is_plain_) tls.reset();
    server_ = std::make_unique<TestServer>(std::move(function), limits, 1, std::move(tls));
  }
  void Connect(const std::string& url = "", size_t connections = 1, size_t streams = 100) {
    HttpClientOptions options;
    auto endpoint = ResolveEndpoint(url.empty() ? "https://" + server_->address() : url);
    ASSERT_TRUE(endpoint) << endpoint.error().message();
    options.endpoint = *endpoint;
    auto tls = ClientTls::Make(client_tls_);
    ASSERT_TRUE(tls) << tls.error().message();
    options.tls = *tls;
    options.headers.Add("user-agent", "test");
    options.connections = connections;
    options.streams_per_connection = streams;
    Disconnect();
    client_ = std::make_unique<HttpClient>(loop_, std::move(options));
  }
  HttpClient::RequestId Send(Answer& answer, ClientRequest request) {
    HttpClient::RequestId id = 0;
    OnLoop([&] { id = client_->Send(std::move(request), &answer); });
    return id;
  }
  std::string Get(const std::string& path) {
    Answer answer;
    Send(answer, {.path = path, .headers = {}, .body = {}});
    EXPECT_TRUE(answer.Wait());
    return answer.outcome() ? std::to_string(answer.code()) + " " + answer.body() : answer.fault();
  }
  size_t Connections() {
    size_t count = 0;
    OnLoop([&] { count = client_->connections(); });
    return count;
  }

  SystemClock clock_;
  TestFolder folder_;
  TestCertificate ca_{{.common_name = "ca", .is_ca = true}};
  TestCertificate server_certificate_{
      {.common_name = "server", .names = "DNS:localhost,IP:127.0.0.1"}, &ca_};
  TlsOptions server_tls_;
  bool is_plain_ = false;
  ClientTlsOptions client_tls_;
  std::unique_ptr<TestServer> server_;
  std::shared_ptr<EventLoop> loop_;
  std::unique_ptr<HttpClient> client_;
};

TEST_F(HttpClientTest, ManyRequestsShareOneConnection) {
  Serve([](HttpRequest request, Responder responder) {
    std::move(responder).Respond(
        TextResponse(request.method + " " + request.path + "?" + request.query + " " +
                     std::string(request.headers.Get("user-agent")) + " " + request.body));
  });
  Connect();
  std::vector<std::unique_ptr<Answer>> answers;
  for (int i = 0; i < 300; ++i) {
    answers.push_back(std::make_unique<Answer>());
    Send(*answers.back(), {.method = "POST",
                           .path = "/a?n=" + std::to_string(i),
                           .headers = {},
                           .body = SharedBytes(std::string(i, 'x'))});
  }
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(answers[i]->Wait());
    EXPECT_EQ(answers[i]->fault(), "");
    EXPECT_EQ(answers[i]->code(), 200);
    EXPECT_EQ(answers[i]->body(),
              "POST /a?n=" + std::to_string(i) + " test " + std::string(i, 'x'));
  }
  EXPECT_EQ(Connections(), 1u);
}

TEST_F(HttpClientTest, FurtherConnectionsOpenOnlyWhenTheOthersAreFull) {
  auto feed = std::make_shared<Feed>();
  Serve([feed](HttpRequest, Responder responder) {
    std::move(responder).Respond({.headers = {}, .source = feed->MakeSource()});
  });
  Connect("", 2, 3);
  std::vector<std::unique_ptr<Answer>> answers;
  const auto send = [&] {
    answers.push_back(std::make_unique<Answer>());
    Send(*answers.back(), {.path = "/", .headers = {}, .body = {}});
  };
  for (int i = 0; i < 3; ++i) send();
  EXPECT_EQ(Connections(), 1u);
  for (int i = 0; i < 4; ++i) send();
  EXPECT_EQ(Connections(), 2u);
  size_t waiting = 0;
  OnLoop([&] { waiting = client_->waiting(); });
  EXPECT_EQ(waiting, 1u);
  Disconnect();
}

TEST_F(HttpClientTest, AnswersAreHandedOverAsTheyCome) {
  auto feed = std::make_shared<Feed>();
  Serve([feed](HttpRequest, Responder responder) {
    std::move(responder).Respond({.headers = {}, .source = feed->MakeSource()});
  });
  Connect();
  Answer answer;
  const auto id =
      Send(answer, {.path = "/", .headers = {}, .body = {}, .timeout = Clock::kForever});
  feed->Add("one");
  ASSERT_TRUE(answer.WaitForSome());
  EXPECT_EQ(answer.body(), "one");
  OnLoop([&] { client_->Cancel(id); });
  EXPECT_TRUE(feed->WaitUntilGone());
  // The connection is still good.
  Answer other;
  const auto other_id = Send(other, {.path = "/", .headers = {}, .body = {}});
  ASSERT_NE(other_id, id);
  EXPECT_EQ(Connections(), 1u);
  OnLoop([&] { client_->Cancel(other_id); });
}

TEST_F(HttpClientTest, AnswersLongerThanEveryWindowComeWhole) {
  constexpr size_t kBytes = 3 * size_t{limits::kClientConnectionWindowBytes};
  Serve([](HttpRequest, Responder responder) {
    std::move(responder).Respond(TextResponse(std::string(kBytes, 'x')));
  });
  Connect();
  Answer answer;
  Send(answer, {.path = "/", .headers = {}, .body = {}});
  ASSERT_TRUE(answer.Wait());
  EXPECT_EQ(answer.fault(), "");
  EXPECT_EQ(answer.body().size(), kBytes);
}

TEST_F(HttpClientTest, ALateAnswerIsATimeout) {
  auto kept = std::make_shared<std::vector<Responder>>();
  Serve([kept](HttpRequest, Responder responder) { kept->push_back(std::move(responder)); });
  Connect();
  Answer answer;
  Send(answer, {.path = "/", .headers = {}, .body = {}, .timeout = std::chrono::milliseconds(50)});
  ASSERT_TRUE(answer.Wait());
  ASSERT_FALSE(answer.outcome());
  EXPECT_EQ(answer.outcome().error().reason(), StatusReason::kTimeout);
}

TEST_F(HttpClientTest, OneThatCannotBeSentInTimeIsATimeoutToo) {
  auto kept = std::make_shared<std::vector<Responder>>();
  Serve([kept](HttpRequest, Responder responder) { kept->push_back(std::move(responder)); });
  Connect("", 1, 1);
  Answer first, second;
  const auto id = Send(first, {.path = "/", .headers = {}, .body = {}});
  Send(second, {.path = "/", .headers = {}, .body = {}, .timeout = std::chrono::milliseconds(50)});
  ASSERT_TRUE(second.Wait());
  EXPECT_EQ(second.outcome().error().reason(), StatusReason::kTimeout);
  OnLoop([&] { client_->Cancel(id); });
}

TEST_F(HttpClientTest, AServerOfAnotherCaIsNotBelieved) {
  Serve(Echo);
  client_tls_.ca_pem = TestCertificate({.common_name = "other", .is_ca = true}).CertificatePem();
  Connect();
  EXPECT_NE(Get("/").find("its certificate is not trusted"), std::string::npos);
  client_tls_.insecure = true;
  Connect();
  EXPECT_TRUE(Get("/").starts_with("200 "));
}

TEST_F(HttpClientTest, ACertificateForAnotherHostIsNotBelieved) {
  server_certificate_ = TestCertificate({.common_name = "server", .names = "DNS:elsewhere"}, &ca_);
  server_tls_.certificate.certificate_file =
      folder_.Write("other.crt", server_certificate_.CertificatePem());
  server_tls_.certificate.key_file = folder_.Write("other.key", server_certificate_.KeyPem());
  Serve(Echo);
  Connect();
  EXPECT_NE(Get("/").find("IP address mismatch"), std::string::npos);
  client_tls_.server_name = "elsewhere";
  Connect();
  EXPECT_TRUE(Get("/").starts_with("200 "));
}

TEST_F(HttpClientTest, ItShowsItsCertificate) {
  Serve([](HttpRequest request, Responder responder) {
    std::move(responder).Respond(
        TextResponse(request.peer == nullptr ? "nobody" : request.peer->common_name));
  });
  Connect();
  EXPECT_EQ(Get("/"), "200 nobody");
  const TestCertificate me({.common_name = "me", .usage = "clientAuth"}, &ca_);
  client_tls_.certificate_pem = me.CertificatePem();
  client_tls_.key_pem = me.KeyPem();
  Connect();
  EXPECT_EQ(Get("/"), "200 me");
}

TEST_F(HttpClientTest, AKeyThatDoesNotFitIsRefused) {
  client_tls_.certificate_pem = server_certificate_.CertificatePem();
  client_tls_.key_pem = ca_.KeyPem();
  EXPECT_FALSE(ClientTls::Make(client_tls_));
  client_tls_.key_pem = "nonsense";
  EXPECT_FALSE(ClientTls::Make(client_tls_));
  client_tls_.ca_pem = "nonsense";
  EXPECT_FALSE(ClientTls::Make(client_tls_));
}

TEST_F(HttpClientTest, WhereNobodyListensTheErrorSaysSo) {
  const HeldPort nobody;
  const std::string url = "https://" + nobody.address();
  Connect(url);
  EXPECT_EQ(Get("/"), url + ": Connection refused");
}

TEST_F(HttpClientTest, AServerWithoutHttp2IsSpokenToInHttp1) {
  server_tls_.http2 = false;
  std::atomic<int> version = 0;
  Serve([&](HttpRequest request, Responder responder) {
    version = request.version;
    std::move(responder).Respond(TextResponse(request.method + " " + request.path + "?" +
                                              request.query + " " + request.body));
  });
  Connect();
  EXPECT_EQ(Get("/a?b=c"), "200 GET /a?b=c ");
  EXPECT_EQ(version, 11);
  EXPECT_EQ(Get("/a"), "200 GET /a? ");
  EXPECT_EQ(Connections(), 1u) << "it is kept for the next request";
  const std::string long_body(300'000, 'x');
  Answer answer;
  Send(answer, {.method = "POST", .path = "/p", .headers = {}, .body = SharedBytes(long_body)});
  ASSERT_TRUE(answer.Wait());
  EXPECT_EQ(answer.body(), "POST /p? " + long_body);
}

TEST_F(HttpClientTest, AServerWithoutTlsIsSpokenToInHttp1) {
  is_plain_ = true;
  Serve(Echo);
  Connect("http://" + server_->address());
  EXPECT_TRUE(Get("/").starts_with("200"));
  EXPECT_TRUE(Get("/").starts_with("200"));
  EXPECT_EQ(Connections(), 1u);
}

TEST_F(HttpClientTest, OverHttp1EachRequestUnderWayHasAConnection) {
  server_tls_.http2 = false;
  auto feed = std::make_shared<Feed>();
  Serve([feed](HttpRequest request, Responder responder) {
    if (request.path != "/watch") return std::move(responder).Respond(TextResponse("ok"));
    std::move(responder).Respond({.headers = {}, .source = feed->MakeSource()});
  });
  Connect();
  // All are given to the first connection before anybody knows that it can carry one only.
  Answer watch;
  std::vector<std::unique_ptr<Answer>> answers;
  HttpClient::RequestId id = 0;
  OnLoop([&] {
    id = client_->Send({.path = "/watch", .headers = {}, .body = {}, .timeout = Clock::kForever},
                       &watch);
    for (int i = 0; i < 40; ++i) {
      answers.push_back(std::make_unique<Answer>());
      client_->Send({.path = "/", .headers = {}, .body = {}}, answers.back().get());
    }
  });
  for (const auto& each : answers) {
    ASSERT_TRUE(each->Wait());
    EXPECT_EQ(each->body(), "ok") << each->fault();
  }
  // Those that are too many go at the end of a turn of the loop.
  size_t left = Connections();
  for (int i = 0; i < 100 && left > limits::kClientHttp1Idle + 1; ++i) left = Connections();
  EXPECT_LE(left, limits::kClientHttp1Idle + 1);
  feed->Add("one");
  ASSERT_TRUE(watch.WaitForSome());
  EXPECT_EQ(watch.body(), "one");
  OnLoop([&] { client_->Cancel(id); });
  EXPECT_TRUE(feed->WaitUntilGone()) << "giving a request up closes its connection";
  EXPECT_EQ(Get("/"), "200 ok");
}

TEST_F(HttpClientTest, ALateAnswerOverHttp1IsATimeout) {
  is_plain_ = true;
  auto kept = std::make_shared<std::vector<Responder>>();
  Serve([kept](HttpRequest request, Responder responder) {
    if (request.path == "/wait") return kept->push_back(std::move(responder));
    std::move(responder).Respond(TextResponse("ok"));
  });
  Connect("http://" + server_->address());
  Answer late;
  Send(late,
       {.path = "/wait", .headers = {}, .body = {}, .timeout = std::chrono::milliseconds(50)});
  ASSERT_TRUE(late.Wait());
  ASSERT_FALSE(late.outcome());
  EXPECT_EQ(late.outcome().error().reason(), StatusReason::kTimeout);
  EXPECT_EQ(Get("/"), "200 ok");
}

TEST_F(HttpClientTest, AnotherConnectionReplacesOneThatWasLost) {
  auto kept = std::make_shared<std::vector<Responder>>();
  Serve([kept](HttpRequest request, Responder responder) {
    if (request.path == "/wait") return kept->push_back(std::move(responder));
    std::move(responder).Respond(TextResponse("ok"));
  });
  Connect();
  const std::string address = "https://" + server_->address();
  EXPECT_EQ(Get("/"), "200 ok");
  Answer lost;
  Send(lost, {.path = "/wait", .headers = {}, .body = {}});
  server_->Stop();
  ASSERT_TRUE(lost.Wait());
  EXPECT_FALSE(lost.outcome());
  EXPECT_EQ(Get("/"), address + ": Connection refused");
}

TEST_F(HttpClientTest, ClosingTellsWhoeverWaits) {
  auto kept = std::make_shared<std::vector<Responder>>();
  Serve([kept](HttpRequest, Responder responder) { kept->push_back(std::move(responder)); });
  Connect("", 1, 1);
  Answer sent, waiting, late;
  Send(sent, {.path = "/", .headers = {}, .body = {}});
  Send(waiting, {.path = "/", .headers = {}, .body = {}});
  OnLoop([&] { client_->Close(); });
  Send(late, {.path = "/", .headers = {}, .body = {}});
  for (Answer* answer : {&sent, &waiting, &late}) {
    ASSERT_TRUE(answer->Wait());
    EXPECT_EQ(answer->fault(), "the client was closed");
  }
}

}  // namespace
}  // namespace skiff::net
