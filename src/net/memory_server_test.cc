// What clients can make a server hold, in bytes and in time.
#include <thread>

#include <gtest/gtest.h>

#include "net/testing_http2.h"

namespace skiff::net {
namespace {

using std::chrono::seconds;

constexpr uint8_t kWhole = NGHTTP2_FLAG_END_HEADERS | NGHTTP2_FLAG_END_STREAM;

std::string FirstFrames() {
  return std::string(kHttp2Preface) + Http2Frame(NGHTTP2_SETTINGS, 0, 0, "");
}
// POST, http, "/", authority a, which does not go into the table.
std::string PostHead() { return std::string("\x83\x86\x84\x01\x01") + "a"; }
// A field of 4,000 bytes, which goes into the table; "\xbe" then repeats it.
std::string LargeField() {
  return std::string("\x40\x01x", 3) + "\x7f" + std::string("\xa1\x1e", 2) + std::string(4000, 'y');
}
bool HasFrame(const std::string& all, uint8_t type, uint32_t stream, int64_t error) {
  for (size_t at = 0; at + 9 <= all.size();) {
    const auto byte = [&](size_t i) { return static_cast<uint8_t>(all[at + i]); };
    const size_t length = byte(0) << 16 | byte(1) << 8 | byte(2);
    const size_t code_at = type == NGHTTP2_GOAWAY ? 13 : 9;
    const uint32_t id = byte(5) << 24 | byte(6) << 16 | byte(7) << 8 | byte(8);
    if (byte(3) == type && id == stream && at + code_at + 4 <= all.size() &&
        byte(code_at + 3) == error)
      return true;
    at += 9 + length;
  }
  return false;
}

TEST(MemoryServerTest, HeadsOfManyStreamsEndTheConnection) {
  TestServer server(Echo);
  RawClient client(server.address());
  // Each stands for 800 KB, within the bound of one head; none is ever complete.
  std::string bomb = FirstFrames() + Http2Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 1,
                                                PostHead() + LargeField());
  for (uint32_t id = 3; id < 100; id += 2)
    bomb += Http2Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, id,
                       PostHead() + std::string(200, '\xbe'));
  client.Send(bomb);
  EXPECT_TRUE(HasFrame(client.ReceiveAll(), NGHTTP2_GOAWAY, 0, NGHTTP2_ENHANCE_YOUR_CALM));
}

TEST(MemoryServerTest, HeadsOfManyConnectionsLeaveRoomForThoseWhoAskForLittle) {
  HttpLimits limits;
  limits.memory_bytes = 16 << 20;  // 2 MB of it for heads
  TestServer server(Echo, limits);
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 8; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.address()));
    clients.back()->Send(FirstFrames() +
                         Http2Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 1,
                                    PostHead() + LargeField() + std::string(100, '\xbe')) +
                         Http2Frame(NGHTTP2_PING, 0, 0, "12345678"));
    clients.back()->ReceiveUntil(Http2Frame(NGHTTP2_PING, NGHTTP2_FLAG_ACK, 0, "12345678"));
  }
  clients.back()->Send(Http2Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 3,
                                  PostHead() + std::string(100, '\xbe')));
  Http2Client http2(server.address());
  EXPECT_EQ(http2.Wait(http2.Ask("GET", "/")).body, "GET / []");
  RawClient http1(server.address());
  ASSERT_TRUE(http1.Send("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  EXPECT_EQ(http1.ReceiveAnswer().second, "GET / []");
  RawClient large(server.address());
  large.Send("GET / HTTP/1.1\r\nHost: a\r\nA: " + std::string(900'000, 'x'));
  EXPECT_TRUE(large.ReceiveAll().starts_with("HTTP/1.1 503 "));
}

TEST(MemoryServerTest, WithoutRoomNewRequestsAreRefused) {
  HttpLimits limits;
  limits.memory_bytes = 4 << 20;
  std::mutex mutex;
  std::vector<std::pair<HttpRequest, Responder>> kept;
  TestServer server(
      [&](HttpRequest request, Responder responder) {
        if (request.method == "GET") return Echo(std::move(request), std::move(responder));
        std::lock_guard lock(mutex);
        kept.emplace_back(std::move(request), std::move(responder));
      },
      limits);
  const std::string body(1'700'000, 'x');
  Http2Client first(server.address()), second(server.address());
  std::thread one([&] { first.Wait(first.Ask("POST", "/", {}, body)); });
  std::thread two([&] { second.Wait(second.Ask("POST", "/", {}, body)); });
  EXPECT_TRUE(server.Becomes([&] {
    std::lock_guard lock(mutex);
    return kept.size() == 2;
  }));
  Http2Client third(server.address());
  EXPECT_EQ(third.Wait(third.Ask("GET", "/")).error, uint32_t{NGHTTP2_REFUSED_STREAM});
  RawClient http1(server.address());
  ASSERT_TRUE(http1.Send("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  const std::string busy = http1.ReceiveAll();
  EXPECT_TRUE(busy.starts_with("HTTP/1.1 503 "));
  EXPECT_NE(busy.find("Retry-After: 1"), std::string::npos);
  {
    std::lock_guard lock(mutex);
    kept.clear();
  }
  one.join();
  two.join();
  EXPECT_TRUE(server.Becomes(
      [&] { return third.Wait(third.Ask("GET", "/")).headers[":status"] == "200"; }));
}

// What a list has encoded already, or zlib takes for a stream.
class HoldingSource final : public BodySource {
 public:
  size_t HeldBytes() const override { return 2 << 20; }
  Result<State> Read(ByteBuffer& out, size_t) override {
    out.Append('x');
    return State::kWaiting;
  }
};

TEST(MemoryServerTest, WhatSourcesOfAnswersHoldCounts) {
  HttpLimits limits;
  limits.memory_bytes = 4 << 20;
  TestServer server(
      [&](HttpRequest request, Responder responder) {
        if (request.path == "/") return Echo(std::move(request), std::move(responder));
        HttpResponse response;
        response.source = std::make_unique<HoldingSource>();
        std::move(responder).Respond(std::move(response));
      },
      limits);
  Http2Client one(server.address()), other(server.address());
  const int32_t stream = one.Ask("GET", "/held");
  one.WaitForBody(stream, 1);
  EXPECT_EQ(other.Wait(other.Ask("GET", "/")).headers[":status"], "200");
  RawClient two(server.address());
  ASSERT_TRUE(two.Send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n"));
  two.ReceiveUntil("x");
  EXPECT_EQ(other.Wait(other.Ask("GET", "/")).error, uint32_t{NGHTTP2_REFUSED_STREAM});
  one.Reset(stream);
  EXPECT_TRUE(server.Becomes(
      [&] { return other.Wait(other.Ask("GET", "/")).headers[":status"] == "200"; }));
}

TEST(MemoryServerTest, BodiesBeyondTheShareOfAConnectionComeInOneAfterAnother) {
  HttpLimits limits;
  limits.connection_memory_bytes = 400'000;
  TestServer server(Echo, limits);
  Http2Client client(server.address());
  const std::string body(1'000'000, 'x');
  // All at a time they would come to a share of less than their own length each.
  std::vector<int32_t> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(client.Ask("POST", "/", {}, body));
  for (const int32_t id : ids) {
    auto& answer = client.Wait(id);
    EXPECT_EQ(answer.headers[":status"], "200");
    EXPECT_EQ(answer.body.size(), body.size() + 9);
  }
}

TEST(MemoryServerTest, PingsDoNotKeepAClientThatTakesNothing) {
  std::atomic<size_t> given = 0;
  TestServer server(TestServer::WithManualClock{}, [&](HttpRequest, Responder responder) {
    HttpResponse response;
    response.source = std::make_unique<EndlessSource>(&given);
    std::move(responder).Respond(std::move(response));
  });
  RawClient client(server.address());
  client.Send(FirstFrames() +
              Http2Frame(NGHTTP2_HEADERS, kWhole, 1, std::string("\x82") + PostHead().substr(1)));
  // The stream ends, or the connection with it when nothing was sent since the last of DATA.
  const std::string reset = Http2Frame(NGHTTP2_RST_STREAM, 0, 1, std::string("\0\0\0\x08", 4));
  bool has_ended = false;
  for (int i = 0; i < 8 && !has_ended; ++i) {
    const std::string data = "ping" + std::to_string(1000 + i);
    client.Send(Http2Frame(NGHTTP2_PING, 0, 0, data));
    const std::string answer = Http2Frame(NGHTTP2_PING, NGHTTP2_FLAG_ACK, 0, data);
    const std::string heard = client.ReceiveUntil(answer);
    has_ended = !heard.ends_with(answer) || heard.find(reset) != std::string::npos;
    server.Advance(limits::kHttpWriteTimeout / 5);
  }
  EXPECT_TRUE(has_ended);
}

TEST(MemoryServerTest, AStreamThatIsNotTakenEndsThoughOthersGoOn) {
  TestServer server(TestServer::WithManualClock{}, [&](HttpRequest request, Responder responder) {
    if (request.method == "POST") return Echo(std::move(request), std::move(responder));
    std::move(responder).Respond(TextResponse(std::string(100'000, 'x')));
  });
  RawClient client(server.address());
  // A window for the connection, but none for the stream beyond the first 64 KB.
  client.Send(FirstFrames() +
              Http2Frame(NGHTTP2_WINDOW_UPDATE, 0, 0, std::string("\0\x10\0\0", 4)) +
              Http2Frame(NGHTTP2_HEADERS, kWhole, 1, std::string("\x82") + PostHead().substr(1)));
  const std::string reset = Http2Frame(NGHTTP2_RST_STREAM, 0, 1, std::string("\0\0\0\x08", 4));
  std::string heard;
  for (uint32_t i = 0; i < 8 && heard.find(reset) == std::string::npos; ++i) {
    client.Send(Http2Frame(NGHTTP2_HEADERS, kWhole, 3 + 2 * i, PostHead()));
    const std::string answer = "POST / []";
    heard += client.ReceiveUntil(answer);
    server.Advance(limits::kHttpWriteTimeout / 4);
  }
  EXPECT_NE(heard.find(reset), std::string::npos);
}

TEST(MemoryServerTest, ABodyThatIsNotReadEndsAtItsTime) {
  HttpLimits limits;
  limits.body_timeout = std::chrono::milliseconds(200);
  HeadHandler handler([](HttpRequest, Responder responder, bool) {
    auto kept = std::make_shared<Responder>(std::move(responder));
    kept->ReadBody([kept](RequestBody) { ADD_FAILURE(); });
  });
  TestServer server(handler, limits);
  RawClient http1(server.address());
  ASSERT_TRUE(http1.Send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc"));
  EXPECT_TRUE(http1.ReceiveAll().starts_with("HTTP/1.1 408 "));
  RawClient http2(server.address());
  http2.Send(FirstFrames() + Http2Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 1, PostHead()));
  const std::string reset = Http2Frame(NGHTTP2_RST_STREAM, 0, 1, std::string("\0\0\0\x08", 4));
  EXPECT_TRUE(http2.ReceiveUntil(reset).ends_with(reset));
  EXPECT_TRUE(server.Becomes([&] { return server->figures().requests_in_flight == 0; }));
}

}  // namespace
}  // namespace skiff::net
