// What the tests of this folder share.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "apiserver/extensions/schema/compiled_schema.h"
#include "object/json/decode.h"

namespace skiff::apiserver {

// Of JSON text, as a definition has it.
inline std::shared_ptr<const CompiledSchema> SchemaOfJson(std::string_view json) {
  const object::MessageDesc* type =
      object::FindMessage("apiextensions.k8s.io/v1", "JSONSchemaProps");
  const Result<object::Document> typed = object::DecodeJson(json, type);
  EXPECT_TRUE(typed.has_value()) << json.substr(0, 1000);
  if (!typed) return nullptr;
  auto made = CompiledSchema::Compile(typed->root(), std::make_shared<PatternCache>());
  EXPECT_TRUE(made.has_value()) << json.substr(0, 1000);
  return made ? *made : nullptr;
}

inline object::Document DocumentOfJson(std::string_view json) {
  Result<object::Document> document = object::DecodeJson(json, nullptr);
  EXPECT_TRUE(document.has_value()) << json.substr(0, 1000);
  return document ? std::move(*document) : object::Document();
}

inline std::string Repeated(std::string_view text, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += text;
  return out;
}

}  // namespace skiff::apiserver
