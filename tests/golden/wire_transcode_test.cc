// The recorded objects of ../shared/fixtures/wire through the transcoders, which build no tree.
#include <gtest/gtest.h>

#include "object/json/encode.h"
#include "object/transcode/json_to_protobuf.h"
#include "object/transcode/protobuf_to_json.h"
#include "tests/golden/fixtures.h"

namespace skiff {
namespace {

class WireTranscodeTest : public WireFixtureTest {};

TEST_P(WireTranscodeTest, StoredProtobufBecomesTheRecordedJson) {
  ByteBuffer json;
  auto done = object::StorageToJson(ReadFixture(GetParam() + ".pb"), json);
  ASSERT_TRUE(done.has_value()) << done.error().ToString();
  ByteBuffer pretty;
  object::AppendPrettyJson(pretty, json.view(), 2);
  EXPECT_EQ(pretty.view(), ReadFixture(GetParam() + ".json"));
}

TEST_P(WireTranscodeTest, RecordedJsonBecomesTheStoredProtobuf) {
  ByteBuffer stored;
  std::vector<object::FieldIssue> issues;
  auto done = object::JsonToStorage(ReadFixture(GetParam() + ".json"), stored, {.issues = &issues});
  ASSERT_TRUE(done.has_value()) << done.error().ToString();
  EXPECT_TRUE(issues.empty());
  EXPECT_EQ(stored.view(), ReadFixture(GetParam() + ".pb"));
}

INSTANTIATE_TEST_SUITE_P(Fixtures, WireTranscodeTest, testing::ValuesIn(WireFixtureNames()),
                         FixtureTestName);

}  // namespace
}  // namespace skiff
