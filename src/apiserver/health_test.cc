#include "apiserver/health.h"

#include <memory>

#include <gtest/gtest.h>

#include "net/testing_responder.h"

namespace skiff {
namespace {

int CodeOf(const Health& health, const std::string& path) {
  auto client = std::make_shared<KeptAnswer>();
  ApiRequest request{.http = {}, .responder = Responder(client)};
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

}  // namespace
}  // namespace skiff
