// What merge patches may cost; what they do is in tests/golden/patch/merge.
#include "object/patch/merge_patch.h"

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

// {"k0":…,"k1":…}: `count` keys in an order that is not the sorted one.
std::string ManyKeys(size_t count, const std::string& value) {
  std::string text = "{";
  for (size_t i = 0; i < count; ++i) {
    text += (i == 0 ? "\"k" : ",\"k") + std::to_string(i * 7919 % count) + "\":" + value;
  }
  return text + "}";
}

TEST(MergePatchTest, ManyKeysMergeInLinearTime) {
  constexpr size_t kKeys = 200'000;
  Document document = Decode(R"({"data":)" + ManyKeys(kKeys / 2, "1") + "}");
  const Document patch = Decode(R"({"data":)" + ManyKeys(kKeys, "2") + "}");
  ASSERT_TRUE(ApplyMergePatch(patch.root(), document).has_value());
  EXPECT_EQ(EncodeJson(document.root()), EncodeJson(patch.root()));
}

TEST(MergePatchTest, MergesAsDeepAsValuesMayNest) {
  std::string open, close;
  for (int i = 0; i < limits::kMaxDepth - 1; ++i) {
    open += R"({"a":)";
    close += "}";
  }
  Document document = Decode(open + R"({"x":1})" + close);
  const Document patch = Decode(open + R"({"y":2})" + close);
  const auto applied = ApplyMergePatch(patch.root(), document);
  ASSERT_TRUE(applied.has_value()) << applied.error().ToString();
  EXPECT_EQ(EncodeJson(document.root()), open + R"({"x":1,"y":2})" + close);
}

TEST(MergePatchTest, RefusesAResultThatNoRequestCouldCarry) {
  const std::string half(limits::kMaxDocumentBytes / 2, 'x');
  Document document = Decode(R"({"a":")" + half + R"("})");
  const Document patch = Decode(R"({"b":")" + half + R"("})");
  const auto applied = ApplyMergePatch(patch.root(), document);
  ASSERT_FALSE(applied.has_value());
  EXPECT_EQ(applied.error().code(), 413);
}

TEST(MergePatchTest, NothingInTheResultPointsIntoThePatch) {
  Document document = Decode(R"({"a":{"b":1}})");
  {
    const Document patch =
        Decode(R"({"a":{"a key that is long":["a value that is long"]},"new":{"k":"v"}})");
    ASSERT_TRUE(ApplyMergePatch(patch.root(), document).has_value());
  }
  EXPECT_EQ(EncodeJson(document.root()),
            R"({"a":{"a key that is long":["a value that is long"],"b":1},"new":{"k":"v"}})");
}

}  // namespace
}  // namespace skiff::object
