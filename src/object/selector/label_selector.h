// Label selectors: the text of `?labelSelector=` and the LabelSelector message of the API.
//
// The accepted language is that of Kubernetes, down to its corners: `a=`, `a in ()` and `a in (,b)`
// name the empty value, `in` and `notin` are keys and values where an operator cannot stand, a
// zero byte ends the text between tokens. Keys and values must be valid label keys and values.
// ToString() gives the canonical text, byte for byte what Kubernetes prints: requirements in order
// of key (those of one key in the order given), values in order. Two selectors are the same when
// their canonical texts are.
//
// The size of a selector's text and the number of its requirements are bounded (base/limits.h).
//
// A LabelSelector matches text. To match many objects, bind it to their symbols (label_set.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "object/value.h"

namespace skiff::object {

enum class LabelOperator : uint8_t {
  kEquals,        // =
  kDoubleEquals,  // ==, the same but for its canonical text
  kNotEquals,     // !=
  kIn,
  kNotIn,
  kExists,
  kDoesNotExist,
  kGreaterThan,
  kLessThan,
};

class LabelRequirement {
 public:
  // Fails, naming every fault, when the key, the operator's number of values or a value is wrong.
  static Result<LabelRequirement> Make(std::string key, LabelOperator op,
                                       std::vector<std::string> values);

  const std::string& key() const { return key_; }
  LabelOperator op() const { return op_; }
  const std::vector<std::string>& values() const { return values_; }  // ascending
  int64_t number() const { return number_; }  // of kGreaterThan and kLessThan

  // `value` is null when the object lacks the key.
  bool Holds(const std::string_view* value) const;
  void AppendTo(std::string* out) const;

 private:
  LabelRequirement(std::string key, LabelOperator op, std::vector<std::string> values)
      : key_(std::move(key)), op_(op), values_(std::move(values)) {}
  std::string key_;
  LabelOperator op_;
  std::vector<std::string> values_;
  int64_t number_ = 0;
};

class LabelSelector {
 public:
  static LabelSelector Everything() { return LabelSelector(); }
  static LabelSelector Nothing();
  static Result<LabelSelector> Parse(std::string_view text);
  // Of a metav1.LabelSelector, typed or as a map: none (or null) selects nothing, an empty one
  // everything.
  static Result<LabelSelector> FromValue(const Value* selector);
  // The labels of a map such as a service's selector; an empty or absent one selects everything.
  static Result<LabelSelector> FromLabels(const Value* labels);

  // All of the given requirements too. Nothing stays nothing.
  void Add(std::vector<LabelRequirement> requirements);

  const std::vector<LabelRequirement>& requirements() const { return requirements_; }
  // Selects everything.
  bool empty() const { return !matches_nothing_ && requirements_.empty(); }
  // Is Nothing(); contradictions between requirements are not looked for.
  bool matches_nothing() const { return matches_nothing_; }
  // The value that the first requirement on this key asks for, if it asks for exactly one.
  std::optional<std::string_view> RequiresExactMatch(std::string_view key) const;

  // find(key) returns std::optional<std::string_view>.
  template <typename Find>
  bool MatchesWith(Find find) const {
    if (matches_nothing_) return false;
    for (const LabelRequirement& requirement : requirements_) {
      const std::optional<std::string_view> value = find(requirement.key());
      if (!requirement.Holds(value ? &*value : nullptr)) return false;
    }
    return true;
  }
  // `labels` is a map of strings such as metadata.labels, or null.
  bool Matches(const Value* labels) const;

  // "" for both Everything and Nothing, as in Kubernetes.
  std::string ToString() const;
  friend bool operator==(const LabelSelector& a, const LabelSelector& b) {
    return a.matches_nothing_ == b.matches_nothing_ && a.ToString() == b.ToString();
  }

 private:
  std::vector<LabelRequirement> requirements_;  // in order of key
  bool matches_nothing_ = false;
};

}  // namespace skiff::object
