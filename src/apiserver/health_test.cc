#include "apiserver/health.h"

#include <memory>
#include <optional>

#include <gtest/gtest.h>

namespace skiff {
namespace {

class Kept final : public Responder::Sink {
 public:
  void Respond(HttpResponse response) override { answer = std::move(response); }
  bool gone() const override { return false; }
  void Post(std::move_only_function<void()> task) override { task(); }
  std::optional<HttpResponse> answer;
};

int CodeOf(const Health& health, const std::string& path) {
  auto client = std::make_shared<Kept>();
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

}  // namespace
}  // namespace skiff
