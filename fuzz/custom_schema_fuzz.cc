// The schema of a custom resource, a NUL, an object of it. What is compiled must prune and default
// the object to something that stays as it is when this is done again, and validating an update
// that changes nothing must not find more than validating the object as a new one does.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "apiserver/extensions/schema/custom_resource.h"
#include "apiserver/extensions/schema/schema_shape.h"
#include "object/json/decode.h"
#include "object/json/encode.h"

namespace {

void Require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

void WalkShapes(const skiff::apiserver::SchemaShape& shape, const skiff::object::Value& value) {
  const skiff::apiserver::SchemaShape known = shape.For(value);
  if (value.is_map()) {
    for (const skiff::object::MapEntry& entry : value.entries()) {
      WalkShapes(known.Field(entry.key), entry.value);
    }
  } else if (value.is_list()) {
    for (const std::string_view key : known.keys()) known.KeyDefault(key);
    for (const skiff::object::Value& item : value.items()) WalkShapes(known.Item(), item);
  }
}

void WriteObject(const skiff::apiserver::CompiledSchema& schema, skiff::object::Document object) {
  if (!object.root().is_map()) return;
  std::vector<skiff::object::FieldIssue> issues;
  if (!CoerceCustomResource(schema, object, {.issues = &issues})) return;
  DefaultCustomResource(schema, object);
  const std::string once = EncodeJson(object.root());
  const skiff::object::Document old = object.Copy();
  Require(CoerceCustomResource(schema, object, {}).has_value(), "coerced once only");
  DefaultCustomResource(schema, object);
  Require(EncodeJson(object.root()) == once, "the second time changed the object");

  using skiff::apiserver::FieldErrors;
  using skiff::apiserver::kDefaultSettings;
  FieldErrors as_new(kDefaultSettings);
  ValidateCustomResource(schema, object.root(), as_new);
  FieldErrors as_update(kDefaultSettings);
  ValidateCustomResourceUpdate(schema, object.root(), old.root(), true, as_update);
  Require(as_update.size() <= as_new.size(), "an update without changes has more faults");
  FieldErrors of_status(kDefaultSettings);
  ValidateCustomResourceStatus(schema, object.root(), old.root(), true, of_status);
  WalkShapes(skiff::apiserver::SchemaShape::OfResource(schema), object.root());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t middle = input.find('\0');
  if (middle == input.npos) return 0;
  const skiff::object::MessageDesc* type =
      skiff::object::FindMessage("apiextensions.k8s.io/v1", "JSONSchemaProps");
  const auto text = skiff::object::DecodeJson(input.substr(0, middle), type);
  if (!text.has_value()) return 0;
  const auto schema = skiff::apiserver::CompiledSchema::Compile(
      text->root(), std::make_shared<skiff::apiserver::PatternCache>());
  if (!schema.has_value()) return 0;
  auto object = skiff::object::DecodeJson(input.substr(middle + 1), nullptr);
  if (object.has_value()) WriteObject(**schema, std::move(*object));
  return 0;
}
