// Requests whose handler sees the head before the body is read.
#include <atomic>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "net/testing_http2.h"

namespace skiff::net {
namespace {

using std::chrono::seconds;

constexpr std::string_view kPost = "POST /x HTTP/1.1\r\nHost: a\r\n";

// Lets in who says "key: yes"; answers "GET /path [body]".
void Guard(HttpRequest request, Responder responder, bool is_head) {
  if (request.headers.Get("key") != "yes")
    return std::move(responder).Respond(TextResponse("no", 401));
  if (!is_head) return Echo(std::move(request), std::move(responder));
  auto kept =
      std::make_shared<std::pair<HttpRequest, Responder>>(std::move(request), std::move(responder));
  kept->second.ReadBody([kept](RequestBody body) {
    if (body.too_large) return std::move(kept->second).Respond(TextResponse("large", 413));
    kept->first.body = std::move(body.bytes);
    Echo(std::move(kept->first), std::move(kept->second));
  });
}

class HeadServerTest : public testing::Test {
 protected:
  HeadHandler handler_{Guard};
};

TEST_F(HeadServerTest, WhoMayNotAskIsToldSoWithoutSendingTheBody) {
  TestServer server(handler_, {});
  RawClient client(server.address());
  ASSERT_TRUE(client.Send(std::string(kPost) + "Content-Length: 1000000\r\n\r\nthe first bytes"));
  const std::string answer = client.ReceiveAll();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 401 "));
  EXPECT_NE(answer.find("Connection: close"), std::string::npos);

  RawClient raw(server.address());
  raw.Send(std::string(kHttp2Preface) + Http2Frame(NGHTTP2_SETTINGS, 0, 0, "") +
           Http2Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 1,
                      std::string("\x83\x86\x84\x41\x01"
                                  "a",
                                  6)));
  // The answer, and that the rest is not wanted.
  const std::string reset = Http2Frame(NGHTTP2_RST_STREAM, 0, 1, std::string(4, '\0'));
  EXPECT_TRUE(raw.ReceiveUntil(reset).ends_with(reset));
}

TEST_F(HeadServerTest, AShortBodyThatNobodyWantsIsPassedOver) {
  TestServer server(handler_, {});
  RawClient client(server.address());
  const std::string body(200'000, 'x');
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client.Send(std::string(kPost) + "Content-Length: 200000\r\n\r\n"));
    auto [head, text] = client.ReceiveAnswer();
    EXPECT_TRUE(head.starts_with("HTTP/1.1 401 "));
    EXPECT_EQ(head.find("Connection: close"), std::string::npos);
    EXPECT_EQ(text, "no");
    ASSERT_TRUE(client.Send(body + "GET /next HTTP/1.1\r\nHost: a\r\nKey: yes\r\n\r\n"));
    EXPECT_EQ(client.ReceiveAnswer().second, "GET /next []");
  }
}

TEST_F(HeadServerTest, WhoMayIsAskedForTheBody) {
  TestServer server(handler_, {});
  RawClient client(server.address());
  const std::string head = std::string(kPost) + "Key: yes\r\n";
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client.Send(head + "Content-Length: 6\r\n\r\nabc"));
    ASSERT_TRUE(client.Send("def"));
    EXPECT_EQ(client.ReceiveAnswer().second, "POST /x [abcdef]");
    ASSERT_TRUE(client.Send(head + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"));
    ASSERT_TRUE(client.Send("2\r\nde\r\n0\r\n\r\n"));
    EXPECT_EQ(client.ReceiveAnswer().second, "POST /x [abcde]");
    ASSERT_TRUE(client.Send(head + "Content-Length: 2\r\n\r\nhi"));
    EXPECT_EQ(client.ReceiveAnswer().second, "POST /x [hi]");
  }
  Http2Client http2(server.address());
  const std::string large(2'000'000, 'b');
  EXPECT_EQ(http2.Wait(http2.Ask("POST", "/x", {{"key", "yes"}}, large)).body,
            "POST /x [" + large + "]");
  EXPECT_EQ(http2.Wait(http2.Ask("POST", "/x", {}, "b")).headers[":status"], "401");
  EXPECT_EQ(http2.Wait(http2.Ask("POST", "/x", {{"key", "yes"}}, "b")).body, "POST /x [b]");
}

TEST_F(HeadServerTest, ContinueIsSaidToThoseAloneWhoMaySend) {
  TestServer server(handler_, {});
  const std::string rest = "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n";
  RawClient stranger(server.address());
  ASSERT_TRUE(stranger.Send(std::string(kPost) + rest));
  EXPECT_TRUE(stranger.ReceiveAll().starts_with("HTTP/1.1 401 "));
  RawClient friendly(server.address());
  ASSERT_TRUE(friendly.Send(std::string(kPost) + "Key: yes\r\n" + rest));
  EXPECT_EQ(friendly.ReceiveUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  ASSERT_TRUE(friendly.Send("hi"));
  EXPECT_EQ(friendly.ReceiveAnswer().second, "POST /x [hi]");

  Http2Client http2(server.address());
  const Http2Client::Fields expects = {{"expect", "100-continue"}};
  EXPECT_EQ(http2.Wait(http2.Ask("POST", "/", expects, "hi")).informational, 0);
  Http2Client::Fields both = expects;
  both.emplace_back("key", "yes");
  EXPECT_EQ(http2.Wait(http2.Ask("POST", "/", both, "hi")).informational, 1);
}

TEST_F(HeadServerTest, BodiesBeyondTheBoundAreNotRead) {
  HttpLimits limits;
  limits.max_body_bytes = 1000;
  TestServer server(handler_, limits);
  const std::string head = std::string(kPost) + "Key: yes\r\n";
  for (const std::string& rest :
       {std::string("Content-Length: 1001\r\n\r\n"),
        "Transfer-Encoding: chunked\r\n\r\n3e9\r\n" + std::string(1001, 'x')}) {
    RawClient client(server.address());
    ASSERT_TRUE(client.Send(head + rest));
    EXPECT_TRUE(client.ReceiveAll().starts_with("HTTP/1.1 413 "));
  }
  Http2Client http2(server.address());
  const std::string body(1001, 'x');
  const Http2Client::Fields key = {{"key", "yes"}};
  EXPECT_EQ(http2.Wait(http2.Ask("POST", "/", key, body)).headers[":status"], "413");
  const Http2Client::Fields said = {{"key", "yes"}, {"content-length", "1001"}};
  EXPECT_EQ(http2.Wait(http2.Ask("POST", "/", said, body)).headers[":status"], "413");
  EXPECT_EQ(http2.Wait(http2.Ask("POST", "/", {}, body)).headers[":status"], "401");
}

TEST_F(HeadServerTest, TheDecisionMayComeLaterFromAnotherThread) {
  std::mutex mutex;
  std::vector<std::pair<HttpRequest, Responder>> waiting;
  HeadHandler slow([&](HttpRequest request, Responder responder, bool) {
    std::lock_guard lock(mutex);
    waiting.emplace_back(std::move(request), std::move(responder));
  });
  TestServer server(slow, {});
  RawClient client(server.address());
  ASSERT_TRUE(client.Send(std::string(kPost) + "Key: yes\r\nContent-Length: 200000\r\n\r\n"));
  Http2Client http2(server.address());
  const std::string body(200'000, 'x');
  const int32_t id = http2.Ask("POST", "/x", {{"key", "yes"}}, body);
  ASSERT_TRUE(server.Becomes([&] {
    std::lock_guard lock(mutex);
    return waiting.size() == 2;
  }));
  std::thread sender([&] { EXPECT_TRUE(client.Send(body)); });
  for (auto& [request, responder] : waiting) Guard(std::move(request), std::move(responder), true);
  EXPECT_EQ(client.ReceiveAnswer().second, "POST /x [" + body + "]");
  EXPECT_EQ(http2.Wait(id).body, "POST /x [" + body + "]");
  sender.join();
}

TEST_F(HeadServerTest, AClientThatGoesTakesItsRequestWithIt) {
  TestServer server(handler_, {});
  {
    RawClient client(server.address());
    ASSERT_TRUE(client.Send(std::string(kPost) + "Key: yes\r\nContent-Length: 9\r\n\r\nabc"));
    RawClient http2(server.address());
    http2.Send(std::string(kHttp2Preface) + Http2Frame(NGHTTP2_SETTINGS, 0, 0, "") +
               Http2Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 1,
                          std::string("\x83\x86\x84\x41\x01"
                                      "a\x00\x03"
                                      "key\x03"
                                      "yes",
                                      15)));
    ASSERT_TRUE(server.Becomes([&] { return server->figures().requests_in_flight == 2; }));
  }
  EXPECT_TRUE(server.Becomes([&] { return server->figures().requests_in_flight == 0; }));
  EXPECT_TRUE(server.Becomes([&] { return server->figures().connections == 0; }));
}

// Takes pieces as long as it may, and answers with what it got.
class Collector final : public RequestSink {
 public:
  struct Shared {
    std::atomic<bool> open{true};
    std::atomic<size_t> got{0};
    std::atomic<bool> gone{false};
    std::mutex mutex;
    std::function<void()> wake;
    Latch started;
  };
  Collector(std::shared_ptr<Shared> shared, Responder responder)
      : shared_(std::move(shared)), responder_(std::move(responder)) {}
  void OnStart(std::function<void()> wake) override {
    {
      const std::lock_guard lock(shared_->mutex);
      shared_->wake = std::move(wake);
    }
    shared_->started.Open();
  }
  bool wants_input() const override { return shared_->open; }
  void OnBytes(std::string_view bytes) override { shared_->got += bytes.size(); }
  void OnEnd() override {
    std::move(responder_).Respond(TextResponse(std::to_string(shared_->got)));
  }
  void OnGone() override { shared_->gone = true; }

 private:
  const std::shared_ptr<Shared> shared_;
  Responder responder_;
};

class PassedBodyTest : public testing::Test {
 protected:
  std::shared_ptr<Collector::Shared> shared_ = std::make_shared<Collector::Shared>();
  HeadHandler handler_{[this](HttpRequest request, Responder responder, bool is_head) {
    if (!is_head) return Echo(std::move(request), std::move(responder));
    const std::shared_ptr<Responder::Sink> sink = std::move(responder).Release();
    sink->PassBody(std::make_unique<Collector>(shared_, Responder(sink)));
  }};
  TestServer server_{handler_, {}};

  void Open() {
    shared_->open = true;
    const std::lock_guard lock(shared_->mutex);
    shared_->wake();
  }
};

TEST_F(PassedBodyTest, PiecesGoOnWhateverTheLengthOfAll) {
  RawClient client(server_.address());
  const std::string piece(1 << 20, 'x');
  ASSERT_TRUE(client.Send(std::string(kPost) + "Content-Length: 33554432\r\n\r\n"));
  for (int i = 0; i < 32; ++i) ASSERT_TRUE(client.Send(piece));
  EXPECT_EQ(client.ReceiveAnswer().second, "33554432");
  shared_->got = 0;
  ASSERT_TRUE(client.Send(std::string(kPost) + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"));
  ASSERT_TRUE(client.Send("2\r\nde\r\n0\r\n\r\n"));
  EXPECT_EQ(client.ReceiveAnswer().second, "5") << "the connection is used again";
  shared_->got = 0;
  Http2Client http2(server_.address());
  EXPECT_EQ(http2.Wait(http2.Ask("POST", "/x", {}, std::string(5 << 20, 'b'))).body, "5242880");
}

TEST_F(PassedBodyTest, WhoeverWantsNothingHoldsTheClientBack) {
  shared_->open = false;
  Http2Client http2(server_.address());
  const int32_t held = http2.Ask("POST", "/x", {}, std::string(5 << 20, 'b'));
  // Once this is answered, the client has sent of the other what it may.
  EXPECT_EQ(http2.Wait(http2.Ask("GET", "/y")).body, "GET /y []");
  EXPECT_LE(shared_->got, size_t{limits::kHttp2StreamWindowBytes});
  Open();
  EXPECT_EQ(http2.Wait(held).body, "5242880");
}

TEST_F(PassedBodyTest, OverHttp1WhatIsNotWantedStaysInTheSocket) {
  shared_->open = false;
  RawClient client(server_.address());
  ASSERT_TRUE(client.Send(std::string(kPost) + "Content-Length: 6\r\n\r\nabc"));
  ASSERT_TRUE(shared_->started.Wait());
  ASSERT_TRUE(client.Send("def"));
  RawClient other(server_.address());
  ASSERT_TRUE(other.Send("GET /y HTTP/1.1\r\nHost: a\r\n\r\n"));
  EXPECT_EQ(other.ReceiveAnswer().second, "GET /y []");
  EXPECT_EQ(shared_->got, 0U);
  Open();
  EXPECT_EQ(client.ReceiveAnswer().second, "6");
}

}  // namespace
}  // namespace skiff::net
