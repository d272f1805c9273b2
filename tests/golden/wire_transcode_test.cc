// The recorded objects of ../shared/fixtures/wire through the transcoders, which build no tree.
#include <gtest/gtest.h>

#include "object/json/encode.h"
#include "object/transcode/protobuf_to_json.h"
#include "tests/golden/fixtures.h"

namespace skiff {
namespace {

class WireTranscodeTest : public testing::TestWithParam<std::string> {};

TEST_P(WireTranscodeTest, StoredProtobufBecomesTheRecordedJson) {
  ByteBuffer json;
  auto done = StorageToJson(ReadFixture(GetParam() + ".pb"), json);
  ASSERT_TRUE(done.has_value()) << done.error().ToString();
  ByteBuffer pretty;
  AppendPrettyJson(pretty, json.view(), 2);
  EXPECT_EQ(pretty.view(), ReadFixture(GetParam() + ".json"));
}

INSTANTIATE_TEST_SUITE_P(Fixtures, WireTranscodeTest, testing::ValuesIn(WireFixtureNames()),
                         FixtureTestName);

}  // namespace
}  // namespace skiff
