#include "object/protobuf/wire.h"

#include <gtest/gtest.h>

#include "object/protobuf/reverse_buffer.h"
#include "object/protobuf/test_message.h"

namespace skiff::object {
namespace {

TEST(WireTest, ReadsEveryVarintThatItWrites) {
  for (int bits = 0; bits <= 64; ++bits) {
    const uint64_t value = bits == 0 ? 0 : ~uint64_t{0} >> (64 - bits);
    const std::string bytes = VarintBytes(value);
    EXPECT_EQ(bytes.size(), VarintSize(value));
    WireReader in(bytes);
    uint64_t read = 1;
    ASSERT_EQ(in.ReadVarint(&read), WireError::kNone);
    EXPECT_EQ(read, value);
    EXPECT_TRUE(in.done());
    for (size_t size = 0; size < bytes.size(); ++size) {
      WireReader cut(std::string_view(bytes).substr(0, size));
      EXPECT_EQ(cut.ReadVarint(&read), WireError::kTruncated);
    }
  }
}

TEST(WireTest, TakesTenVarintBytesButNotEleven) {
  uint64_t value = 0;
  WireReader ten(std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"));
  EXPECT_EQ(ten.ReadVarint(&value), WireError::kNone);
  EXPECT_EQ(value, ~uint64_t{0});
  WireReader eleven(std::string_view("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"));
  EXPECT_EQ(eleven.ReadVarint(&value), WireError::kOverlongVarint);
}

TEST(WireTest, RefusesFieldNumbersOutOfRange) {
  for (const uint64_t key : {uint64_t{2}, uint64_t{7}, uint64_t{1} << 32}) {
    const std::string bytes = VarintBytes(key);
    WireReader in(bytes);
    uint32_t read = 0;
    EXPECT_EQ(in.ReadKey(&read), WireError::kBadFieldNumber) << key;
  }
}

struct SkipCase {
  const char* name;
  std::string bytes;  // of one field
  WireError error;
};

TEST(WireTest, SkipsFieldsOfEveryWireType) {
  const auto key = [](WireType type) { return VarintBytes(WireKey(5, type)); };
  const std::string open = key(WireType::kStartGroup), close = key(WireType::kEndGroup);
  std::string deep, too_deep;
  for (int i = 0; i < limits::kMaxDepth; ++i) deep += open;
  too_deep = deep + open;
  for (int i = 0; i < limits::kMaxDepth; ++i) deep += close;
  const SkipCase cases[] = {
      {"varint", V(5, -1), WireError::kNone},
      {"cut varint", V(5, -1).substr(0, 9), WireError::kTruncated},
      {"fixed64", D(5, 1), WireError::kNone},
      {"cut fixed64", D(5, 1).substr(0, 8), WireError::kTruncated},
      {"fixed32", key(WireType::kFixed32) + "1234", WireError::kNone},
      {"cut fixed32", key(WireType::kFixed32) + "123", WireError::kTruncated},
      {"bytes", B(5, "abc"), WireError::kNone},
      {"length beyond the end", B(5, "abc").substr(0, 4), WireError::kLengthBeyondEnd},
      {"huge length", key(WireType::kBytes) + VarintBytes(~uint64_t{0}),
       WireError::kLengthBeyondEnd},
      {"group", open + V(1, 1) + B(2, "x") + close, WireError::kNone},
      {"nested groups", open + open + close + close, WireError::kNone},
      {"open group", open + V(1, 1), WireError::kTruncated},
      {"stray end of group", close, WireError::kStrayEndGroup},
      {"deep groups", deep, WireError::kNone},
      {"too deep groups", too_deep, WireError::kTooDeep},
      {"wire type 6", VarintBytes(5 << 3 | 6), WireError::kBadWireType},
      {"wire type 7", VarintBytes(5 << 3 | 7), WireError::kBadWireType},
  };
  for (const SkipCase& c : cases) {
    WireReader in(c.bytes);
    uint32_t read = 0;
    ASSERT_EQ(in.ReadKey(&read), WireError::kNone) << c.name;
    EXPECT_EQ(in.Skip(read), c.error) << c.name;
    EXPECT_TRUE(in.done() || c.error != WireError::kNone) << c.name;
    EXPECT_FALSE(WireErrorText(c.error).empty());
  }
}

TEST(ReverseBufferTest, GrowsInFrontOfWhatIsWritten) {
  ReverseBuffer buffer(1);
  std::string expected;
  for (int i = 0; i < 1000; ++i) {
    buffer.PutVarintField(WireKey(1, WireType::kVarint), static_cast<uint64_t>(i) << 20);
    expected.insert(0, V(1, int64_t{i} << 20));
  }
  EXPECT_EQ(buffer.view(), expected);
  buffer.PutBytes(std::string(100'000, 'x'));
  buffer.PutBytes("");
  buffer.CloseMessage(WireKey(2, WireType::kBytes), 0);
  EXPECT_EQ(buffer.view(), B(2, std::string(100'000, 'x') + expected));
}

}  // namespace
}  // namespace skiff::object
