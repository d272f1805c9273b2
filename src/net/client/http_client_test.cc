#include "net/client/http_client.h"

#include <atomic>
#include <memory>

#include <gtest/gtest.h>

#include "net/testing_tls.h"

namespace skiff {
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
    server_ = std::make_unique<TestServer>(std::move(function), limits, 1, server_tls_);
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
  Serve(Echo);
  const std::string url = "https://" + server_->address();
  server_.reset();
  Connect(url);
  EXPECT_EQ(Get("/"), url + ": Connection refused");
}

TEST_F(HttpClientTest, AServerWithoutHttp2IsNamedAsSuch) {
  server_tls_.http2 = false;
  Serve(Echo);
  Connect();
  EXPECT_FALSE(Get("/").starts_with("200"));
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
  server_.reset();
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
}  // namespace skiff
