// Field selectors: the text of `?fieldSelector=`, such as
// `metadata.name=web,status.phase!=Running`.
//
// Terms are joined by commas; `=` and `==` ask for a value and `!=` forbids one. In a value a
// backslash escapes `,`, `=` and itself, and these must be escaped; names are taken as they stand.
// Empty terms are skipped, and so is a term without name and value. ToString() gives the text that
// Kubernetes prints: terms in the order of their original text, `==` as `=`, values escaped.
//
// Which names a kind has, and what their values are, is known to the caller: an absent field has
// the value "".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace skiff::object {

struct FieldTerm {
  std::string field;
  std::string value;
  bool negated = false;  // !=
  friend bool operator==(const FieldTerm&, const FieldTerm&) = default;
};

class FieldSelector {
 public:
  static FieldSelector Everything() { return FieldSelector(); }
  static FieldSelector Nothing();
  static FieldSelector Equals(std::string field, std::string value);
  static FieldSelector NotEquals(std::string field, std::string value);
  static Result<FieldSelector> Parse(std::string_view text);
  // What matches all of them.
  static FieldSelector And(std::span<const FieldSelector> selectors);

  // rewrite(term) changes the term in place and returns Result<void>; a term that it leaves with
  // neither field nor value is dropped. Kinds map and check field names with this.
  template <typename Rewrite>
  Result<FieldSelector> Transform(Rewrite rewrite) const {
    FieldSelector out;
    out.matches_nothing_ = matches_nothing_;
    for (FieldTerm term : terms_) {
      SKIFF_RETURN_IF_ERROR(rewrite(term));
      if (!term.field.empty() || !term.value.empty()) out.terms_.push_back(std::move(term));
    }
    return out;
  }

  const std::vector<FieldTerm>& terms() const { return terms_; }
  // Selects everything.
  bool empty() const { return !matches_nothing_ && terms_.empty(); }
  bool matches_nothing() const { return matches_nothing_; }
  // The value that the first `=` term of this field asks for.
  std::optional<std::string_view> RequiresExactMatch(std::string_view field) const;

  // get(field) returns std::string_view, "" for a field that the object lacks.
  template <typename Get>
  bool MatchesWith(Get get) const {
    if (matches_nothing_) return false;
    for (const FieldTerm& term : terms_) {
      if ((std::string_view(get(term.field)) == term.value) == term.negated) return false;
    }
    return true;
  }
  struct Field {
    std::string_view name;
    std::string_view value;
  };
  bool Matches(std::span<const Field> fields) const;

  // "" for both Everything and Nothing, as in Kubernetes.
  std::string ToString() const;
  friend bool operator==(const FieldSelector& a, const FieldSelector& b) = default;

 private:
  std::vector<FieldTerm> terms_;
  bool matches_nothing_ = false;
};

// The text as a value in a field selector, and back.
std::string EscapeFieldValue(std::string_view value);
Result<std::string> UnescapeFieldValue(std::string_view text);

}  // namespace skiff::object
