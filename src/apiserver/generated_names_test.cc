// Names that the server chooses, when chance has it that they are taken.
#include <atomic>

#include <gtest/gtest.h>

#include "apiserver/server_testing.h"

namespace skiff {
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

  Result<ObjectPtr> Create() {
    const ApiResource& config_maps = BuiltIn("", "v1", "configmaps");
    return Await(client().Create(
        config_maps,
        *ParseObject(config_maps, R"({"metadata":{"generateName":"m-","namespace":"default"}})")));
  }

  RepeatingRandom repeating_;
};

// A name takes five numbers, and each try draws some for other ends.
constexpr int64_t kNumbersOfAName = 5;
constexpr int64_t kForEver = 1'000'000;

TEST_F(GeneratedNamesTest, AnotherIsChosenIfOneIsTaken) {
  repeating_.Repeat(kForEver);
  const Result<ObjectPtr> first = Create();
  ASSERT_TRUE(first) << first.error().ToString();
  repeating_.Repeat(2 * kNumbersOfAName);
  const Result<ObjectPtr> second = Create();
  ASSERT_TRUE(second) << second.error().ToString();
  EXPECT_NE(NameOf(**first).name, NameOf(**second).name);
  for (const Result<ObjectPtr>& each : {first, second}) {
    const Result<ObjectPtr> found =
        Await(client().Get(BuiltIn("", "v1", "configmaps"), NameOf(**each)));
    ASSERT_TRUE(found) << found.error().ToString();
    EXPECT_EQ(UidOf(**found), UidOf(**each));
  }
}

TEST_F(GeneratedNamesTest, AClientIsToldIfAllOfThemAreTaken) {
  repeating_.Repeat(kForEver);
  ASSERT_TRUE(Create());
  const Result<ObjectPtr> second = Create();
  repeating_.Repeat(0);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().reason(), StatusReason::kAlreadyExists);
  EXPECT_EQ(second.error().message(),
            "configmaps \"m-bbbbb\" already exists, the server was not able to generate a unique "
            "name for the object");
  EXPECT_EQ(second.error().retry_after_seconds(), 1);
}

}  // namespace
}  // namespace skiff
