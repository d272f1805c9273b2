// The recorded objects of ../shared/fixtures/wire, which fill every field of their kinds, through
// the JSON codec.
#include <gtest/gtest.h>

#include "object/json/decode.h"
#include "object/json/encode.h"
#include "tests/golden/fixtures.h"

namespace skiff {
namespace {

class WireJsonTest : public WireFixtureTest {};

TEST_P(WireJsonTest, DecodesStrictlyAndEncodesToTheSameText) {
  const std::string json = ReadFixture(GetParam() + ".json");
  auto meta = object::PeekTypeMeta(json);
  ASSERT_TRUE(meta.has_value()) << meta.error().ToString();
  const object::MessageDesc* type = object::FindKind(meta->api_version, meta->kind);
  ASSERT_NE(type, nullptr) << meta->api_version << " " << meta->kind;
  std::vector<object::FieldIssue> issues;
  auto document = object::DecodeJson(json, type, {.issues = &issues});
  ASSERT_TRUE(document.has_value()) << document.error().ToString();
  for (const object::FieldIssue& issue : issues) ADD_FAILURE() << issue.ToString();
  EXPECT_EQ(object::EncodeJson(document->root(), 2), json);
}

INSTANTIATE_TEST_SUITE_P(Fixtures, WireJsonTest, testing::ValuesIn(WireFixtureNames()),
                         FixtureTestName);

}  // namespace
}  // namespace skiff
