#include "apiserver/convert/object_converter.h"

#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "object/json/decode.h"
#include "object/json/encode.h"

namespace skiff::apiserver {
namespace {

const object::GroupVersionDesc kV2{.path = "example.com/v2",
                                   .group = "example.com",
                                   .version = "v2",
                                   .api_version = "example.com/v2",
                                   .messages = {}};

object::Document Thing(const std::string& name) {
  auto read = object::DecodeJson(
      R"({"apiVersion":"example.com/v1","kind":"ConfigMap","metadata":{"name":")" + name + R"("}})",
      nullptr);
  EXPECT_TRUE(read);
  return std::move(*read);
}

// Says that everything is in the version that is wanted.
class FakeConverter final : public ObjectConverter {
 public:
  void Convert(Objects objects, const object::MessageDesc& to, Memory, Post, Done done) override {
    ++calls;
    converted += objects.size();
    if (fault) return done(std::unexpected(*fault));
    for (SharedBytes& each : objects) {
      auto object = object::DecodeJson(each.view(), nullptr);
      object->root().Set(object->arena(), "apiVersion",
                         object::Value::String(to.group_version->api_version));
      each = SharedBytes(object::EncodeJson(object->root()));
    }
    done(std::move(objects));
  }

  size_t calls = 0;
  size_t converted = 0;
  std::optional<Status> fault;
};

class RememberedConversionsTest : public ::testing::Test {
 protected:
  Result<void> Fetch() {
    std::optional<Result<void>> fetched;
    Detach<Result<void>>(conversions_.Fetch(),
                         [&](Result<void> result) { fetched.emplace(std::move(result)); });
    EXPECT_TRUE(fetched);
    return *fetched;
  }

  const object::MessageDesc* const v1_ = object::FindKind("v1", "ConfigMap");
  FakeConverter converter_;
  RememberedConversions conversions_{converter_, nullptr};
};

TEST_F(RememberedConversionsTest, WhatIsWantedIsKnownOnceItWasFetched) {
  EXPECT_FALSE(conversions_.Convert(Thing("a"), v1_));
  EXPECT_FALSE(conversions_.Convert(Thing("b"), v1_));
  EXPECT_FALSE(conversions_.Convert(Thing("a"), v1_));
  EXPECT_TRUE(conversions_.wants());
  ASSERT_TRUE(Fetch());
  EXPECT_FALSE(conversions_.wants());
  // All at once, and each once.
  EXPECT_EQ(converter_.calls, 1U);
  EXPECT_EQ(converter_.converted, 2U);
  const auto made = conversions_.Convert(Thing("b"), v1_);
  ASSERT_TRUE(made);
  EXPECT_EQ(object::EncodeJson(made->root()),
            R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"b"}})");
  EXPECT_FALSE(conversions_.wants());
}

TEST_F(RememberedConversionsTest, AFaultEndsTheWaitForIt) {
  converter_.fault = Status(StatusReason::kUnknown, "nobody answers");
  EXPECT_FALSE(conversions_.Convert(Thing("a"), v1_));
  const Result<void> fetched = Fetch();
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().message(), "nobody answers");
  EXPECT_FALSE(conversions_.wants());
}

TEST(ObjectConverterTest, AnObjectSaysInWhichVersionItIs) {
  object::MessageDesc v2{};
  v2.group_version = &kV2;
  EXPECT_TRUE(IsInVersion(R"({"apiVersion":"example.com/v2","kind":"Thing"})", v2));
  EXPECT_FALSE(IsInVersion(R"({"apiVersion":"example.com/v1","kind":"Thing"})", v2));
  EXPECT_FALSE(IsInVersion("no JSON", v2));
}

}  // namespace
}  // namespace skiff::apiserver
