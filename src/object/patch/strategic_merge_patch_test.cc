// What strategic merge patches may cost; what they do is in tests/golden/patch/strategic.
#include "object/patch/strategic_merge_patch.h"

#include <string>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "object/json/decode.h"
#include "object/json/encode.h"

namespace skiff::object {
namespace {

Document Decode(const std::string& text) {
  auto decoded = DecodeJson(text, nullptr);
  EXPECT_TRUE(decoded.has_value()) << decoded.error().ToString();
  return decoded.has_value() ? std::move(*decoded) : Document();
}

// [{"name":"n0"},…] without the brackets.
std::string Named(size_t from, size_t count) {
  std::string text;
  for (size_t i = from; i < from + count; ++i) {
    text += (i == from ? R"({"name":"n)" : R"(,{"name":"n)") + std::to_string(i) + "\"}";
  }
  return text;
}

class StrategicMergePatchTest : public testing::Test {
 protected:
  const MessageDesc* const pod_ = FindKind("v1", "Pod");
};

TEST_F(StrategicMergePatchTest, LongListsMergeWithoutPairwiseComparison) {
  constexpr size_t kItems = 50'000;
  Document document = Decode(R"({"spec":{"containers":[)" + Named(0, kItems) + "]}}");
  const Document patch = Decode(R"({"spec":{"$setElementOrder/containers":[)" + Named(0, kItems) +
                                R"(],"containers":[)" + Named(kItems / 2, kItems / 2) + "]}}");
  ASSERT_TRUE(ApplyStrategicMergePatch(patch.root(), pod_, document).has_value());
  EXPECT_EQ(EncodeJson(document.root()), R"({"spec":{"containers":[)" + Named(0, kItems) + "]}}");
}

TEST_F(StrategicMergePatchTest, ListsInAnyOrderMergeItemByItem) {
  constexpr size_t kItems = 10'000;
  // The patch and its order are the live list backwards.
  std::string changes, order, expected;
  for (size_t i = kItems; i-- > 0;) {
    const char* const comma = i == kItems - 1 ? "" : ",";
    order += comma + Named(i, 1);
    changes += comma + (R"({"name":"n)" + std::to_string(i) + R"(","image":"i"})");
    expected += comma + (R"({"image":"i","name":"n)" + std::to_string(i) + "\"}");
  }
  Document document = Decode(R"({"spec":{"containers":[)" + Named(0, kItems) + "]}}");
  const Document patch = Decode(R"({"spec":{"$setElementOrder/containers":[)" + order +
                                R"(],"containers":[)" + changes + "]}}");
  const auto merged = ApplyStrategicMergePatch(patch.root(), pod_, document);
  ASSERT_TRUE(merged.has_value()) << merged.error().ToString();
  EXPECT_EQ(EncodeJson(document.root()), R"({"spec":{"containers":[)" + expected + "]}}");
}

TEST_F(StrategicMergePatchTest, ManyDeletionsAreOnePass) {
  constexpr size_t kItems = 30'000;
  Document document = Decode(R"({"spec":{"containers":[)" + Named(0, kItems) + "]}}");
  std::string deletions;
  for (size_t i = 1; i < kItems; ++i) {
    deletions += (i == 1 ? R"({"$patch":"delete","name":"n)" : R"(,{"$patch":"delete","name":"n)") +
                 std::to_string(i) + "\"}";
  }
  const Document patch = Decode(R"({"spec":{"containers":[)" + deletions + "]}}");
  ASSERT_TRUE(ApplyStrategicMergePatch(patch.root(), pod_, document).has_value());
  EXPECT_EQ(EncodeJson(document.root()), R"({"spec":{"containers":[{"name":"n0"}]}})");
}

TEST_F(StrategicMergePatchTest, ManyOrdersInOneMapAreChecked) {
  std::string orders;
  for (int i = 0; i < 50'000; ++i) {
    orders +=
        (i == 0 ? "\"$setElementOrder/f" : ",\"$setElementOrder/f") + std::to_string(i) + "\":[]";
  }
  Document document = Decode("{}");
  const Document patch = Decode("{" + orders + "}");
  const auto applied = ApplyStrategicMergePatch(patch.root(), pod_, document);
  ASSERT_FALSE(applied.has_value());
  EXPECT_NE(applied.error().message().find("unable to find api field in struct Pod"),
            std::string::npos);
}

TEST_F(StrategicMergePatchTest, LongValuesAreCutInMessages) {
  Document document = Decode(R"({"spec":{"containers":[{"name":"a"}]}})");
  const Document patch =
      Decode(R"({"spec":{"containers":[{"image":")" + std::string(1'000'000, 'x') + R"("}]}})");
  const auto applied = ApplyStrategicMergePatch(patch.root(), pod_, document);
  ASSERT_FALSE(applied.has_value());
  EXPECT_NE(applied.error().message().find("does not contain declared merge key: name"),
            std::string::npos);
  EXPECT_LT(applied.error().message().size(), 5'000u);
}

TEST_F(StrategicMergePatchTest, MergesAsDeepAsValuesMayNest) {
  std::string open, close;
  for (int i = 0; i < limits::kMaxDepth - 1; ++i) {
    open += R"({"a":)";
    close += "}";
  }
  Document document = Decode(open + R"({"x":1})" + close);
  const Document patch = Decode(open + R"({"y":2})" + close);
  const auto applied = ApplyStrategicMergePatch(patch.root(), nullptr, document);
  ASSERT_TRUE(applied.has_value()) << applied.error().ToString();
  EXPECT_EQ(EncodeJson(document.root()), open + R"({"x":1,"y":2})" + close);
}

TEST_F(StrategicMergePatchTest, NothingInTheResultPointsIntoThePatch) {
  Document document = Decode(R"({"metadata":{"finalizers":["a finalizer that is long"]},)"
                             R"("spec":{"containers":[{"name":"a"}]}})");
  {
    const Document patch = Decode(
        R"({"metadata":{"finalizers":["another one that is long"],"labels":{"a label":"long"}},)"
        R"("spec":{"containers":[{"name":"b","image":"example.com/an/image:1"},)"
        R"({"name":"a","tty":true}],)"
        R"("nodeSelector":{"$patch":"replace","x":"y"},"volumes":[{"name":"a new volume"}]}})");
    ASSERT_TRUE(ApplyStrategicMergePatch(patch.root(), pod_, document).has_value());
  }
  EXPECT_EQ(EncodeJson(document.root()),
            R"({"metadata":{"finalizers":["another one that is long","a finalizer that is long"],)"
            R"("labels":{"a label":"long"}},"spec":{"containers":)"
            R"([{"image":"example.com/an/image:1","name":"b"},{"name":"a","tty":true}],)"
            R"("volumes":[{"name":"a new volume"}]}})");
}

TEST_F(StrategicMergePatchTest, RefusesAResultThatNoRequestCouldCarry) {
  const std::string half(limits::kMaxDocumentBytes / 2, 'x');
  Document document = Decode(R"({"a":")" + half + R"("})");
  const Document patch = Decode(R"({"b":")" + half + R"("})");
  const auto applied = ApplyStrategicMergePatch(patch.root(), pod_, document);
  ASSERT_FALSE(applied.has_value());
  EXPECT_EQ(applied.error().code(), 413);
}

}  // namespace
}  // namespace skiff::object
