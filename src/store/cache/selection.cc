#include "store/cache/selection.h"

#include <algorithm>

namespace skiff::store {

Result<Selection> Selection::Bind(SelectionRequest request, const EntryShape& shape,
                                  object::SymbolTable& symbols) {
  Selection out;
  out.name_space_ = std::move(request.name_space);
  out.name_ = std::move(request.name);
  if (!out.name_space_.empty()) out.page_prefix_ = out.name_space_ + "/";
  // Neither namespaces nor names nor label selectors hold a line end; field values come last.
  out.identity_ = out.name_space_ + "\n" + out.name_ + "\n" + request.labels.ToString() + "\n" +
                  request.fields.ToString();
  if (!request.labels.empty()) {
    out.labels_.emplace(symbols, request.labels);
    out.unfiltered_ = false;
  }
  // The text of a selector does not tell all and nothing apart.
  out.matches_nothing_ = request.fields.matches_nothing() || request.labels.matches_nothing();
  if (out.matches_nothing_) out.identity_ += "\nnothing";
  SKIFF_RETURN_IF_ERROR(out.BindFields(request.fields, shape));
  out.BindScope(shape);
  if (!out.single_ && !out.unfiltered_) out.BindLookups(request.labels);
  return out;
}

Result<void> Selection::BindFields(const object::FieldSelector& selector, const EntryShape& shape) {
  for (const object::FieldTerm& term : selector.terms()) {
    unfiltered_ = false;
    if (term.field == kNameField) {
      BindKeyTerm(term, name_);
    } else if (term.field == kNamespaceField) {
      if (shape.namespaced) {
        BindKeyTerm(term, name_space_);
      } else if (term.value.empty() == term.negated) {
        matches_nothing_ = true;  // a cluster-wide object's namespace is empty
      }
    } else if (const std::optional<size_t> field = shape.find_field(term.field)) {
      BindTerm(term, *field, shape);
    } else {
      return BadRequest("field label not supported: " + term.field);
    }
  }
  return {};
}

void Selection::BindTerm(const object::FieldTerm& term, size_t field, const EntryShape& shape) {
  terms_.push_back({.field = field, .value = term.value, .negated = term.negated});
  const auto indexed = std::ranges::find(shape.indexed, field);
  if (term.negated || indexed_ || indexed == shape.indexed.end()) return;
  indexed_ = {.index = static_cast<size_t>(indexed - shape.indexed.begin()), .value = term.value};
}

void Selection::BindKeyTerm(const object::FieldTerm& term, std::string& scope) {
  if (term.negated) {
    key_terms_.push_back(term);
  } else if (term.value.empty() || (!scope.empty() && scope != term.value)) {
    matches_nothing_ = true;  // no object has an empty name, or two
  } else {
    scope = term.value;
  }
}

void Selection::BindScope(const EntryShape& shape) {
  scoped_ = !name_.empty() || !name_space_.empty();
  single_ = !name_.empty() && (!shape.namespaced || !name_space_.empty());
  if (single_) {
    range_from_ = shape.namespaced ? name_space_ + "/" + name_ : name_;
    range_to_ = range_from_ + '\0';
  } else if (!name_space_.empty()) {
    range_from_ = name_space_ + "/";
    range_to_ = name_space_ + static_cast<char>('/' + 1);
  }
}

void Selection::BindLookups(const object::LabelSelector& labels) {
  for (const object::LabelRequirement& requirement : labels.requirements()) {
    switch (requirement.op()) {
      case object::LabelOperator::kEquals:
      case object::LabelOperator::kDoubleEquals:
      case object::LabelOperator::kIn: {
        std::vector<std::string> values = requirement.values();
        values.erase(std::ranges::unique(values).begin(), values.end());
        lookups_.push_back({{Lookup::Kind::kLabelValue, requirement.key()}, std::move(values)});
        break;
      }
      case object::LabelOperator::kExists:
      case object::LabelOperator::kGreaterThan:
      case object::LabelOperator::kLessThan:
        lookups_.push_back({{Lookup::Kind::kLabelKey, requirement.key()}, {std::string()}});
        break;
      case object::LabelOperator::kNotEquals:
      case object::LabelOperator::kNotIn:
      case object::LabelOperator::kDoesNotExist:
        break;  // true of most entries, as a rule
    }
  }
  for (const Term& term : terms_) {
    if (term.negated) continue;
    lookups_.push_back({{Lookup::Kind::kField, {}, term.field}, {term.value}});
  }
  if (!name_.empty()) lookups_.push_back({{Lookup::Kind::kName}, {name_}});
}

bool Selection::MatchesScope(const CacheEntry& entry) const {
  if (single_) return entry.key() == range_from_;
  if (!range_from_.empty() && !entry.key().starts_with(range_from_)) return false;
  return name_.empty() || entry.name() == name_;
}

bool Selection::Matches(const CacheEntry& entry) const {
  if (matches_nothing_ || (scoped_ && !MatchesScope(entry))) return false;
  if (unfiltered_ || !entry.readable()) return true;
  if (labels_ && !labels_->Matches(entry.labels())) return false;
  for (const Term& term : terms_) {
    if ((entry.field(term.field) == term.value) == term.negated) return false;
  }
  for (const object::FieldTerm& term : key_terms_) {
    if (term.value == (term.field == kNameField ? entry.name() : entry.name_space())) return false;
  }
  return true;
}

}  // namespace skiff::store
