// What JSON patches may cost; what they do is in tests/golden/patch/json.
#include "object/patch/json_patch.h"

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

// `count` times the operation, as a patch.
std::string Repeat(const std::string& operation, size_t count) {
  std::string text = "[";
  for (size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + operation;
  return text + "]";
}

TEST(JsonPatchTest, TakesTenThousandOperations) {
  Document document = Decode(R"({"a":[]})");
  const Document patch =
      Decode(Repeat(R"({"op":"add","path":"/a/-","value":1})", limits::kMaxJsonPatchOperations));
  ASSERT_TRUE(ApplyJsonPatch(patch.root(), document).has_value());
  EXPECT_EQ(document.root().Find("a")->size(), limits::kMaxJsonPatchOperations);
}

TEST(JsonPatchTest, RefusesOneOperationMoreBeforeApplyingAny) {
  Document document = Decode(R"({"a":[]})");
  const Document patch = Decode(
      Repeat(R"({"op":"add","path":"/a/-","value":1})", limits::kMaxJsonPatchOperations + 1));
  const auto applied = ApplyJsonPatch(patch.root(), document);
  ASSERT_FALSE(applied.has_value());
  EXPECT_EQ(applied.error().reason(), StatusReason::kRequestEntityTooLarge);
  EXPECT_EQ(applied.error().message(),
            "Request entity too large: The allowed maximum operations in a JSON patch is 10000, "
            "got 10001");
  EXPECT_EQ(EncodeJson(document.root()), R"({"a":[]})");
}

TEST(JsonPatchTest, CopiesThatDoubleADocumentEndAtTheLimit) {
  Document document = Decode(R"({"a":{"x":"0123456789"}})");
  std::string text = "[";
  for (int i = 0; i < 5000; ++i) {
    text += (i == 0 ? "" : ",") + std::string(R"({"op":"copy","from":"/a","path":"/a/k)") +
            std::to_string(i) + "\"}";
  }
  const Document patch = Decode(text + "]");
  const auto applied = ApplyJsonPatch(patch.root(), document);
  ASSERT_FALSE(applied.has_value());
  EXPECT_EQ(applied.error().code(), 422);
  EXPECT_NE(applied.error().message().find("the copies of the patch add more than"),
            std::string::npos);
  EXPECT_LT(document.BytesReserved(), 16 * limits::kMaxJsonPatchCopyBytes);
}

TEST(JsonPatchTest, CopiesOfALargeStringEndAtTheLimit) {
  Document document = Decode(R"({"a":")" + std::string(1 << 20, 'x') + R"(","l":[]})");
  const Document patch = Decode(Repeat(R"({"op":"copy","from":"/a","path":"/l/-"})", 9000));
  const auto applied = ApplyJsonPatch(patch.root(), document);
  ASSERT_FALSE(applied.has_value());
  EXPECT_NE(applied.error().message().find("operation 2"), std::string::npos);
  EXPECT_LT(document.BytesReserved(), 3 * limits::kMaxJsonPatchCopyBytes);
}

TEST(JsonPatchTest, CopiesIntoThemselvesDoNotNestWithoutEnd) {
  Document document = Decode(R"({"a":{}})");
  std::string text = "[", path = "/a";
  for (int i = 0; i < 12; ++i) {
    text += (i == 0 ? "" : ",") + std::string(R"({"op":"copy","from":"/a","path":")") + path +
            R"(/b"})";
    // The value is now twice as deep: its innermost object is the next target.
    std::string deeper = path + "/b";
    for (size_t n = 1; n < (size_t{1} << i); ++n) deeper += "/b";
    path = deeper;
  }
  const Document patch = Decode(text + "]");
  const auto applied = ApplyJsonPatch(patch.root(), document);
  ASSERT_FALSE(applied.has_value());
  EXPECT_NE(applied.error().message().find("nest deeper"), std::string::npos)
      << applied.error().message();
}

TEST(JsonPatchTest, MovesDoNotNestWithoutEnd) {
  std::string deep;
  for (int i = 0; i < 300; ++i) deep += "[";
  for (int i = 0; i < 300; ++i) deep += "]";
  Document document = Decode(R"({"a":)" + deep + R"(,"b":)" + deep + "}");
  std::string path = "/b";
  for (int i = 0; i < 299; ++i) path += "/0";
  const Document patch = Decode(R"([{"op":"move","from":"/a","path":")" + path + R"(/-"}])");
  const auto applied = ApplyJsonPatch(patch.root(), document);
  ASSERT_FALSE(applied.has_value());
  EXPECT_EQ(applied.error().code(), 422);
}

TEST(JsonPatchTest, ShiftsOfAHugeListEndAtTheLimit) {
  std::string list = "[0";
  for (int i = 0; i < 1'000'000; ++i) list += ",0";
  Document document = Decode(R"({"l":)" + list + "]}");
  const Document patch = Decode(Repeat(R"({"op":"add","path":"/l/0","value":1})", 10'000));
  const auto applied = ApplyJsonPatch(patch.root(), document);
  ASSERT_FALSE(applied.has_value());
  EXPECT_EQ(applied.error().reason(), StatusReason::kRequestEntityTooLarge);
}

TEST(JsonPatchTest, RefusesAResultThatNoRequestCouldCarry) {
  const std::string half(limits::kMaxDocumentBytes / 2, 'x');
  Document document = Decode(R"({"a":")" + half + R"("})");
  const Document patch = Decode(R"([{"op":"add","path":"/b","value":")" + half + R"("}])");
  const auto applied = ApplyJsonPatch(patch.root(), document);
  ASSERT_FALSE(applied.has_value());
  EXPECT_EQ(applied.error().code(), 413);
}

TEST(JsonPatchTest, OnePatchAppliesToManyDocuments) {
  const Document patch = Decode(
      R"([{"op":"add","path":"/a","value":{"l":[1]}},{"op":"add","path":"/a/l/-","value":2}])");
  for (int i = 0; i < 3; ++i) {
    Document document = Decode("{}");
    ASSERT_TRUE(ApplyJsonPatch(patch.root(), document).has_value());
    EXPECT_EQ(EncodeJson(document.root()), R"({"a":{"l":[1,2]}})");
  }
}

TEST(JsonPatchTest, NothingInTheResultPointsIntoThePatch) {
  Document document = Decode("{}");
  {
    const Document patch =
        Decode(R"([{"op":"add","path":"/a key that is long","value":["a value that is long"]}])");
    ASSERT_TRUE(ApplyJsonPatch(patch.root(), document).has_value());
  }
  EXPECT_EQ(EncodeJson(document.root()), R"({"a key that is long":["a value that is long"]})");
}

TEST(JsonPatchTest, LongPathsAreCutInMessages) {
  Document document = Decode("{}");
  const Document patch =
      Decode(R"([{"op":"remove","path":"/)" + std::string(1'000'000, 'p') + R"("}])");
  const auto applied = ApplyJsonPatch(patch.root(), document);
  ASSERT_FALSE(applied.has_value());
  EXPECT_LT(applied.error().message().size(), 10'000u);
}

TEST(JsonPatchTest, ReportsMembersThatOperationsDoNotHave) {
  const Document patch = Decode(
      R"([{"op":"test","path":"/a"},{"op":"add","path":"/b","value":1,"comment":"x","val":2}])");
  const auto issues = UnknownJsonPatchMembers(patch.root());
  ASSERT_EQ(issues.size(), 2u);
  EXPECT_EQ(issues[0].path, "[1].comment");
  EXPECT_EQ(issues[1].path, "[1].val");
}

}  // namespace
}  // namespace skiff::object
