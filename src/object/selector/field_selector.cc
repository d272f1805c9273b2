#include "object/selector/field_selector.h"

#include <algorithm>

#include "base/limits.h"

namespace skiff::object {
namespace {

// The parts between commas that no backslash precedes, backslashes kept.
std::vector<std::string_view> SplitTerms(std::string_view text) {
  std::vector<std::string_view> terms;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == ',') {
      terms.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  terms.push_back(text.substr(begin));
  return terms;
}

Result<FieldTerm> ParseTerm(std::string_view selector, std::string_view term) {
  for (size_t i = 0; i < term.size(); ++i) {
    const bool negated = term.substr(i).starts_with("!=");
    if (!negated && term[i] != '=') continue;
    const size_t operator_size = negated || term.substr(i).starts_with("==") ? 2 : 1;
    SKIFF_ASSIGN_OR_RETURN(std::string value, UnescapeFieldValue(term.substr(i + operator_size)));
    return FieldTerm{std::string(term.substr(0, i)), std::move(value), negated};
  }
  return BadRequest("invalid selector: '" + std::string(selector) + "'; can't understand '" +
                    std::string(term) + "'");
}

}  // namespace

std::string EscapeFieldValue(std::string_view value) {
  std::string out;
  out.reserve(value.size());
  for (char c : value) {
    if (c == '\\' || c == ',' || c == '=') out += '\\';
    out += c;
  }
  return out;
}

Result<std::string> UnescapeFieldValue(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      const std::string_view sequence = text.substr(i, 2);
      if (sequence != "\\\\" && sequence != "\\," && sequence != "\\=") {
        return BadRequest("invalid field selector: invalid escape sequence: " +
                          std::string(sequence));
      }
      out += text[++i];
    } else if (text[i] == ',' || text[i] == '=') {
      // Kubernetes names the character by its number.
      return BadRequest("invalid field selector: unescaped character in value: " +
                        std::to_string(static_cast<int>(text[i])));
    } else {
      out += text[i];
    }
  }
  return out;
}

FieldSelector FieldSelector::Nothing() {
  FieldSelector nothing;
  nothing.matches_nothing_ = true;
  return nothing;
}

FieldSelector FieldSelector::Equals(std::string field, std::string value) {
  FieldSelector one;
  one.terms_.push_back({std::move(field), std::move(value), false});
  return one;
}

FieldSelector FieldSelector::NotEquals(std::string field, std::string value) {
  FieldSelector one = Equals(std::move(field), std::move(value));
  one.terms_[0].negated = true;
  return one;
}

Result<FieldSelector> FieldSelector::Parse(std::string_view text) {
  if (text.size() > limits::kMaxSelectorBytes) {
    return BadRequest("a field selector may have at most " +
                      std::to_string(limits::kMaxSelectorBytes) + " bytes");
  }
  std::vector<std::string_view> parts = SplitTerms(text);
  std::ranges::sort(parts);
  FieldSelector selector;
  for (std::string_view part : parts) {
    if (part.empty()) continue;
    SKIFF_ASSIGN_OR_RETURN(FieldTerm term, ParseTerm(text, part));
    if (term.field.empty() && term.value.empty()) continue;
    if (selector.terms_.size() == limits::kMaxSelectorRequirements) {
      return BadRequest("a field selector may have at most " +
                        std::to_string(limits::kMaxSelectorRequirements) + " terms");
    }
    selector.terms_.push_back(std::move(term));
  }
  return selector;
}

FieldSelector FieldSelector::And(std::span<const FieldSelector> selectors) {
  FieldSelector all;
  for (const FieldSelector& selector : selectors) {
    all.matches_nothing_ |= selector.matches_nothing_;
    std::ranges::copy(selector.terms_, std::back_inserter(all.terms_));
  }
  return all;
}

std::optional<std::string_view> FieldSelector::RequiresExactMatch(std::string_view field) const {
  for (const FieldTerm& term : terms_) {
    if (term.field == field && !term.negated) return term.value;
  }
  return std::nullopt;
}

bool FieldSelector::Matches(std::span<const Field> fields) const {
  return MatchesWith([fields](std::string_view name) {
    auto found = std::ranges::find(fields, name, &Field::name);
    return found == fields.end() ? std::string_view() : found->value;
  });
}

std::string FieldSelector::ToString() const {
  std::string out;
  for (size_t i = 0; i < terms_.size(); ++i) {
    if (i != 0) out += ',';
    out += terms_[i].field;
    out += terms_[i].negated ? "!=" : "=";
    out += EscapeFieldValue(terms_[i].value);
  }
  return out;
}

}  // namespace skiff::object
