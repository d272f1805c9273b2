// For the tests of this folder: objects and sets from text, and sets as text.
#pragma once

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "object/fields/field_set.h"
#include "object/fields/fields_v1.h"
#include "object/json/decode.h"

namespace skiff::object {

inline Document Untyped(std::string_view json) {
  Result<Document> out = DecodeJson(json, nullptr);
  EXPECT_TRUE(out) << out.error().ToString();
  return out ? std::move(*out) : Document();
}

inline Document Typed(std::string_view api_version, std::string_view kind, std::string_view json) {
  Result<Document> out = DecodeJson(json, FindKind(api_version, kind));
  EXPECT_TRUE(out) << out.error().ToString();
  return out ? std::move(*out) : Document();
}

// The text must outlive the set.
inline FieldSet SetOf(Arena& arena, std::string_view json) {
  const Result<FieldSet> out = ParseFieldsV1(arena, json);
  EXPECT_TRUE(out) << json << ": " << out.error().ToString();
  return out ? *out : FieldSet();
}

inline std::string TextOf(const FieldSet& set) {
  ByteBuffer out;
  AppendFieldsV1(out, set);
  return out.ToString();
}

}  // namespace skiff::object
