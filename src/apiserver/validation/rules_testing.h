// Tables of faults, for tests of the rules of a kind: an object, an edit of it, and what is wrong
// then.
//
//   const RuleCase cases[] = {
//       {"spec.replicas: -1", "spec.replicas Invalid"},
//       {"spec.selector: ; spec.paused: true", "spec.selector Required, spec.template Invalid"},
//       {"spec.replicas: 2", ""},
//   };
//
// An edit is a list of paths (field_path.h) and JSON values; no value takes the field away. Faults
// are fields and reasons without "FieldValue", in order.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "apiserver/validation/kind_rules.h"
#include "base/strings.h"
#include "object/field_path.h"
#include "object/json/decode.h"
#include "object/json/encode.h"

namespace skiff::testing {

struct RuleCase {
  std::string_view edit;
  std::string_view faults;
};

inline void EditField(Document& object, std::string_view edit) {
  const size_t colon = edit.find(':');
  const Result<FieldPath> path = FieldPath::Parse(TrimSpace(edit.substr(0, colon)));
  ASSERT_TRUE(path) << edit << ": " << path.error().message();
  const std::string_view json = TrimSpace(edit.substr(colon + 1));
  if (json.empty()) return static_cast<void>(path->Delete(object));
  const Result<Document> value = DecodeJson(json, nullptr);
  ASSERT_TRUE(value) << edit << ": " << value.error().message();
  const Result<void> set =
      path->Set(object, value->root().CopyInto(object.arena()), FieldPath::Missing::kCreate);
  ASSERT_TRUE(set) << edit << ": " << set.error().message();
}

// The object, edited; of the type that it names.
inline Document Edited(std::string_view json, std::string_view edit) {
  Document object = DecodeJson(json, nullptr).value();
  while (!TrimSpace(edit).empty()) {
    const size_t end = edit.find(" ; ");
    EditField(object, edit.substr(0, end));
    edit = end == std::string_view::npos ? std::string_view() : edit.substr(end + 3);
  }
  const MessageDesc* type = FindKind(object.api_version(), object.kind());
  Result<Document> typed = DecodeJson(EncodeJson(object.root()), type);
  EXPECT_TRUE(typed) << edit << ": " << typed.error().message();
  return typed ? std::move(*typed) : Document::OfType(type);
}

inline std::string FaultsOf(const FieldErrors& errors) {
  std::string out;
  for (const StatusCause& cause : errors.causes()) {
    std::string_view reason = cause.reason;
    if (reason.starts_with("FieldValue")) reason.remove_prefix(10);
    out += (out.empty() ? "" : ", ") + cause.field + ' ' + std::string(reason);
  }
  return out;
}

inline void ExpectFaults(ValidateNew rule, std::string_view json, std::span<const RuleCase> cases) {
  for (const RuleCase& each : cases) {
    FieldErrors errors;
    rule(Edited(json, each.edit), errors);
    EXPECT_EQ(FaultsOf(errors), each.faults) << each.edit;
  }
}

// Of an update from the object to the edited one.
inline void ExpectFaults(ValidateChange rule, std::string_view json,
                         std::span<const RuleCase> cases) {
  const Document old = Edited(json, "");
  for (const RuleCase& each : cases) {
    FieldErrors errors;
    rule(Edited(json, each.edit), old, errors);
    EXPECT_EQ(FaultsOf(errors), each.faults) << each.edit;
  }
}

}  // namespace skiff::testing
