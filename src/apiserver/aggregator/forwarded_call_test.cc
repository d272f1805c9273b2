#include "apiserver/aggregator/forwarded_call.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "apiserver/aggregator/backend_caller.h"
#include "base/log.h"
#include "net/testing_tls.h"

namespace skiff::apiserver {
namespace {

constexpr size_t kMegabyte = 1 << 20;
constexpr std::string_view kLastChunk = "\r\n0\r\n\r\n";

// A client over HTTP/1.1, a server that passes on, and one behind it over HTTP/2.
class ForwardedCallTest : public testing::Test {
 protected:
  ForwardedCallTest()
      : behind_(
            [this](net::HttpRequest request, net::Responder responder) {
              Answer(std::move(request), std::move(responder));
            },
            {}, 1, Tls()) {
    EXPECT_TRUE(caller_.Start());
  }
  ~ForwardedCallTest() override {
    caller_.Stop();
    front_.Stop();
    behind_.Stop();
  }

  net::TlsOptions Tls() {
    const net::TestCertificate certificate({.common_name = "behind", .usage = "serverAuth"});
    net::TlsOptions out;
    out.certificate.certificate_file = folder_.Write("tls.crt", certificate.CertificatePem());
    out.certificate.key_file = folder_.Write("tls.key", certificate.KeyPem());
    return out;
  }

  void Forward(net::HttpRequest http, net::Responder responder, bool is_head) {
    BackendState state;
    state.spec.service = {.name_space = "ns", .name = "svc", .port = 443};
    state.spec.insecure = true;
    auto request = std::make_unique<serving::ApiRequest>(
        serving::ApiRequest{.http = std::move(http), .responder = std::move(responder)});
    request->awaits_body = is_head;
    request->info.path = request->http.path;
    net::ClientRequest out;
    out.method = request->http.method;
    out.path = request->http.path;
    out.timeout = Clock::kForever;
    if (!is_head) out.body = SharedBytes(request->http.body);
    const std::string& address = behind_.address();
    const auto port = static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
    auto call = std::make_shared<ForwardedCall>(
        caller_, ForwardedRequest{
                     .request = std::move(request),
                     .backend = std::make_shared<const RemoteBackend>(std::move(state), caller_),
                     .at = {"127.0.0.1", port},
                     .host = address,
                     .out = std::move(out)});
    call->TakeBody();
    caller_.Post([this, call] {
      Keep(call);
      call->Begin([this, key = call.get()] {
        const std::lock_guard lock(mutex_);
        std::erase_if(calls_, [key](const auto& each) { return each.get() == key; });
      });
    });
  }
  void Keep(const std::shared_ptr<ForwardedCall>& call) {
    const std::lock_guard lock(mutex_);
    calls_.insert(call);
  }
  bool Idle() {
    const std::lock_guard lock(mutex_);
    return calls_.empty();
  }

  // "/feed" gives what the test adds, anything else a megabyte for what came.
  void Answer(net::HttpRequest request, net::Responder responder) {
    net::HttpResponse response;
    if (request.path == "/feed") {
      response.source = feed_->MakeSource();
    } else if (request.path == "/small") {
      response.body = SharedBytes("small");
    } else {
      response.headers.Add("x-got", std::to_string(request.body.size()));
      response.body = SharedBytes(std::string(kMegabyte, 'y'));
    }
    std::move(responder).Respond(std::move(response));
  }

  net::TestFolder folder_;
  SystemClock clock_;
  MemoryLogSink sink_;
  Log log_{clock_, sink_};
  std::shared_ptr<net::Feed> feed_ = std::make_shared<net::Feed>();
  std::mutex mutex_;
  std::set<std::shared_ptr<ForwardedCall>> calls_;
  ProxyCertificate certificate_{"", "", log_};
  BackendCaller caller_{clock_,
                        [](const CalledService&) {
                          return CalledAddress{"127.0.0.1", 1};
                        },
                        certificate_};
  net::TestServer behind_;
  net::HeadHandler handler_{
      [this](net::HttpRequest request, net::Responder responder, bool is_head) {
        Forward(std::move(request), std::move(responder), is_head);
      }};
  net::TestServer front_{handler_, {}};
};

TEST_F(ForwardedCallTest, BodiesPassInBothDirections) {
  net::RawClient client(front_.address());
  ASSERT_TRUE(client.Send("POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: 1048576\r\n\r\n"));
  for (int i = 0; i < 16; ++i) ASSERT_TRUE(client.Send(std::string(kMegabyte / 16, 'x')));
  const std::string answer = client.ReceiveUntil(kLastChunk);
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 ")) << answer.substr(0, 200);
  EXPECT_NE(answer.find("X-Got: 1048576\r\n"), std::string::npos) << answer.substr(0, 200);
  EXPECT_EQ(std::ranges::count(answer, 'y'), static_cast<ptrdiff_t>(kMegabyte));
  EXPECT_TRUE(front_.Becomes([this] { return Idle(); }));
}

TEST_F(ForwardedCallTest, AShortAnswerKeepsItsLength) {
  net::RawClient client(front_.address());
  ASSERT_TRUE(client.Send("GET /small HTTP/1.1\r\nHost: a\r\n\r\n"));
  const std::string answer = client.ReceiveUntil("small");
  EXPECT_NE(answer.find("Content-Length: 5\r\n"), std::string::npos) << answer;
}

TEST_F(ForwardedCallTest, WhatIsSaidIsPassedOnAtOnce) {
  net::RawClient client(front_.address());
  ASSERT_TRUE(client.Send("GET /feed HTTP/1.1\r\nHost: a\r\n\r\n"));
  for (const std::string event : {"first", "second", "third"}) {
    feed_->Add(event);
    EXPECT_TRUE(client.ReceiveUntil(event + "\r\n").ends_with(event + "\r\n"));
  }
  feed_->End();
  EXPECT_TRUE(client.ReceiveUntil("0\r\n\r\n").ends_with("0\r\n\r\n"));
  EXPECT_TRUE(front_.Becomes([this] { return Idle(); }));
}

TEST_F(ForwardedCallTest, AnAnswerThatIsBrokenOffHasNoEnd) {
  net::RawClient client(front_.address());
  ASSERT_TRUE(client.Send("GET /feed HTTP/1.1\r\nHost: a\r\n\r\n"));
  feed_->Add("something");
  client.ReceiveUntil("something\r\n");
  feed_->Break();
  EXPECT_EQ(client.ReceiveAll().find("0\r\n\r\n"), std::string::npos);
  EXPECT_TRUE(front_.Becomes([this] { return Idle(); }));
}

TEST_F(ForwardedCallTest, AClientThatGoesIsNotWaitedFor) {
  net::RawClient client(front_.address());
  ASSERT_TRUE(client.Send("GET /feed HTTP/1.1\r\nHost: a\r\n\r\n"));
  feed_->Add("something");
  client.ReceiveUntil("something\r\n");
  client.Close();
  EXPECT_TRUE(feed_->WaitUntilGone());
  EXPECT_TRUE(front_.Becomes([this] { return Idle(); }));
}

TEST_F(ForwardedCallTest, AClientThatGoesAmidItsBodyIsGivenUp) {
  net::RawClient client(front_.address());
  ASSERT_TRUE(client.Send("POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\nsome"));
  EXPECT_TRUE(front_.Becomes([this] { return !Idle(); }));
  client.Close();
  EXPECT_TRUE(front_.Becomes([this] { return Idle(); }));
}

TEST_F(ForwardedCallTest, AServerThatIsNotThereIsAFault) {
  behind_.Stop();
  net::RawClient client(front_.address());
  ASSERT_TRUE(client.Send("GET /small HTTP/1.1\r\nHost: a\r\n\r\n"));
  const std::string answer = client.ReceiveUntil("refused\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 503 ")) << answer;
  EXPECT_NE(answer.find("dial tcp " + behind_.address() + ": connect: connection refused\n"),
            std::string::npos)
      << answer;
}

TEST_F(ForwardedCallTest, WhenThisServerEndsEverythingDoes) {
  net::RawClient client(front_.address());
  ASSERT_TRUE(client.Send("GET /feed HTTP/1.1\r\nHost: a\r\n\r\n"));
  feed_->Add("something");
  client.ReceiveUntil("something\r\n");
  caller_.Stop();
  EXPECT_EQ(client.ReceiveAll().find("0\r\n\r\n"), std::string::npos);
  EXPECT_TRUE(Idle());
}

}  // namespace
}  // namespace skiff::apiserver
