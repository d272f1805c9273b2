// testdata/*.jsonl: what Kubernetes answered when custom resources were written. A line is a
// schema, which holds for the lines below it, or an object that is written:
//
//   object       what was sent; with `old` as an update of that, with `subresource` of its status
//   becomes      what is stored
//   faults       what is wrong with it: field, reason and message of each cause
//   dropped      unknown fields, in the order in which they are told
//   refused      the object is no such object at all, and this is why
//
// or `defaults`, what is wrong with the defaults of the schema.
#include "apiserver/extensions/schema/custom_resource.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "apiserver/extensions/schema/default_validation.h"
#include "apiserver/extensions/schema/testing.h"
#include "object/json/decode.h"
#include "object/json/encode.h"

namespace skiff::apiserver {
namespace {

namespace fs = std::filesystem;

object::Document ObjectOf(const object::Value& content) {
  object::Document out(Arena(), object::Value::EmptyMap());
  const auto set = [&](object::Value& map, std::string_view name, object::Value value) {
    map.SetEntry(out.arena(), name, value);
  };
  out.root() = content.CopyInto(out.arena());
  object::Value metadata = object::Value::EmptyMap();
  set(metadata, "name", object::Value::String("thing"));
  set(out.root(), "metadata", metadata);
  set(out.root(), "apiVersion", object::Value::String("example.com/v1"));
  set(out.root(), "kind", object::Value::String("Thing"));
  return out;
}

std::string ContentOf(const object::Document& object) {
  object::Document copy = object.Copy();
  for (const std::string_view name : {"apiVersion", "kind", "metadata"}) copy.root().Erase(name);
  return object::EncodeJson(copy.root());
}

std::vector<std::string> WantedFaults(const object::Value& faults) {
  std::vector<std::string> out;
  for (const object::Value& fault : faults.items()) {
    out.push_back(std::string(fault.items()[0].AsText()) + " " +
                  std::string(fault.items()[1].AsText()) + " " +
                  std::string(fault.items()[2].AsText()));
  }
  std::ranges::sort(out);
  return out;
}

std::vector<std::string> FoundFaults(const FieldErrors& errors) {
  constexpr size_t kPrefix = std::string_view("FieldValue").size();
  std::vector<std::string> out;
  for (const StatusCause& cause : errors.causes()) {
    out.push_back(cause.field + " " + cause.reason.substr(kPrefix) + " " + cause.message);
  }
  std::ranges::sort(out);
  return out;
}

// Of two long lists, what they do not share.
void ExpectSame(const std::vector<std::string>& found, const std::vector<std::string>& wanted) {
  std::vector<std::string> missing;
  std::vector<std::string> unexpected;
  std::ranges::set_difference(wanted, found, std::back_inserter(missing));
  std::ranges::set_difference(found, wanted, std::back_inserter(unexpected));
  EXPECT_EQ(unexpected, missing);
}

void Validate(const CompiledSchema& schema, const object::Value& line,
              const object::Document& object, FieldErrors& errors) {
  const object::Value* before = line.Find("old");
  if (before == nullptr) return ValidateCustomResource(schema, object.root(), errors);
  const object::Document old = ObjectOf(*before);
  if (line.Find("subresource") != nullptr) {
    ValidateCustomResourceStatus(schema, object.root(), old.root(), true, errors);
  } else {
    ValidateCustomResourceUpdate(schema, object.root(), old.root(), true, errors);
  }
}

void CheckLine(const CompiledSchema& schema, const object::Value& line) {
  object::Document object = ObjectOf(*line.Find("object"));
  std::vector<object::FieldIssue> issues;
  const Result<void> coerced = CoerceCustomResource(schema, object, {.issues = &issues});
  if (const object::Value* refused = line.Find("refused")) {
    ASSERT_FALSE(coerced.has_value());
    EXPECT_EQ(coerced.error().message(), refused->AsText());
    return;
  }
  ASSERT_TRUE(coerced.has_value()) << coerced.error().message();
  if (const object::Value* dropped = line.Find("dropped")) {
    std::vector<std::string> found;
    for (const object::FieldIssue& issue : issues) found.push_back(issue.path);
    std::vector<std::string> wanted;
    for (const object::Value& path : dropped->items()) wanted.emplace_back(path.AsText());
    EXPECT_EQ(found, wanted);
  }
  DefaultCustomResource(schema, object);
  FieldErrors errors(kDefaultSettings);
  Validate(schema, line, object, errors);
  const object::Value* faults = line.Find("faults");
  ExpectSame(FoundFaults(errors),
             faults != nullptr ? WantedFaults(*faults) : std::vector<std::string>());
  if (const object::Value* becomes = line.Find("becomes")) {
    EXPECT_EQ(ContentOf(object), object::EncodeJson(*becomes));
  }
}

void CheckDefaults(std::string_view schema_text, const object::Value& faults) {
  const object::Document schema = DocumentOfJson(schema_text);
  const auto made = CompiledSchema::Compile(schema.root(), std::make_shared<PatternCache>(),
                                            CompiledSchema::Defaults::kAsWritten);
  ASSERT_TRUE(made.has_value());
  FieldErrors errors(kDefaultSettings);
  const auto at = errors.At("schema");
  ValidateDefaultsOf(**made, true, errors);
  ExpectSame(FoundFaults(errors), WantedFaults(faults));
}

TEST(CustomResourceTest, WrittenObjectsAreAnsweredAsRecorded) {
  size_t lines = 0;
  for (const auto& file :
       fs::directory_iterator(SKIFF_SOURCE_DIR "/src/apiserver/extensions/schema/testdata")) {
    std::ifstream in(file.path());
    std::shared_ptr<const CompiledSchema> schema;
    std::string schema_text;
    std::string text;
    for (size_t number = 1; std::getline(in, text); ++number) {
      SCOPED_TRACE(file.path().filename().string() + ":" + std::to_string(number) + ": " + text);
      // As it is written: 1.0 is not 1.
      constexpr std::string_view kSchema = "{\"schema\":";
      if (text.starts_with(kSchema)) {
        schema_text = text.substr(kSchema.size(), text.size() - kSchema.size() - 1);
        schema = SchemaOfJson(schema_text);
        continue;
      }
      const Result<object::Document> line = object::DecodeJson(text, nullptr);
      ASSERT_TRUE(line.has_value()) << line.error().message();
      ASSERT_NE(schema, nullptr);
      if (const object::Value* defaults = line->root().Find("defaults")) {
        CheckDefaults(schema_text, *defaults);
        continue;
      }
      CheckLine(*schema, line->root());
      ++lines;
    }
  }
  EXPECT_GT(lines, 200u);
}

}  // namespace
}  // namespace skiff::apiserver
