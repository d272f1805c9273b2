// Names that the server chooses, when chance has it that they are taken.
#include <atomic>

#include <gtest/gtest.h>

#include "apiserver/server_testing.h"

namespace skiff::apiserver {
namespace {

// Gives the same number again and again, as often as it is told.
class RepeatingRandom final : public Random {
 public:
  uint64_t Next() override { return repeats_-- > 0 ? 12345 : random_.Next(); }
  void Repeat(int64_t times) { repeats_ = times; }

 private:
  SystemRandom random_;
  std::atomic<int64_t> repeats_ = 0;
};

class GeneratedNamesTest : public ServerWithinTest {
 protected:
  Random& server_random() override { return repeating_; }
  // Before the numbers that it draws.
  void TearDown() override {
    admin_.reset();
    server_.reset();
  }

  Result<client::ObjectPtr> Create() {
    const client::ApiResource& config_maps = client::BuiltIn("", "v1", "configmaps");
    return Await(client().Create(
        config_maps,
        *client::ParseObject(config_maps,
                             R"({"metadata":{"generateName":"m-","namespace":"default"}})")));
  }

  RepeatingRandom repeating_;
};

// A name takes five numbers, and each try draws some for other ends.
constexpr int64_t kNumbersOfAName = 5;
constexpr int64_t kForEver = 1'000'000;

TEST_F(GeneratedNamesTest, AnotherIsChosenIfOneIsTaken) {
  repeating_.Repeat(kForEver);
  const Result<client::ObjectPtr> first = Create();
  ASSERT_TRUE(first) << first.error().ToString();
  repeating_.Repeat(2 * kNumbersOfAName);
  const Result<client::ObjectPtr> second = Create();
  ASSERT_TRUE(second) << second.error().ToString();
  EXPECT_NE(client::NameOf(**first).name, client::NameOf(**second).name);
  for (const Result<client::ObjectPtr>& each : {first, second}) {
    const Result<client::ObjectPtr> found =
        Await(client().Get(client::BuiltIn("", "v1", "configmaps"), client::NameOf(**each)));
    ASSERT_TRUE(found) << found.error().ToString();
    EXPECT_EQ(client::UidOf(**found), client::UidOf(**each));
  }
}

TEST_F(GeneratedNamesTest, AClientIsToldIfAllOfThemAreTaken) {
  repeating_.Repeat(kForEver);
  ASSERT_TRUE(Create());
  const Result<client::ObjectPtr> second = Create();
  repeating_.Repeat(0);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().reason(), StatusReason::kAlreadyExists);
  EXPECT_EQ(second.error().message(),
            "configmaps \"m-bbbbb\" already exists, the server was not able to generate a unique "
            "name for the object");
  EXPECT_EQ(second.error().retry_after_seconds(), 1);
}

}  // namespace
}  // namespace skiff::apiserver
