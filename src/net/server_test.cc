#include "net/server.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "net/gzip.h"
#include "net/testing.h"

namespace skiff::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kGet = "GET /x?y=1 HTTP/1.1\r\nHost: a\r\n\r\n";

TEST(ServerTest, ServesRequestsOnOneConnectionOneAfterAnother) {
  TestServer server(Echo);
  RawClient client(server.address());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client.Send(kGet));
    auto [head, body] = client.ReceiveAnswer();
    EXPECT_TRUE(head.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n"));
    EXPECT_NE(head.find("\r\nDate: "), std::string::npos);
    EXPECT_EQ(head.find("Connection"), std::string::npos);
    EXPECT_EQ(body, "GET /x?y=1 []");
  }
  EXPECT_EQ(server->figures().requests, 3);
  EXPECT_EQ(server->figures().connections, 1);
  EXPECT_EQ(server->figures().requests_in_flight, 0);
}

TEST(ServerTest, AnswersAPipelineInOrderThoughLaterAnswersAreReadyFirst) {
  std::mutex mutex;
  std::vector<std::pair<std::string, Responder>> waiting;
  TestServer server([&](HttpRequest request, Responder responder) {
    if (request.path != "/slow") return Echo(std::move(request), std::move(responder));
    std::lock_guard lock(mutex);
    waiting.emplace_back(request.path, std::move(responder));
  });
  RawClient client(server.address());
  std::string many = "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n";
  for (int i = 0; i < 500; ++i)
    many += "POST /" + std::to_string(i) + " HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi";
  ASSERT_TRUE(client.Send(many));
  ASSERT_TRUE(server.Becomes([&] {
    std::lock_guard lock(mutex);
    return !waiting.empty();
  }));
  {
    std::lock_guard lock(mutex);
    std::move(waiting.front().second).Respond(TextResponse("slow"));
  }
  EXPECT_EQ(client.ReceiveAnswer().second, "slow");
  for (int i = 0; i < 500; ++i)
    ASSERT_EQ(client.ReceiveAnswer().second, "POST /" + std::to_string(i) + " [hi]");
}

TEST(ServerTest, ServesAPipelineWhoseClientHasEndedItsSide) {
  TestServer server(Echo);
  RawClient client(server.address());
  ASSERT_TRUE(client.Send(std::string(kGet) + std::string(kGet) + "GET /incomplete"));
  client.EndOutput();
  const std::string all = client.ReceiveAll();
  EXPECT_NE(all.find("GET /x?y=1 []HTTP/1.1 200 OK"), std::string::npos);
  EXPECT_TRUE(all.ends_with("GET /x?y=1 []"));
}

TEST(ServerTest, JoinsChunkedBodies) {
  TestServer server(Echo);
  RawClient client(server.address());
  ASSERT_TRUE(
      client.Send("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"));
  ASSERT_TRUE(client.Send("lo\r\n6\r\n world\r\n0\r\n\r\n"));
  EXPECT_EQ(client.ReceiveAnswer().second, "PUT / [hello world]");
}

TEST(ServerTest, SaysContinueToWhoWaitsForIt) {
  TestServer server(Echo);
  RawClient client(server.address());
  ASSERT_TRUE(client.Send(
      "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"));
  EXPECT_EQ(client.ReceiveUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  ASSERT_TRUE(client.Send("hi"));
  EXPECT_EQ(client.ReceiveAnswer().second, "POST / [hi]");
}

TEST(ServerTest, AnswersToHeadHaveALengthButNoBody) {
  TestServer server(Echo);
  RawClient client(server.address());
  ASSERT_TRUE(client.Send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"));
  EXPECT_NE(client.ReceiveUntil("\r\n\r\n").find("Content-Length: 9\r\n"), std::string::npos);
  ASSERT_TRUE(client.Send(kGet));
  EXPECT_EQ(client.ReceiveAnswer().second, "GET /x?y=1 []");
}

TEST(ServerTest, CodesWithoutABodyHaveNone) {
  TestServer server([](HttpRequest request, Responder responder) {
    std::move(responder).Respond(TextResponse("body", request.path == "/204" ? 204 : 304));
  });
  RawClient client(server.address());
  for (const char* path : {"/204", "/304"}) {
    ASSERT_TRUE(client.Send("GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n\r\n"));
    const std::string head = client.ReceiveUntil("\r\n\r\n");
    EXPECT_TRUE(head.starts_with("HTTP/1.1 " + std::string(path + 1)));
    EXPECT_EQ(head.find("Content-Length"), std::string::npos);
  }
}

TEST(ServerTest, SpeaksHttp10) {
  TestServer server(Echo);
  RawClient closing(server.address());
  ASSERT_TRUE(closing.Send("GET / HTTP/1.0\r\n\r\n"));
  const std::string all = closing.ReceiveAll();
  EXPECT_TRUE(all.starts_with("HTTP/1.0 200 OK\r\n"));
  EXPECT_NE(all.find("Connection: close\r\n"), std::string::npos);
  RawClient keeping(server.address());
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(keeping.Send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
    EXPECT_NE(keeping.ReceiveAnswer().first.find("Connection: keep-alive"), std::string::npos);
  }
}

TEST(ServerTest, StreamsOfHttp10EndWithTheConnection) {
  auto feed = std::make_shared<Feed>();
  TestServer server([&](HttpRequest, Responder responder) {
    HttpResponse response;
    response.source = feed->MakeSource();
    std::move(responder).Respond(std::move(response));
  });
  RawClient client(server.address());
  ASSERT_TRUE(client.Send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
  feed->Add("hello");
  feed->End();
  EXPECT_TRUE(client.ReceiveAll().ends_with("Connection: close\r\n\r\nhello"));
}

TEST(ServerTest, StreamsAreSentAsTheyCome) {
  auto feed = std::make_shared<Feed>();
  TestServer server([&](HttpRequest, Responder responder) {
    HttpResponse response;
    response.source = feed->MakeSource();
    std::move(responder).Respond(std::move(response));
  });
  RawClient client(server.address());
  ASSERT_TRUE(client.Send(kGet));
  EXPECT_NE(client.ReceiveUntil("\r\n\r\n").find("Transfer-Encoding: chunked"), std::string::npos);
  feed->Add("one");
  EXPECT_EQ(client.ReceiveUntil("one\r\n"), "00000003\r\none\r\n");
  feed->Add("three");
  EXPECT_EQ(client.ReceiveUntil("three\r\n"), "00000005\r\nthree\r\n");
  feed->End();
  EXPECT_EQ(client.ReceiveUntil("\r\n\r\n"), "0\r\n\r\n");
  EXPECT_TRUE(feed->WaitUntilGone());
  feed->Add("after the end");  // wakes what has gone
  ASSERT_TRUE(client.Send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
}

TEST(ServerTest, ABrokenStreamDoesNotLookComplete) {
  auto feed = std::make_shared<Feed>();
  TestServer server([&](HttpRequest, Responder responder) {
    HttpResponse response;
    response.source = feed->MakeSource();
    std::move(responder).Respond(std::move(response));
  });
  RawClient client(server.address());
  ASSERT_TRUE(client.Send(kGet));
  feed->Add("one");
  client.ReceiveUntil("one\r\n");
  feed->Break();
  EXPECT_EQ(client.ReceiveAll(), "");
  EXPECT_TRUE(feed->WaitUntilGone());
}

TEST(ServerTest, ASourceGoesWhenItsClientGoes) {
  auto feed = std::make_shared<Feed>();
  TestServer server([&](HttpRequest, Responder responder) {
    HttpResponse response;
    response.source = feed->MakeSource();
    std::move(responder).Respond(std::move(response));
  });
  {
    RawClient client(server.address());
    ASSERT_TRUE(client.Send(kGet));
    client.ReceiveUntil("\r\n\r\n");
  }
  EXPECT_TRUE(feed->WaitUntilGone());
}

TEST(ServerTest, AResponderKnowsWhenItsClientHasGone) {
  Latch asked;
  std::optional<Responder> kept;
  TestServer server([&](HttpRequest, Responder responder) {
    kept.emplace(std::move(responder));
    asked.Open();
  });
  {
    RawClient client(server.address());
    ASSERT_TRUE(client.Send(kGet));
    ASSERT_TRUE(asked.Wait());
    EXPECT_FALSE(kept->gone());
  }
  EXPECT_TRUE(server.Becomes([&] { return kept->gone(); }));
  std::move(*kept).Respond(TextResponse("late"));
}

TEST(ServerTest, AnswersMayComeFromOtherThreadsAndAfterTheServer) {
  std::vector<std::thread> threads;
  std::optional<Responder> kept;
  {
    TestServer server([&](HttpRequest request, Responder responder) {
      if (request.path == "/keep") return void(kept.emplace(std::move(responder)));
      threads.emplace_back(
          [request = std::move(request), responder = std::move(responder)]() mutable {
            Echo(std::move(request), std::move(responder));
          });
    });
    RawClient client(server.address());
    for (int i = 0; i < 20; ++i) {
      ASSERT_TRUE(client.Send(kGet));
      EXPECT_EQ(client.ReceiveAnswer().second, "GET /x?y=1 []");
    }
    ASSERT_TRUE(client.Send("GET /keep HTTP/1.1\r\nHost: a\r\n\r\n"));
    ASSERT_TRUE(server.Becomes([&] { return server->figures().requests_in_flight == 1; }));
    for (std::thread& thread : threads) thread.join();
  }
  ASSERT_TRUE(kept.has_value());
  EXPECT_TRUE(kept->gone());
  std::move(*kept).Respond(TextResponse("too late"));
}

TEST(ServerTest, ARequestThatIsDroppedIsAnsweredWith500) {
  TestServer server([](HttpRequest, Responder) {});
  RawClient client(server.address());
  ASSERT_TRUE(client.Send(kGet));
  EXPECT_TRUE(client.ReceiveAnswer().first.starts_with("HTTP/1.1 500 Internal Server Error\r\n"));
}

TEST(ServerTest, RefusesWhatItCannotReadAndCloses) {
  TestServer server(Echo);
  for (const char* text :
       {"nonsense\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n"
        "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    RawClient client(server.address());
    ASSERT_TRUE(client.Send(text));
    const std::string all = client.ReceiveAll();
    EXPECT_TRUE(all.starts_with("HTTP/1.1 400 Bad Request\r\n")) << all;
    EXPECT_NE(all.find("Connection: close"), std::string::npos);
    EXPECT_EQ(all.find("smuggled"), std::string::npos);
  }
}

TEST(ServerTest, BodiesBeyondTheBoundAre413) {
  HttpLimits limits;
  limits.max_body_bytes = 1000;
  TestServer server(Echo, limits);
  for (const char* head :
       {"Content-Length: 1001\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n3e9\r\n"}) {
    RawClient client(server.address());
    ASSERT_TRUE(client.Send("POST / HTTP/1.1\r\nHost: a\r\n" + std::string(head)));
    const std::string all = client.ReceiveAll();
    EXPECT_TRUE(all.starts_with("HTTP/1.1 413 Request Entity Too Large\r\n")) << all;
    EXPECT_NE(all.find("Connection: close"), std::string::npos);
  }
  RawClient client(server.address());
  ASSERT_TRUE(client.Send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n" +
                          std::string(1000, 'x')));
  EXPECT_TRUE(client.ReceiveAnswer().first.starts_with("HTTP/1.1 200 OK\r\n"));
}

TEST(ServerTest, HeadsBeyondTheBoundAre431) {
  TestServer server(Echo);
  RawClient client(server.address());
  ASSERT_TRUE(client.Send("GET / HTTP/1.1\r\nHost: a\r\nX: "));
  client.Send(std::string(limits::kMaxHttpHeaderBytes, 'x'));
  EXPECT_TRUE(client.ReceiveAll().starts_with("HTTP/1.1 431 Request Header Fields Too Large\r\n"));
}

TEST(ServerTest, AClientThatDoesNotReadIsNotProducedForAndThenCutOff) {
  HttpLimits limits;
  limits.write_timeout = milliseconds(200);
  std::atomic<size_t> given = 0;
  TestServer server(
      [&](HttpRequest, Responder responder) {
        HttpResponse response;
        response.source = std::make_unique<EndlessSource>(&given);
        std::move(responder).Respond(std::move(response));
      },
      limits);
  RawClient client(server.address(), 4096);
  ASSERT_TRUE(client.Send(kGet));
  // Before the server has accepted it, there is no connection either.
  EXPECT_TRUE(client.ReceiveUntil("\r\n\r\n").starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(server.Becomes([&] { return server->figures().connections == 0; }));
  EXPECT_LT(given.load(), 16u * 1024 * 1024);  // what the kernel buffers
}

// A client that reads a little whenever it has nearly been given up: more than the kernel holds, so
// that the server sees it.
void ExpectToEndAfter(seconds time, const std::function<HttpResponse()>& make_response) {
  HttpLimits limits;
  limits.answer_bytes_per_second = 250'000;
  TestServer server(
      [&](HttpRequest, Responder responder) { std::move(responder).Respond(make_response()); },
      limits, 1, std::nullopt, true);
  RawClient client(server.address(), 256 * 1024);
  ASSERT_TRUE(client.Send("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  const seconds pause(50);
  for (seconds passed(0); passed < time; passed += pause) {
    ASSERT_EQ(client.ReceiveBytes(6'000'000).size(), 6'000'000U) << passed.count();
    EXPECT_EQ(server->figures().requests_in_flight, 1);
    server.Advance(pause);
  }
  EXPECT_TRUE(server.Becomes([&] { return server->figures().requests_in_flight == 0; }));
}

TEST(ServerTest, WhoTakesAnAnswerInSipsIsNotServedForEver) {
  constexpr size_t kBodyBytes = 240 * 250'000;
  ExpectToEndAfter(seconds(300), [] {
    HttpResponse response;
    response.body = SharedBytes(std::string(kBodyBytes, 'x'));
    return response;
  });
  std::atomic<size_t> given = 0;
  ExpectToEndAfter(seconds(250), [&] {
    HttpResponse response;
    response.source = std::make_unique<EndlessSource>(&given, seconds(251));
    return response;
  });
}

// A source whose pieces are far larger than the room that it is given, as lists of large objects
// have them.
class LargePieces final : public BodySource {
 public:
  static constexpr size_t kPieces = 24, kPieceBytes = 1024 * 1024;

  Result<State> Read(ByteBuffer& out, size_t) override {
    out.Append(std::string(kPieceBytes, static_cast<char>('a' + given_)));
    return ++given_ == kPieces ? State::kEnd : State::kMore;
  }

 private:
  size_t given_ = 0;
};

TEST(ServerTest, LargePiecesReachAClientThatReadsSlowly) {
  TestServer server([](HttpRequest, Responder responder) {
    HttpResponse response;
    response.source = std::make_unique<LargePieces>();
    std::move(responder).Respond(std::move(response));
  });
  RawClient client(server.address(), 4096);
  ASSERT_TRUE(client.Send("GET / HTTP/1.0\r\nHost: a\r\n\r\n"));
  client.ReceiveUntil("\r\n\r\n");
  const std::string body = client.ReceiveAll();
  ASSERT_EQ(body.size(), LargePieces::kPieces * LargePieces::kPieceBytes);
  for (size_t i = 0; i < LargePieces::kPieces; ++i)
    EXPECT_EQ(body[(i + 1) * LargePieces::kPieceBytes - 1], static_cast<char>('a' + i));
}

TEST(ServerTest, SlowHeadsBodiesAndIdleConnectionsAreClosed) {
  TestServer server(TestServer::WithManualClock{}, Echo);
  RawClient silent(server.address()), head(server.address()), body(server.address()),
      idle(server.address());
  ASSERT_TRUE(head.Send("GET / HT"));
  ASSERT_TRUE(body.Send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nh"));
  ASSERT_TRUE(idle.Send(kGet));
  // Events come in the order of their causes: once this is answered, the others were read.
  EXPECT_EQ(idle.ReceiveAnswer().second, "GET /x?y=1 []");
  server.Advance(limits::kHttpHeaderTimeout);
  EXPECT_EQ(silent.ReceiveAll(), "");
  EXPECT_EQ(head.ReceiveAll(), "");
  server.Advance(limits::kHttpBodyTimeout - limits::kHttpHeaderTimeout);
  EXPECT_TRUE(body.ReceiveAll().starts_with("HTTP/1.1 408 Request Timeout\r\n"));
  ASSERT_TRUE(idle.Send(kGet));
  EXPECT_EQ(idle.ReceiveAnswer().second, "GET /x?y=1 []");
  server.Advance(limits::kHttpIdleTimeout);
  EXPECT_EQ(idle.ReceiveAll(), "");
}

TEST(ServerTest, DrainFinishesWhatIsUnderWayAndClosesWhatIsIdle) {
  Latch asked;
  std::optional<Responder> kept;
  auto feed = std::make_shared<Feed>();
  TestServer server([&](HttpRequest request, Responder responder) {
    if (request.path == "/stream") {
      HttpResponse response;
      response.source = feed->MakeSource();
      return std::move(responder).Respond(std::move(response));
    }
    kept.emplace(std::move(responder));
    asked.Open();
  });
  RawClient idle(server.address()), busy(server.address()), stream(server.address());
  ASSERT_TRUE(stream.Send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n"));
  stream.ReceiveUntil("\r\n\r\n");
  ASSERT_TRUE(busy.Send(kGet));
  ASSERT_TRUE(asked.Wait());
  ASSERT_TRUE(server.Becomes([&] { return server->figures().connections == 3; }));
  server->OnDrain([&] { feed->End(); });
  std::thread drain([&] { server->Drain(seconds(kPatienceSeconds)); });
  EXPECT_EQ(idle.ReceiveAll(), "");
  EXPECT_EQ(stream.ReceiveAll(), "0\r\n\r\n");
  EXPECT_FALSE(RawClient(server.address()).connected());
  std::move(*kept).Respond(TextResponse("done"));
  const std::string answer = busy.ReceiveAll();
  EXPECT_NE(answer.find("Connection: close\r\n"), std::string::npos);
  EXPECT_TRUE(answer.ends_with("done"));
  drain.join();
}

TEST(ServerTest, DrainGivesUpWhenTheTimeIsOver) {
  auto feed = std::make_shared<Feed>();
  TestServer server([&](HttpRequest, Responder responder) {
    HttpResponse response;
    response.source = feed->MakeSource();
    std::move(responder).Respond(std::move(response));
  });
  RawClient client(server.address());
  ASSERT_TRUE(client.Send(kGet));
  client.ReceiveUntil("\r\n\r\n");
  server->Drain(milliseconds(20));
  EXPECT_TRUE(feed->WaitUntilGone());
  EXPECT_EQ(client.ReceiveAll(), "");
}

TEST(ServerTest, AnAnswerThatClosesClosesTheConnection) {
  TestServer server([](HttpRequest, Responder responder) {
    HttpResponse response = TextResponse("bye");
    response.headers.Add("connection", "close");
    std::move(responder).Respond(std::move(response));
  });
  RawClient client(server.address());
  ASSERT_TRUE(client.Send(kGet));
  EXPECT_TRUE(client.ReceiveAll().ends_with("bye"));
}

TEST(ServerTest, FieldsThatWouldBreakTheHeadAreLeftOut) {
  TestServer server([](HttpRequest, Responder responder) {
    HttpResponse response = TextResponse("x");
    response.headers.Add("warning", "a\r\nSet-Cookie: evil");
    response.headers.Add("content-length", "999");
    response.headers.Add("audit-id", "1");
    std::move(responder).Respond(std::move(response));
  });
  RawClient client(server.address());
  ASSERT_TRUE(client.Send(kGet));
  auto [head, body] = client.ReceiveAnswer();
  EXPECT_EQ(head.find("evil"), std::string::npos);
  EXPECT_EQ(head.find("999"), std::string::npos);
  EXPECT_NE(head.find("Audit-Id: 1\r\n"), std::string::npos);
  EXPECT_EQ(body, "x");
}

TEST(ServerTest, ConnectionsBeyondTheBoundAreTurnedAway) {
  HttpLimits limits;
  limits.max_connections = 2;
  TestServer server(Echo, limits);
  RawClient a(server.address()), b(server.address());
  ASSERT_TRUE(server.Becomes([&] { return server->figures().connections == 2; }));
  RawClient c(server.address());
  EXPECT_EQ(c.ReceiveAll(), "");
  ASSERT_TRUE(a.Send(kGet));
  EXPECT_EQ(a.ReceiveAnswer().second, "GET /x?y=1 []");
}

TEST(ServerTest, ManyConnectionsOnManyLoops) {
  TestServer server(Echo, {}, 3);
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 300; ++i) clients.push_back(std::make_unique<RawClient>(server.address()));
  for (auto& client : clients) ASSERT_TRUE(client->Send(kGet));
  for (auto& client : clients) ASSERT_EQ(client->ReceiveAnswer().second, "GET /x?y=1 []");
  EXPECT_EQ(server->figures().connections, 300);
}

TEST(ServerTest, ABusyLoopKeepsNobodyOut) {
  Latch begun, done;
  TestServer server(
      [&](HttpRequest request, Responder responder) {
        if (request.path == "/busy") {
          begun.Open();
          EXPECT_TRUE(done.Wait());
        }
        Echo(std::move(request), std::move(responder));
      },
      {}, 2);
  RawClient busy(server.address());
  ASSERT_TRUE(busy.Send("GET /busy HTTP/1.1\r\nHost: a\r\n\r\n"));
  ASSERT_TRUE(begun.Wait());
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 8; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.address()));
    ASSERT_TRUE(clients.back()->Send(kGet));
    EXPECT_EQ(clients.back()->ReceiveAnswer().second, "GET /x?y=1 []");
  }
  done.Open();
  EXPECT_EQ(busy.ReceiveAnswer().second, "GET /busy []");
  EXPECT_EQ(server->figures().connections, 9);
  clients.clear();
  EXPECT_TRUE(server.Becomes([&] { return server->figures().connections == 1; }));
}

TEST(ServerTest, ListensOnIpv6AndOnAllAddresses) {
  FunctionHandler handler(Echo);
  SystemClock clock;
  HttpServerOptions options;
  options.handler = &handler;
  options.clock = &clock;
  options.addresses = {"0.0.0.0:0"};
  auto all = HttpServer::Start(options);
  ASSERT_TRUE(all) << all.error().message();
  const std::string address = (*all)->addresses().front();
  RawClient client("127.0.0.1" + address.substr(address.rfind(':')));
  ASSERT_TRUE(client.Send(kGet));
  EXPECT_EQ(client.ReceiveAnswer().second, "GET /x?y=1 []");
  for (const char* bad : {"localhost:1", "1.2.3.4", "1.2.3.4:99999", "[::1", "[::1]:x"}) {
    options.addresses = {bad};
    EXPECT_FALSE(HttpServer::Start(options)) << bad;
  }
  options.addresses = {"127.0.0.1" + address.substr(address.rfind(':'))};
  EXPECT_FALSE(HttpServer::Start(options));
}

TEST(ServerTest, OtherLoopsAcceptAndAnswerWhileOneIsStuck) {
  Latch stuck;
  Latch release;
  TestServer server(
      [&](HttpRequest request, Responder responder) {
        if (request.path == "/stuck") {
          stuck.Open();
          release.Wait();
        }
        Echo(std::move(request), std::move(responder));
      },
      {}, 2, std::nullopt, true);
  RawClient first(server.address());
  ASSERT_TRUE(first.Send("GET /stuck HTTP/1.1\r\nHost: x\r\n\r\n"));
  ASSERT_TRUE(stuck.Wait());
  server.Advance(limits::kLateLoop);
  for (int i = 0; i < 10; ++i) {
    RawClient other(server.address());
    ASSERT_TRUE(other.Send("GET /other HTTP/1.1\r\nHost: x\r\n\r\n"));
    EXPECT_EQ(other.ReceiveAnswer().second, "GET /other []");
  }
  release.Open();
  EXPECT_EQ(first.ReceiveAnswer().second, "GET /stuck []");
}

// Needs many reads before it gives anything.
class HesitantSource final : public BodySource {
 public:
  Result<State> Read(ByteBuffer& out, size_t) override {
    if (++reads_ % 10 != 0) return State::kMore;
    out.Append("piece ");
    return reads_ == 100 ? State::kEnd : State::kMore;
  }

 private:
  int reads_ = 0;
};

TEST(ServerTest, ASourceMayComeBackWithNothingAndIsAskedAgain) {
  TestServer server([](HttpRequest request, Responder responder) {
    HttpResponse response;
    response.source = std::make_unique<HesitantSource>();
    if (request.path == "/gzip") response.source = MakeGzipSource(std::move(response.source));
    std::move(responder).Respond(std::move(response));
  });
  const std::string whole = "piece piece piece piece piece piece piece piece piece piece ";
  for (const std::string path : {"/plain", "/gzip"}) {
    RawClient client(server.address());
    ASSERT_TRUE(client.Send("GET " + path + " HTTP/1.0\r\n\r\n"));
    std::string answer = client.ReceiveAll();
    answer.erase(0, answer.find("\r\n\r\n") + 4);
    if (path == "/gzip") answer = GunzipBytes(answer, 1000).value_or("not gzip");
    EXPECT_EQ(answer, whole);
  }
}

TEST(ServerTest, ASourceThatGivesLittleAndTakesLongLetsOthersHaveTheirTurn) {
  SlowBodyServer server;
  RawClient client(server.address());
  ASSERT_TRUE(client.Send("GET / HTTP/1.0\r\n\r\n"));
  EXPECT_TRUE(client.ReceiveAll().ends_with("\r\n\r\n" + SlowBodyServer::Body()));
  EXPECT_LE(server.longest(), 2);
}

}  // namespace
}  // namespace skiff::net
