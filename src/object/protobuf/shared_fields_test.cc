#include "object/protobuf/shared_fields.h"

#include <string>

#include <gtest/gtest.h>

#include "object/json/decode.h"
#include "object/protobuf/encode.h"
#include "object/protobuf/envelope.h"
#include "object/protobuf/resource_version.h"

namespace skiff::object {
namespace {

std::string LongSet(char name) {
  return "{\"f:metadata\":{\"f:" + std::string(kMinPieceBytes, name) + "\":{}}}";
}

std::string Entry(std::string_view manager, std::string_view set) {
  return "{\"manager\":\"" + std::string(manager) +
         "\",\"operation\":\"Update\",\"apiVersion\":\"v1\",\"time\":\"2026-01-02T03:04:05Z\","
         "\"fieldsType\":\"FieldsV1\",\"fieldsV1\":" +
         std::string(set) + ",\"subresource\":\"status\"}";
}

std::string Stored(std::string_view managed_fields, std::string_view metadata = {}) {
  const std::string json = "{\"metadata\":{\"name\":\"a\",\"uid\":\"u\"" + std::string(metadata) +
                           ",\"managedFields\":[" + std::string(managed_fields) +
                           "]},\"spec\":{\"nodeName\":\"n\"},\"status\":{\"phase\":\"Running\"}}";
  const Result<Document> pod = DecodeJson(json, FindKind("v1", "Pod"));
  EXPECT_TRUE(pod.has_value()) << pod.error().ToString();
  std::string out;
  EncodeStorage(pod->root(), &out);
  return out;
}

std::optional<SharedBytes> FindAny(std::string_view text) { return SharedBytes(text); }

struct Cut {
  bool is_cut = false;
  ByteBuffer bytes;
  std::vector<SharedBytes> pieces;
};
Cut CutOf(std::string_view stored, const FindPiece& find = FindAny) {
  Cut out;
  out.is_cut = CutFieldSets(stored, find, out.bytes, out.pieces);
  return out;
}

TEST(SharedFieldsTest, WhatWasCutIsJoinedToTheVerySameBytes) {
  const std::string stored =
      Stored(Entry("one", LongSet('a')) + "," + Entry("short", "{\"f:spec\":{}}") + "," +
             Entry("two", LongSet('b')));
  const Cut cut = CutOf(stored);
  ASSERT_TRUE(cut.is_cut);
  ASSERT_EQ(cut.pieces.size(), 2u);
  EXPECT_EQ(cut.pieces[0].view(), LongSet('a'));
  EXPECT_EQ(cut.pieces[1].view(), LongSet('b'));
  EXPECT_LT(cut.bytes.size(), stored.size() - 2 * kMinPieceBytes);
  EXPECT_EQ(JoinFieldSets(cut.bytes.view(), cut.pieces).view(), stored);
}

TEST(SharedFieldsTest, WhatIsLeftIsAnObjectOfWhichOnlyTheFieldSetsAreOthers) {
  const Cut cut = CutOf(Stored(Entry("one", LongSet('a'))));
  ProtobufDecodeOptions options;
  options.trusts_field_sets = true;
  const Result<Document> left = DecodeStorage(cut.bytes.view(), options);
  ASSERT_TRUE(left.has_value()) << left.error().ToString();
  EXPECT_EQ(left->root().Find("spec")->Find("nodeName")->AsText(), "n");
  EXPECT_EQ(left->root().Find("metadata")->Find("managedFields")->size(), 1u);
}

TEST(SharedFieldsTest, OnlyLongTextsThatAreFoundAreCut) {
  const std::string stored = Stored(Entry("one", LongSet('a')) + "," + Entry("two", LongSet('b')));
  EXPECT_FALSE(CutOf(stored, [](std::string_view) { return std::nullopt; }).is_cut);
  const Cut one = CutOf(stored, [](std::string_view text) {
    return text == LongSet('b') ? FindAny(text) : std::nullopt;
  });
  ASSERT_TRUE(one.is_cut);
  EXPECT_EQ(one.pieces.size(), 1u);
  EXPECT_EQ(JoinFieldSets(one.bytes.view(), one.pieces).view(), stored);
  EXPECT_FALSE(CutOf(Stored(Entry("short", "{\"f:spec\":{}}"))).is_cut);
  EXPECT_FALSE(CutOf(Stored("")).is_cut);
}

TEST(SharedFieldsTest, MoreSetsThanThereArePiecesStayWhereTheyAre) {
  std::string entries;
  for (size_t i = 0; i < 2 * kMaxPieces; ++i) {
    if (i > 0) entries += ",";
    entries += Entry("m" + std::to_string(i), LongSet(static_cast<char>('a' + i)));
  }
  const std::string stored = Stored(entries);
  const Cut cut = CutOf(stored);
  ASSERT_TRUE(cut.is_cut);
  EXPECT_EQ(cut.pieces.size(), kMaxPieces);
  EXPECT_EQ(JoinFieldSets(cut.bytes.view(), cut.pieces).view(), stored);
}

TEST(SharedFieldsTest, BytesThatWouldNotComeBackAreLeftAlone) {
  const std::string stored = Stored(Entry("one", LongSet('a')));
  EXPECT_FALSE(CutOf("{\"kind\":\"Pod\"}").is_cut);
  EXPECT_FALSE(CutOf("").is_cut);
  for (size_t size = 0; size < stored.size(); ++size) {
    const std::string_view part = std::string_view(stored).substr(0, size);
    const Cut cut = CutOf(part);
    if (cut.is_cut) EXPECT_EQ(JoinFieldSets(cut.bytes.view(), cut.pieces).view(), part);
  }
  // A length that takes more bytes than it needs.
  std::string longer = stored;
  const size_t types = kProtobufPrefix.size() + 1;
  longer[types] = static_cast<char>(longer[types] | 0x80);
  longer.insert(types + 1, 1, '\0');
  const Cut cut = CutOf(longer);
  if (cut.is_cut) EXPECT_EQ(JoinFieldSets(cut.bytes.view(), cut.pieces).view(), longer);
}

TEST(SharedFieldsTest, ASetThatLooksCutKeepsTheObjectWhole) {
  std::string stored = Stored(Entry("one", LongSet('a')) + "," + Entry("two", "{\"f:a\":{}}"));
  const size_t at = stored.find("{\"f:a\":{}}");
  ASSERT_NE(at, std::string::npos);
  stored[at] = '\0';
  EXPECT_FALSE(CutOf(stored).is_cut);
}

TEST(SharedFieldsTest, AMessageIsJoinedWithAVersionAsItsWholeBytesGetIt) {
  for (const std::string_view metadata :
       {"", ",\"resourceVersion\":\"3\"", ",\"generation\":2", ",\"labels\":{\"a\":\"b\"}"}) {
    const std::string stored =
        Stored(Entry("one", LongSet('a')) + "," + Entry("two", "{\"f:spec\":{}}") + "," +
                   Entry("three", LongSet('c')),
               metadata);
    const Cut cut = CutOf(stored);
    ASSERT_TRUE(cut.is_cut);
    for (const std::string_view version : {"", "12", "1234567890123"}) {
      ByteBuffer expected, joined;
      const std::string_view whole = OpenProtobufEnvelope(stored)->raw;
      if (version.empty()) {
        expected.Append(whole);
      } else {
        AppendWithResourceVersion(whole, version, expected);
      }
      const JoinedMessage message(OpenProtobufEnvelope(cut.bytes.view())->raw, version, cut.pieces);
      message.AppendTo(joined);
      EXPECT_EQ(joined.view(), expected.view()) << metadata << " " << version;
      EXPECT_EQ(message.size(), expected.size());
    }
  }
}

}  // namespace
}  // namespace skiff::object
