// The recorded objects of ../shared/fixtures/wire, which fill every field of their kinds: the facts
// that the watch cache reads from their bytes are those of the decoded objects.
#include "store/cache/object_facts.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "object/field_path.h"
#include "object/protobuf/envelope.h"
#include "object/resource.h"
#include "tests/golden/fixtures.h"

namespace skiff {
namespace {

class ObjectFactsGoldenTest : public WireFixtureTest {};

std::string TextAt(const object::Value& object, std::string_view path) {
  const object::Value* const value = object::FieldPath::Parse(path).value().Get(object).value();
  if (value == nullptr) return "";
  switch (value->tag()) {
    case object::Tag::kBool:
      return value->AsBool() ? "true" : "false";
    case object::Tag::kInt:
      return std::to_string(value->AsInt());
    default:
      return std::string(value->AsText());
  }
}

// By the words of the facts about selectors, whatever the tables say.
std::string ExpectedField(const object::Value& object, const std::string& label) {
  static const std::map<std::string, std::string> kElsewhere = {
      {"status.podIP", "status.podIPs[0].ip"},
      {"status.successful", "status.succeeded"},
      {"source", "source.component"},
      {"reportingController", "reportingComponent"},
  };
  if (label == "status.podIPs") return "";
  if (label.starts_with("regarding.")) return TextAt(object, "involvedObject" + label.substr(9));
  const auto elsewhere = kElsewhere.find(label);
  return TextAt(object, elsewhere == kElsewhere.end() ? label : elsewhere->second);
}

void ExpectFactsOf(const store::FactsReader& reader, std::string_view bytes,
                   const object::Value& object) {
  store::ObjectFacts facts;
  const auto read = reader.Read(bytes, facts);
  ASSERT_TRUE(read.has_value()) << read.error().ToString();
  for (size_t i = 0; i < facts.fields.size(); ++i) {
    const std::string& label = reader.fields()[i].label;
    EXPECT_EQ(facts.fields[i], ExpectedField(object, label)) << label;
  }
  const object::Value* const labels =
      object::FieldPath::Parse("metadata.labels").value().Get(object).value_or(nullptr);
  ASSERT_EQ(facts.labels.size(), labels == nullptr ? 0 : labels->size());
  for (const object::LabelSet::Label& label : facts.labels) {
    const object::Value* const value = labels->Find(label.key);
    ASSERT_NE(value, nullptr) << label.key;
    EXPECT_EQ(label.value, value->AsText());
  }
}

TEST_P(ObjectFactsGoldenTest, FactsAreThoseOfTheDecodedObject) {
  const std::string bytes = ReadFixture(GetParam() + ".pb");
  const std::string json = ReadFixture(GetParam() + ".json");
  const auto document = object::DecodeStorage(bytes);
  ASSERT_TRUE(document.has_value()) << document.error().ToString();
  for (const object::GroupVersionInfo& version : object::ServedGroupVersions()) {
    for (const object::ResourceDesc& resource : version.resources) {
      if (resource.hub->storage == nullptr || resource.hub->storage->stored != document->type()) {
        continue;
      }
      const auto reader = store::FactsReader::Make(*resource.hub);
      ASSERT_TRUE(reader.has_value()) << reader.error().ToString();
      ExpectFactsOf(*reader, bytes, document->root());
      ExpectFactsOf(*reader, json, document->root());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, ObjectFactsGoldenTest, testing::ValuesIn(WireFixtureNames()),
                         FixtureTestName);

}  // namespace
}  // namespace skiff
