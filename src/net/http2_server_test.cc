#include <thread>

#include <gtest/gtest.h>

#include "net/testing_http2.h"

namespace skiff::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

FunctionHandler::Function Streaming(const std::shared_ptr<Feed>& feed) {
  return [feed](HttpRequest request, Responder responder) {
    if (request.path != "/stream") return Echo(std::move(request), std::move(responder));
    HttpResponse response;
    response.source = feed->MakeSource();
    std::move(responder).Respond(std::move(response));
  };
}

TEST(Http2ServerTest, ServesManyRequestsAtATime) {
  TestServer server([](HttpRequest request, Responder responder) {
    EXPECT_EQ(request.version, 20);
    EXPECT_EQ(request.headers.Get("host"), "a");
    EXPECT_TRUE(request.remote_address.starts_with("127.0.0.1:"));
    Echo(std::move(request), std::move(responder));
  });
  Http2Client client(server.address());
  std::vector<int32_t> ids;
  for (int i = 0; i < 50; ++i)
    ids.push_back(client.Ask(i % 2 == 0 ? "GET" : "POST", "/" + std::to_string(i) + "?q", {},
                             i % 2 == 0 ? "" : std::string(100'000, 'b')));
  for (int i = 0; i < 50; ++i) {
    const auto& answer = client.Wait(ids[i]);
    EXPECT_EQ(answer.headers.at(":status"), "200");
    EXPECT_TRUE(answer.headers.contains("date"));
    EXPECT_EQ(answer.headers.at("content-length"), std::to_string(answer.body.size()));
    const std::string body = i % 2 == 0 ? "" : std::string(100'000, 'b');
    EXPECT_EQ(answer.body,
              (i % 2 == 0 ? "GET /" : "POST /") + std::to_string(i) + "?q [" + body + "]");
  }
  EXPECT_EQ(server->figures().connections, 1);
  EXPECT_TRUE(server.Becomes([&] { return server->figures().requests_in_flight == 0; }));
}

TEST(Http2ServerTest, AnswersToHeadHaveALengthButNoBody) {
  TestServer server(Echo);
  Http2Client client(server.address());
  const auto& answer = client.Wait(client.Ask("HEAD", "/"));
  EXPECT_EQ(answer.headers.at("content-length"), "9");
  EXPECT_EQ(answer.body, "");
}

TEST(Http2ServerTest, StreamsAreSentAsTheyComeBesideOtherRequests) {
  auto feed = std::make_shared<Feed>();
  TestServer server(Streaming(feed));
  Http2Client client(server.address());
  const int32_t stream = client.Ask("GET", "/stream");
  feed->Add("one");
  client.WaitForBody(stream, 3);
  EXPECT_EQ(client.Wait(client.Ask("GET", "/other")).body, "GET /other []");
  feed->Add("two");
  client.WaitForBody(stream, 6);
  EXPECT_EQ(client.answers[stream].body, "onetwo");
  EXPECT_FALSE(client.answers[stream].closed);
  feed->End();
  EXPECT_EQ(client.Wait(stream).error, 0u);
  EXPECT_TRUE(feed->WaitUntilGone());
}

TEST(Http2ServerTest, LargeStreamsKeepTheirOrder) {
  auto feed = std::make_shared<Feed>();
  std::string expected;
  for (int i = 0; i < 300'000; ++i) expected += std::to_string(i) + "\n";
  TestServer server(Streaming(feed));
  Http2Client client(server.address());
  const int32_t stream = client.Ask("GET", "/stream");
  feed->Add(expected);
  feed->End();
  EXPECT_EQ(client.Wait(stream).body, expected);
}

TEST(Http2ServerTest, AStreamThatBreaksIsReset) {
  auto feed = std::make_shared<Feed>();
  TestServer server(Streaming(feed));
  Http2Client client(server.address());
  const int32_t stream = client.Ask("GET", "/stream");
  feed->Add("one");
  client.WaitForBody(stream, 3);
  feed->Break();
  EXPECT_EQ(client.Wait(stream).error, static_cast<uint32_t>(NGHTTP2_INTERNAL_ERROR));
  EXPECT_EQ(client.Wait(client.Ask("GET", "/")).body, "GET / []");
}

TEST(Http2ServerTest, AStreamThatTheClientResetsLosesItsSourceOnly) {
  auto feed = std::make_shared<Feed>();
  TestServer server(Streaming(feed));
  Http2Client client(server.address());
  const int32_t stream = client.Ask("GET", "/stream");
  feed->Add("one");
  client.WaitForBody(stream, 3);
  client.Reset(stream);
  EXPECT_TRUE(feed->WaitUntilGone());
  EXPECT_EQ(client.Wait(client.Ask("GET", "/")).body, "GET / []");
}

TEST(Http2ServerTest, AClosedWindowHoldsTheSourceBackAndThenEndsTheConnection) {
  std::atomic<size_t> given = 0;
  TestServer server(TestServer::WithManualClock{}, [&](HttpRequest request, Responder responder) {
    if (request.method == "HEAD") return Echo(std::move(request), std::move(responder));
    HttpResponse response;
    response.source = std::make_unique<EndlessSource>(&given);
    std::move(responder).Respond(std::move(response));
  });
  Http2Client client(server.address(), true);
  const int32_t stream = client.Ask("GET", "/");
  client.WaitForBody(stream, 65'535);
  EXPECT_EQ(client.answers[stream].body.size(), 65'535u);
  EXPECT_LE(given.load(), 65'535u + 64 * 1024);
  // An answer without a body needs no window. In the turn that sends it, the server notices that
  // it can send nothing else.
  EXPECT_EQ(client.Wait(client.Ask("HEAD", "/")).headers[":status"], "200");
  server.Advance(limits::kHttpWriteTimeout);
  client.WaitForEnd();
  EXPECT_EQ(client.answers[stream].body.size(), 65'535u);
}

// How often a client can take a little of the answer, after almost all of the time that it has for
// it, before the server resets the stream.
int SipsOf(TestServer& server, std::string_view path) {
  Http2Client client(server.address(), true);
  const int32_t stream = client.Ask("GET", std::string(path));
  client.WaitForBody(stream, 65'535);
  for (int sips = 0; sips < 100; ++sips) {
    server.Advance(limits::kHttpWriteTimeout - seconds(10));
    client.WidenWindow(stream, 10);
    const Http2Client::Answer& answer = client.answers[stream];
    const size_t enough = answer.body.size() + 10;
    while (!answer.closed && answer.body.size() < enough) {
      if (!client.Step()) return -1;
    }
    if (answer.closed) return sips;
  }
  return 100;
}

TEST(Http2ServerTest, WhoTakesAnAnswerInSipsIsNotServedForEver) {
  constexpr size_t kBodySeconds = 240;
  std::atomic<size_t> given = 0;
  TestServer server(TestServer::WithManualClock{}, [&](HttpRequest request, Responder responder) {
    HttpResponse response;
    if (request.path == "/endless") {
      // Its clock began at one second.
      response.source = std::make_unique<EndlessSource>(&given, seconds(3000));
    } else {
      response.body =
          SharedBytes(std::string(kBodySeconds * limits::kHttpAnswerBytesPerSecond, 'x'));
    }
    std::move(responder).Respond(std::move(response));
  });
  // 60 s and 240 s, at 50 s each.
  EXPECT_EQ(SipsOf(server, "/body"), 5);
  // From about 300 s on.
  EXPECT_EQ(SipsOf(server, "/endless"), 53);
}

TEST(Http2ServerTest, BodiesBeyondTheBoundAre413) {
  HttpLimits limits;
  limits.max_body_bytes = 1000;
  TestServer server(Echo, limits);
  Http2Client client(server.address());
  const int32_t said =
      client.Ask("POST", "/", {{"content-length", "1001"}}, std::string(1001, 'x'));
  EXPECT_EQ(client.Wait(said).headers[":status"], "413");
  const int32_t unsaid = client.Ask("POST", "/", {}, std::string(1001, 'x'));
  EXPECT_EQ(client.Wait(unsaid).headers[":status"], "413");
  const int32_t fits = client.Ask("POST", "/", {}, std::string(1000, 'x'));
  EXPECT_EQ(client.Wait(fits).headers[":status"], "200");
}

TEST(Http2ServerTest, HeadersBeyondTheBoundAre431AndBadPaths400) {
  HttpLimits limits;
  limits.max_header_bytes = 10'000;
  TestServer server(Echo, limits);
  Http2Client client(server.address());
  const int32_t large = client.Ask("GET", "/", {{"x", std::string(12'000, 'x')}});
  EXPECT_EQ(client.Wait(large).headers[":status"], "431");
  Http2Client::Fields many(1001, {"x", "y"});
  EXPECT_EQ(client.Wait(client.Ask("GET", "/", many)).headers[":status"], "431");
  EXPECT_EQ(client.Wait(client.Ask("GET", "/%zz")).headers[":status"], "400");
  EXPECT_EQ(client.Wait(client.Ask("GET", "/fine")).headers[":status"], "200");
}

TEST(Http2ServerTest, SaysContinueToWhoWaitsForIt) {
  TestServer server(Echo);
  Http2Client client(server.address());
  const int32_t id = client.Ask("POST", "/", {{"expect", "100-continue"}}, "hi");
  const auto& answer = client.Wait(id);
  EXPECT_EQ(answer.informational, 1);
  EXPECT_EQ(answer.body, "POST / [hi]");
}

TEST(Http2ServerTest, DrainSendsGoawayAndFinishesWhatIsUnderWay) {
  auto feed = std::make_shared<Feed>();
  TestServer server(Streaming(feed));
  Http2Client client(server.address());
  const int32_t stream = client.Ask("GET", "/stream");
  feed->Add("one");
  client.WaitForBody(stream, 3);
  std::thread drain([&] { server->Drain(seconds(kPatienceSeconds)); });
  while (client.goaway < 0 && client.Step()) {
  }
  EXPECT_EQ(client.goaway, NGHTTP2_NO_ERROR);
  feed->Add("two");
  feed->End();
  EXPECT_EQ(client.Wait(stream).body, "onetwo");
  client.WaitForEnd();
  drain.join();
}

TEST(Http2ServerTest, AnAnswerThatClosesSendsTheClientAway) {
  TestServer server([](HttpRequest, Responder responder) {
    HttpResponse response = TextResponse("bye");
    response.headers.Add("connection", "close");
    std::move(responder).Respond(std::move(response));
  });
  Http2Client client(server.address());
  EXPECT_EQ(client.Wait(client.Ask("GET", "/")).body, "bye");
  client.WaitForEnd();
  EXPECT_EQ(client.goaway, NGHTTP2_NO_ERROR);
}

TEST(Http2ServerTest, ResetAfterResetEndsTheConnection) {
  std::atomic<int> asked = 0;
  std::mutex mutex;
  std::vector<Responder> kept;
  SystemClock clock;
  const Duration began = clock.Monotonic();
  TestServer server([&](HttpRequest, Responder responder) {
    ++asked;
    std::lock_guard lock(mutex);
    kept.push_back(std::move(responder));
  });
  Http2Client client(server.address());
  for (int i = 0; i < 5000 && client.goaway < 0; ++i) {
    const int32_t id = client.Ask("GET", "/");
    if (id < 0) break;
    client.Reset(id);
  }
  client.WaitForEnd();
  EXPECT_EQ(client.goaway, NGHTTP2_ENHANCE_YOUR_CALM);
  // The longer it took, the more were allowed.
  const auto took = std::chrono::ceil<seconds>(clock.Monotonic() - began).count();
  EXPECT_LE(asked.load(), limits::kHttp2ResetBurst + took * limits::kHttp2ResetsPerSecond + 200);
  EXPECT_TRUE(server.Becomes([&] { return server->figures().connections == 0; }));
}

// Frames by hand: what no library would send.
std::string Preface() {
  return std::string(kHttp2Preface) + Http2Frame(NGHTTP2_SETTINGS, 0, 0, "");
}

// The error of the GOAWAY that the server ends with; -1 for none.
int64_t GoawayAfter(const std::string& bytes) {
  TestServer server(Echo);
  RawClient client(server.address());
  client.Send(Preface());
  client.Send(bytes);
  const std::string all = client.ReceiveAll();
  for (size_t at = 0; at + 9 <= all.size();) {
    const auto byte = [&](size_t i) { return static_cast<uint8_t>(all[at + i]); };
    const size_t length = byte(0) << 16 | byte(1) << 8 | byte(2);
    if (byte(3) == NGHTTP2_GOAWAY && at + 17 <= all.size())
      return byte(13) << 24 | byte(14) << 16 | byte(15) << 8 | byte(16);
    at += 9 + length;
  }
  return -1;
}

TEST(Http2ServerTest, FloodsOfFramesThatCostTheServerMoreThanTheClientAreEnded) {
  std::string pings, settings, priorities, empties, continuations;
  for (int i = 0; i < 5000; ++i) {
    pings += Http2Frame(NGHTTP2_PING, 0, 0, "12345678");
    settings += Http2Frame(NGHTTP2_SETTINGS, 0, 0, "");
    priorities += Http2Frame(NGHTTP2_PRIORITY, 0, 1001, std::string(5, '\0'));
    empties += Http2Frame(NGHTTP2_DATA, 0, 1, "");
  }
  const std::string head(
      "\x83\x86\x84\x41\x01"
      "a",
      6);  // POST, http, "/", authority a
  EXPECT_EQ(GoawayAfter(pings), NGHTTP2_ENHANCE_YOUR_CALM);
  EXPECT_EQ(GoawayAfter(settings), NGHTTP2_ENHANCE_YOUR_CALM);
  EXPECT_EQ(GoawayAfter(priorities), NGHTTP2_ENHANCE_YOUR_CALM);
  EXPECT_EQ(GoawayAfter(Http2Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 1, head) + empties),
            NGHTTP2_ENHANCE_YOUR_CALM);
  for (int i = 0; i < 100; ++i) continuations += Http2Frame(NGHTTP2_CONTINUATION, 0, 1, "");
  EXPECT_NE(GoawayAfter(Http2Frame(NGHTTP2_HEADERS, 0, 1, head) + continuations), NGHTTP2_NO_ERROR);
}

TEST(Http2ServerTest, WhoMakesTheServerResetItsRequestsIsEndedToo) {
  const std::string head(
      "\x82\x86\x84\x41\x01"
      "a",
      6);  // GET, http, "/", authority a
  const std::string with_connection = head + std::string(
                                                 "\0\x0a"
                                                 "connection\x05"
                                                 "close",
                                                 18);
  std::string improper, windows;
  for (uint32_t id = 1; id < 8000; id += 2) {
    const uint8_t whole = NGHTTP2_FLAG_END_HEADERS | NGHTTP2_FLAG_END_STREAM;
    improper += Http2Frame(NGHTTP2_HEADERS, whole, id, with_connection);
    windows += Http2Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, id, head);
    windows += Http2Frame(NGHTTP2_WINDOW_UPDATE, 0, id, "\x7f\xff\xff\xff");
  }
  EXPECT_EQ(GoawayAfter(improper), NGHTTP2_ENHANCE_YOUR_CALM);
  EXPECT_EQ(GoawayAfter(windows), NGHTTP2_ENHANCE_YOUR_CALM);
}

TEST(Http2ServerTest, FewBytesThatStandForManyHeadersEndTheConnection) {
  // One field of 4,000 bytes goes into the table; then one byte repeats it, 16,000 times a frame.
  std::string head(
      "\x83\x86\x84\x41\x01"
      "a",
      6);
  head +=
      std::string("\x40\x01x", 3) + "\x7f" + std::string("\xa1\x1e", 2) + std::string(4000, 'y');
  std::string bomb = Http2Frame(NGHTTP2_HEADERS, 0, 1, head);
  for (int i = 0; i < 10; ++i)
    bomb += Http2Frame(NGHTTP2_CONTINUATION, 0, 1, std::string(16'000, '\xbe'));
  EXPECT_EQ(GoawayAfter(bomb), NGHTTP2_ENHANCE_YOUR_CALM);
}

TEST(Http2ServerTest, NonsenseEndsTheConnection) {
  TestServer server(Echo);
  RawClient client(server.address());
  client.Send(std::string(kHttp2Preface) + std::string(100, '\xff'));
  client.ReceiveAll();
  EXPECT_TRUE(server.Becomes([&] { return server->figures().connections == 0; }));
}

TEST(Http2ServerTest, RequestsThatDoNotEndAndIdleConnectionsAreEnded) {
  TestServer server(TestServer::WithManualClock{}, Echo);
  RawClient client(server.address());
  client.Send(Preface() + Http2Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 1,
                                     std::string("\x83\x86\x84\x41\x01"
                                                 "a",
                                                 6)));
  client.ReceiveUntil(Http2Frame(NGHTTP2_SETTINGS, NGHTTP2_FLAG_ACK, 0, ""));
  server.Advance(limits::kHttpBodyTimeout);
  const std::string reset = Http2Frame(NGHTTP2_RST_STREAM, 0, 1, std::string("\0\0\0\x08", 4));
  EXPECT_TRUE(client.ReceiveUntil(reset).ends_with(reset));
  server.Advance(limits::kHttpIdleTimeout);
  const std::string goaway = Http2Frame(NGHTTP2_GOAWAY, 0, 0, std::string("\0\0\0\1\0\0\0\0", 8));
  EXPECT_TRUE(client.ReceiveAll().ends_with(goaway));
}

TEST(Http2ServerTest, NoMoreStreamsAtATimeThanAllowed) {
  HttpLimits limits;
  limits.max_streams = 3;
  std::mutex mutex;
  std::vector<Responder> kept;
  TestServer server(
      [&](HttpRequest, Responder responder) {
        std::lock_guard lock(mutex);
        kept.push_back(std::move(responder));
      },
      limits);
  RawClient client(server.address());
  client.Send(Preface());
  for (uint32_t id = 1; id < 20; id += 2)
    client.Send(Http2Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS | NGHTTP2_FLAG_END_STREAM, id,
                           std::string("\x82\x86\x84\x41\x01"
                                       "a",
                                       6)));
  ASSERT_TRUE(server.Becomes([&] {
    std::lock_guard lock(mutex);
    return kept.size() >= 3;
  }));
  client.ReceiveUntil(Http2Frame(NGHTTP2_RST_STREAM, 0, 19, std::string("\0\0\0\x07", 4)));
  EXPECT_EQ(server->figures().requests_in_flight, 3);
}

TEST(Http2ServerTest, ManySourcesThatGiveLittleAndTakeLongLetOthersHaveTheirTurn) {
  SlowBodyServer server;
  Http2Client client(server.address());
  std::vector<int32_t> ids;
  for (int i = 0; i < 20; ++i) ids.push_back(client.Ask("GET", "/"));
  for (const int32_t id : ids) EXPECT_EQ(client.Wait(id).body, SlowBodyServer::Body());
  EXPECT_LE(server.longest(), 2);
}

}  // namespace
}  // namespace skiff::net
