// The recorded objects of ../shared/fixtures/wire, which fill every field of their kinds: what a
// writer owns of a new one is the same whether it is written in one walk or found by comparison.
#include "object/fields/new_fields.h"

#include <gtest/gtest.h>

#include "object/fields/compare.h"
#include "object/fields/fields_v1.h"
#include "object/json/decode.h"
#include "tests/golden/fixtures.h"

namespace skiff {
namespace {

class NewFieldsGoldenTest : public WireFixtureTest {};

TEST_P(NewFieldsGoldenTest, OneWalkWritesWhatComparisonFinds) {
  const std::string json = ReadFixture(GetParam() + ".json");
  const Result<object::TypeMeta> meta = object::PeekTypeMeta(json);
  ASSERT_TRUE(meta) << meta.error().ToString();
  const object::MessageDesc* type = object::FindKind(meta->api_version, meta->kind);
  ASSERT_NE(type, nullptr) << meta->api_version << " " << meta->kind;
  const Result<object::Document> object = object::DecodeJson(json, type);
  ASSERT_TRUE(object) << object.error().ToString();
  Arena arena;
  ByteBuffer written;
  ASSERT_TRUE(object::AppendFieldsOfNew(arena, written, object->root(), {}));
  const object::FieldChanges changes =
      object::CompareFields(arena, object::FieldShape::OfMessage(type),
                            object::Document::OfType(type).root(), object->root());
  ByteBuffer compared;
  object::AppendFieldsV1(compared, object::Union(arena, changes.added, changes.modified));
  EXPECT_EQ(written.view(), compared.view());
}

INSTANTIATE_TEST_SUITE_P(Fixtures, NewFieldsGoldenTest, testing::ValuesIn(WireFixtureNames()),
                         FixtureTestName);

}  // namespace
}  // namespace skiff
