// Rules of a kind held against objects that differ from a valid one in a few fields, for tests.
//
//   const RulesTester service("v1", "Service", R"({"spec": {…}})");
//   service.ExpectNew({{"spec.type=Other", "spec.type NotSupported"}});
//
// Edits are path=JSON, several joined with " & "; text that is no JSON is a string, '' an empty
// one, and nothing takes the field away. Faults are "path Reason", in order, several joined with ";
// ".
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "apiserver/registry/find_rules.h"
#include "apiserver/validation/kind_rules.h"
#include "base/feature_gates.h"
#include "object/field_path.h"
#include "object/json/decode.h"
#include "object/json/encode.h"

namespace skiff::testing {

class RulesTester {
 public:
  struct NewCase {
    std::string_view edits;
    std::string_view faults;
  };
  // Edits of the stored object, and on top of them those of the new one.
  struct ChangeCase {
    std::string_view old_edits;
    std::string_view edits;
    std::string_view faults;
  };

  RulesTester(std::string_view api_version, std::string_view kind, std::string_view valid)
      : type_(object::FindKind(api_version, kind)),
        rules_(apiserver::FindRules(type_->group_version->group, kind)),
        valid_(valid) {}
  RulesTester(const apiserver::KindRules& rules, std::string_view api_version,
              std::string_view valid)
      : type_(object::FindKind(api_version, rules.kind)), rules_(&rules), valid_(valid) {}

  // The same rules in a server that was given these gates.
  RulesTester With(const GivenGates& gates) const {
    RulesTester out = *this;
    out.settings_.gates = FeatureGates(gates);
    return out;
  }

  std::string New(std::string_view edits) const {
    apiserver::FieldErrors errors(settings_);
    rules_->create(Make(valid_, edits), errors);
    return Text(errors);
  }
  std::vector<StatusCause> NewCauses(std::string_view edits) const {
    apiserver::FieldErrors errors(settings_);
    rules_->create(Make(valid_, edits), errors);
    return errors.Take();
  }
  // The faults with their messages, "path: message" joined with "; ".
  std::string NewMessages(std::string_view edits) const {
    apiserver::FieldErrors errors(settings_);
    rules_->create(Make(valid_, edits), errors);
    return Messages(errors);
  }
  std::string ChangedMessages(std::string_view old_edits, std::string_view edits,
                              std::string_view subresource = {}) const {
    const std::string before = Edited(valid_, old_edits);
    apiserver::FieldErrors errors(settings_);
    rules_->OfUpdate(subresource)(Make(before, edits), Make(before, {}), errors);
    return Messages(errors);
  }
  std::string Changed(std::string_view old_edits, std::string_view edits,
                      std::string_view subresource = {}) const {
    const std::string before = Edited(valid_, old_edits);
    apiserver::FieldErrors errors(settings_);
    rules_->OfUpdate(subresource)(Make(before, edits), Make(before, {}), errors);
    return Text(errors);
  }
  std::vector<std::string> Warnings(std::string_view edits) const {
    std::vector<std::string> warnings;
    rules_->warn(Make(valid_, edits), nullptr, settings_, warnings);
    return warnings;
  }
  std::vector<std::string> ChangeWarnings(std::string_view old_edits,
                                          std::string_view edits) const {
    const std::string before = Edited(valid_, old_edits);
    std::vector<std::string> warnings;
    const object::Document old = Make(before, {});
    rules_->warn(Make(before, edits), &old, settings_, warnings);
    return warnings;
  }

  void ExpectNew(std::initializer_list<NewCase> cases) const {
    ASSERT_NE(rules_, nullptr);
    EXPECT_EQ(New({}), "");
    for (const NewCase& each : cases) EXPECT_EQ(New(each.edits), each.faults) << each.edits;
  }
  void ExpectChanged(std::initializer_list<ChangeCase> cases,
                     std::string_view subresource = {}) const {
    ASSERT_NE(rules_, nullptr);
    EXPECT_EQ(Changed({}, {}, subresource), "");
    for (const ChangeCase& each : cases) {
      EXPECT_EQ(Changed(each.old_edits, each.edits, subresource), each.faults)
          << each.old_edits << " -> " << each.edits;
    }
  }

 private:
  static std::string Messages(const apiserver::FieldErrors& errors) {
    std::string out;
    for (const StatusCause& cause : errors.causes()) {
      (out += out.empty() ? "" : "; ") += cause.field;
      (out += ": ") += cause.message;
    }
    return out;
  }

  static std::string Text(const apiserver::FieldErrors& errors) {
    std::string out;
    for (const StatusCause& cause : errors.causes()) {
      std::string_view reason = cause.reason;
      if (reason.starts_with("FieldValue")) reason.remove_prefix(10);
      (out += out.empty() ? "" : "; ") += cause.field;
      (out += ' ') += reason;
    }
    return out;
  }

  static void Apply(object::Document& document, std::string_view edit) {
    size_t equals = 0;
    for (int depth = 0; equals < edit.size() && (edit[equals] != '=' || depth != 0); ++equals) {
      if (edit[equals] == '[') ++depth;
      if (edit[equals] == ']') --depth;
    }
    ASSERT_LT(equals, edit.size()) << edit;
    const Result<object::FieldPath> path = object::FieldPath::Parse(edit.substr(0, equals));
    ASSERT_TRUE(path) << edit;
    const std::string_view text = edit.substr(equals + 1);
    if (text.empty()) {
      EXPECT_TRUE(path->Delete(document)) << edit;
      return;
    }
    const Result<object::Document> json = object::DecodeJson(text == "''" ? "\"\"" : text, nullptr);
    const object::Value value = json ? json->root().CopyInto(document.arena())
                                     : object::Value::String(text).CopyInto(document.arena());
    EXPECT_TRUE(path->Set(document, value, object::FieldPath::Missing::kCreate)) << edit;
  }

  static std::string Edited(std::string_view json, std::string_view edits) {
    Result<object::Document> document = object::DecodeJson(json, nullptr);
    if (!document) {
      ADD_FAILURE() << json;
      return "{}";
    }
    while (!edits.empty()) {
      const size_t end = std::min(edits.find(" & "), edits.size());
      Apply(*document, edits.substr(0, end));
      edits.remove_prefix(std::min(end + 3, edits.size()));
    }
    return object::EncodeJson(document->root());
  }

  object::Document Make(std::string_view json, std::string_view edits) const {
    Result<object::Document> document = object::DecodeJson(Edited(json, edits), type_);
    EXPECT_TRUE(document) << edits;
    return document ? std::move(*document) : object::Document::OfType(type_);
  }

  const object::MessageDesc* type_;
  const apiserver::KindRules* rules_;
  std::string valid_;
  apiserver::KindSettings settings_;
};

}  // namespace skiff::testing
