#include "serving/health.h"

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "base/log.h"
#include "net/loop_watchdog.h"
#include "net/testing.h"
#include "net/testing_responder.h"
#include "serving/request/respond.h"

namespace skiff::serving {
namespace {

int CodeOf(const Health& health, const std::string& path) {
  auto client = std::make_shared<net::RecordedResponse>();
  ApiRequest request{.http = {}, .responder = net::Responder(client)};
  request.info.path = path;
  EXPECT_TRUE(health.Answer(request));
  return client->answer ? client->answer->code : 0;
}

TEST(HealthTest, LivezForgivesAStartThatTakesLong) {
  ManualClock clock;
  Health health;
  health.Add({"hook", HealthCheck::kAll, [] { return std::string("not finished"); }});
  EXPECT_EQ(CodeOf(health, "/livez"), 500);
  health.SetLivezGrace(clock, clock.Monotonic() + std::chrono::seconds(10));
  EXPECT_EQ(CodeOf(health, "/livez"), 200);
  EXPECT_EQ(CodeOf(health, "/livez/hook"), 200);
  EXPECT_EQ(CodeOf(health, "/readyz"), 500);
  EXPECT_EQ(CodeOf(health, "/healthz"), 500);
  clock.Advance(std::chrono::seconds(11));
  EXPECT_EQ(CodeOf(health, "/livez"), 500);
}

TEST(HealthTest, OutcomesAreCountedWhenAllChecksAreAskedFor) {
  HealthMetrics metrics(5);
  Health health;
  health.SetMetrics(metrics);
  health.Add({"good", HealthCheck::kAll, [] { return std::string(); }});
  health.Add({"bad", HealthCheck::kReadyz, [] { return std::string("broken"); }});
  EXPECT_EQ(CodeOf(health, "/livez"), 200);
  EXPECT_EQ(CodeOf(health, "/readyz"), 500);
  EXPECT_EQ(CodeOf(health, "/readyz"), 500);
  const std::string text = metrics.Text();
  EXPECT_TRUE(text.contains("kubernetes_healthcheck{name=\"good\",type=\"livez\"} 1\n")) << text;
  EXPECT_TRUE(text.contains("kubernetes_healthcheck{name=\"bad\",type=\"readyz\"} 0\n")) << text;
  EXPECT_TRUE(text.contains(
      "kubernetes_healthchecks_total{name=\"bad\",status=\"error\",type=\"readyz\"} 2\n"))
      << text;
}

TEST(HealthTest, LivezFailsWhileALoopIsStuckAsAnotherLoopTells) {
  ManualClock clock;
  MemoryLogSink sink;
  Log log(clock, sink);
  net::LoopWatchdog watchdog(clock, log, nullptr);
  Health health;
  health.Add({"event-loops", HealthCheck::kAll, [&] { return watchdog.Fault(); }});
  net::Latch stuck;
  net::Latch release;
  net::FunctionHandler handler([&](net::HttpRequest http, net::Responder responder) {
    if (http.path == "/stuck") {
      stuck.Open();
      release.Wait();
    }
    ApiRequest request{.http = std::move(http), .responder = std::move(responder)};
    request.info.path = request.http.path;
    if (!health.Answer(request)) RespondText(request, 200, "no check");
  });
  net::HttpServerOptions options;
  options.addresses = {"127.0.0.1:0"};
  options.handler = &handler;
  options.clock = &clock;
  options.loops = 2;
  options.watchdog = &watchdog;
  auto server = net::HttpServer::Start(std::move(options));
  ASSERT_TRUE(server) << server.error().message();
  const std::string address = (*server)->addresses().front();
  const auto ask = [&](const std::string& path) {
    net::RawClient client(address);
    client.Send("GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    return client.ReceiveAll();
  };
  EXPECT_TRUE(ask("/livez").contains("200 OK"));
  net::RawClient waiting(address);
  ASSERT_TRUE(waiting.Send("GET /stuck HTTP/1.1\r\nHost: x\r\n\r\n"));
  ASSERT_TRUE(stuck.Wait());
  clock.Advance(limits::kStuckLoop);
  const std::string answer = ask("/livez");
  EXPECT_TRUE(answer.contains("500 Internal Server Error")) << answer;
  EXPECT_TRUE(answer.contains("[-]event-loops failed: reason withheld\n")) << answer;
  release.Open();
  EXPECT_EQ(waiting.ReceiveAnswer().second, "no check");
  // The turn that sent it is not over yet.
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  while (!watchdog.Fault().empty()) never.wait_for(lock, std::chrono::milliseconds(1));
  EXPECT_TRUE(ask("/livez").contains("200 OK"));
}

}  // namespace
}  // namespace skiff::serving
