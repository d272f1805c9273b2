// The recorded objects of ../shared/fixtures/wire, which fill every field of their kinds, through
// the protobuf codec.
#include <gtest/gtest.h>

#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/protobuf/envelope.h"
#include "tests/golden/fixtures.h"

namespace skiff {
namespace {

class WireProtobufTest : public WireFixtureTest {};

TEST_P(WireProtobufTest, DecodesCompletelyAndEncodesToTheSameBytes) {
  const std::string bytes = ReadFixture(GetParam() + ".pb");
  std::vector<object::FieldIssue> issues;
  auto document = object::DecodeStorage(bytes, {.issues = &issues});
  ASSERT_TRUE(document.has_value()) << document.error().ToString();
  for (const object::FieldIssue& issue : issues) ADD_FAILURE() << issue.ToString();
  std::string again;
  object::EncodeStorage(document->root(), &again);
  EXPECT_EQ(again, bytes);
}

TEST_P(WireProtobufTest, HoldsWhatTheJsonFormHolds) {
  const std::string bytes = ReadFixture(GetParam() + ".pb");
  const std::string json = ReadFixture(GetParam() + ".json");
  auto from_protobuf = object::DecodeStorage(bytes);
  ASSERT_TRUE(from_protobuf.has_value()) << from_protobuf.error().ToString();
  EXPECT_EQ(object::EncodeJson(from_protobuf->root(), 2), json);
  auto from_json = object::DecodeJson(json, from_protobuf->type());
  ASSERT_TRUE(from_json.has_value()) << from_json.error().ToString();
  std::string encoded;
  object::EncodeStorage(from_json->root(), &encoded);
  EXPECT_EQ(encoded, bytes);
}

INSTANTIATE_TEST_SUITE_P(Fixtures, WireProtobufTest, testing::ValuesIn(WireFixtureNames()),
                         FixtureTestName);

}  // namespace
}  // namespace skiff
