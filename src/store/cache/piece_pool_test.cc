#include "store/cache/piece_pool.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "object/json/decode.h"
#include "object/protobuf/envelope.h"
#include "object/value.h"
#include "store/cache/entry.h"

namespace skiff::store {
namespace {

SharedBytes Pod(std::string_view name, char field) {
  const std::string json =
      "{\"metadata\":{\"name\":\"" + std::string(name) +
      "\",\"managedFields\":[{\"manager\":\"m\",\"operation\":\"Update\",\"fieldsType\":"
      "\"FieldsV1\",\"fieldsV1\":{\"f:" +
      std::string(2000, field) + "\":{}}}]},\"spec\":{\"nodeName\":\"n\"}}";
  const auto pod = object::DecodeJson(json, object::FindKind("v1", "Pod"));
  EXPECT_TRUE(pod.has_value());
  return object::EncodeStorage(pod->root());
}

TEST(PiecePoolTest, TheFirstObjectKeepsItsFieldSetAndTheNextOnesShareIt) {
  PiecePool pool;
  const SharedBytes first = Pod("first", 'a');
  const PiecePool::Cut whole = pool.Take(first);
  EXPECT_TRUE(whole.bytes.SharesWith(first));
  EXPECT_TRUE(whole.pieces.empty());
  const PiecePool::Cut second = pool.Take(Pod("second", 'a'));
  const PiecePool::Cut third = pool.Take(Pod("third", 'a'));
  ASSERT_EQ(second.pieces.size(), 1u);
  ASSERT_EQ(third.pieces.size(), 1u);
  EXPECT_TRUE(second.pieces[0].SharesWith(third.pieces[0]));
  EXPECT_LT(second.bytes.size(), 500u);
  EXPECT_EQ(pool.size(), 1u);
}

TEST(PiecePoolTest, SetsThatNobodySharesLeaveNothingBehind) {
  PiecePool pool;
  for (char field = 'a'; field <= 'z'; ++field) {
    EXPECT_TRUE(pool.Take(Pod("pod", field)).pieces.empty());
  }
  EXPECT_EQ(pool.size(), 0u);
}

TEST(PiecePoolTest, PiecesOfObjectsThatAreGoneAreForgotten) {
  PiecePool pool;
  for (int round = 0; round < 40; ++round) {
    for (char field = '0'; field <= 'z'; ++field) {
      if (field == '"' || field == '\\') continue;
      pool.Take(Pod("a" + std::to_string(round), field));
    }
  }
  EXPECT_LE(pool.size(), 80u);
}

TEST(PiecePoolTest, AnEntryTellsTheBytesAsTheyWereStored) {
  PiecePool pool;
  const SharedBytes stored = Pod("second", 'a');
  pool.Take(Pod("first", 'a'));
  const PiecePool::Cut cut = pool.Take(stored);
  const std::vector<std::string_view> fields = {"n", "elsewhere"};
  const EntryRef entry = CacheEntry::Make("default/second", {7}, cut.bytes, object::LabelSet(),
                                          fields, StoredForm::kComplete, cut.pieces);
  EXPECT_EQ(entry->value(), stored);
  EXPECT_LT(entry->kept().size(), stored.size());
  EXPECT_EQ(entry->key(), "default/second");
  EXPECT_EQ(entry->field(0), "n");
  EXPECT_EQ(entry->field(1), "elsewhere");
  EXPECT_EQ(entry->pieces().size(), 1u);
}

}  // namespace
}  // namespace skiff::store
