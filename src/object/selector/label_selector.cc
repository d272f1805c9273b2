#include "object/selector/label_selector.h"

#include <algorithm>

#include "base/limits.h"
#include "base/strings.h"
#include "object/scalar/names.h"
#include "object/selector/label_lexer.h"
#include "object/selector/symbols.h"

namespace skiff::object {
namespace {

std::string Joined(const NameProblems& problems) {
  std::string out;
  for (const std::string& problem : problems) out += (out.empty() ? "" : "; ") + problem;
  return out;
}

// What is wrong with a key or a value; "" when nothing is.
std::string LabelKeyProblem(std::string_view key) {
  return IsQualifiedName(key) ? std::string() : Joined(CheckQualifiedName(key));
}
std::string LabelValueProblem(std::string_view value) {
  return IsLabelValue(value) ? std::string() : Joined(CheckLabelValue(value));
}

std::string Found(std::string_view text, std::string_view expected) {
  return "found '" + std::string(text) + "', expected: " + std::string(expected);
}

std::string InvalidValue(std::string_view path, std::string_view value, std::string_view problem) {
  return std::string(path) + ": Invalid value: " + Quoted(value) + ": " + std::string(problem);
}

class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(LexLabelSelector(text)) {}

  Result<std::vector<LabelRequirement>> Parse() {
    std::vector<LabelRequirement> requirements;
    while (Peek().kind != LabelToken::kEnd) {
      if (!StartsRequirement(Peek())) {
        return BadRequest(Found(Peek().text, "!, identifier, or 'end of string'"));
      }
      if (requirements.size() == limits::kMaxSelectorRequirements) {
        return BadRequest("a label selector may have at most " +
                          std::to_string(limits::kMaxSelectorRequirements) + " requirements");
      }
      auto requirement = ParseRequirement();
      if (!requirement) {
        Status status = std::move(requirement).error();
        status.SetMessage("unable to parse requirement: " + status.message());
        return std::unexpected(std::move(status));
      }
      requirements.push_back(std::move(*requirement));
      const LabelToken next = Take();
      if (next.kind == LabelToken::kEnd) break;
      if (next.kind != LabelToken::kComma) {
        return BadRequest(Found(next.text, "',' or 'end of string'"));
      }
      if (!StartsRequirement(Peek())) {
        return BadRequest(Found(Peek().text, "identifier after ','"));
      }
    }
    return requirements;
  }

 private:
  static bool StartsRequirement(const LabelToken& token) {
    return token.is_word() || token.kind == LabelToken::kNot;
  }

  const LabelToken& Peek() const { return tokens_[at_]; }
  // The end is never passed: nothing follows it, and it repeats.
  LabelToken Take() {
    const LabelToken token = tokens_[at_];
    if (token.kind != LabelToken::kEnd) ++at_;
    return token;
  }

  Result<LabelRequirement> ParseRequirement() {
    const bool negated = Peek().kind == LabelToken::kNot;
    if (negated) Take();
    const LabelToken key = Take();
    if (!key.is_word()) return BadRequest(Found(key.text, "identifier"));
    if (std::string problem = LabelKeyProblem(key.text); !problem.empty()) {
      return BadRequest(InvalidValue("<nil>", key.text, problem));
    }
    std::string key_text(key.text);
    if (negated) {
      return LabelRequirement::Make(std::move(key_text), LabelOperator::kDoesNotExist, {});
    }
    if (Peek().kind == LabelToken::kEnd || Peek().kind == LabelToken::kComma) {
      return LabelRequirement::Make(std::move(key_text), LabelOperator::kExists, {});
    }
    SKIFF_ASSIGN_OR_RETURN(const LabelOperator op, ParseOperator());
    const bool is_set = op == LabelOperator::kIn || op == LabelOperator::kNotIn;
    SKIFF_ASSIGN_OR_RETURN(auto values, is_set ? ParseSet() : ParseSingle());
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return LabelRequirement::Make(std::move(key_text), op, std::move(values));
  }

  Result<LabelOperator> ParseOperator() {
    const LabelToken token = Take();
    switch (token.kind) {
      case LabelToken::kEquals:
        return LabelOperator::kEquals;
      case LabelToken::kDoubleEquals:
        return LabelOperator::kDoubleEquals;
      case LabelToken::kNotEquals:
        return LabelOperator::kNotEquals;
      case LabelToken::kIn:
        return LabelOperator::kIn;
      case LabelToken::kNotIn:
        return LabelOperator::kNotIn;
      case LabelToken::kGreater:
        return LabelOperator::kGreaterThan;
      case LabelToken::kLess:
        return LabelOperator::kLessThan;
      default:
        return BadRequest(Found(token.text, "in, notin, =, ==, !=, gt, lt"));
    }
  }

  Result<std::vector<std::string>> ParseSingle() {
    if (Peek().kind == LabelToken::kEnd || Peek().kind == LabelToken::kComma) return {{""}};
    const LabelToken token = Take();
    if (!token.is_word()) return BadRequest(Found(token.text, "identifier"));
    return {{std::string(token.text)}};
  }

  // Words with commas between them, where a missing word is the empty value. Two words in a row
  // are the one thing that is not allowed.
  Result<std::vector<std::string>> ParseSet() {
    if (const LabelToken open = Take(); open.kind != LabelToken::kOpen) {
      return BadRequest("found '" + std::string(open.text) + "' expected: '('");
    }
    std::vector<std::string> values;
    for (bool word_before = false;;) {
      const LabelToken token = Take();
      if (token.is_word() && !word_before) {
        values.emplace_back(token.text);
        word_before = true;
      } else if (token.kind == LabelToken::kComma || token.kind == LabelToken::kClose) {
        if (!word_before) values.emplace_back();
        if (token.kind == LabelToken::kClose) return values;
        word_before = false;
      } else {
        return BadRequest(Found(token.text, word_before ? "',' or ')'" : "',', or identifier"));
      }
    }
  }

  std::vector<LabelToken> tokens_;
  size_t at_ = 0;
};

// A string member, "" when absent.
Result<std::string_view> TextMember(const Value& object, std::string_view name) {
  const Value* member = object.Find(name);
  if (member == nullptr || member->is_null()) return std::string_view();
  if (!member->is_string()) return BadField(std::string(name), "must be a string");
  return member->AsText();
}

Result<LabelRequirement> RequirementFromValue(const Value& expression) {
  if (!expression.is_object() && !expression.is_map()) {
    return BadField("matchExpressions", "must be a list of objects");
  }
  SKIFF_ASSIGN_OR_RETURN(const std::string_view key, TextMember(expression, "key"));
  SKIFF_ASSIGN_OR_RETURN(const std::string_view name, TextMember(expression, "operator"));
  LabelOperator op = LabelOperator::kIn;
  if (name == "In") {
    op = LabelOperator::kIn;
  } else if (name == "NotIn") {
    op = LabelOperator::kNotIn;
  } else if (name == "Exists") {
    op = LabelOperator::kExists;
  } else if (name == "DoesNotExist") {
    op = LabelOperator::kDoesNotExist;
  } else {
    return BadRequest(Quoted(name) + " is not a valid label selector operator");
  }
  std::vector<std::string> values;
  if (const Value* list = expression.Find("values"); list != nullptr && !list->is_null()) {
    if (!list->is_list()) return BadField("values", "must be a list of strings");
    for (const Value& item : list->items()) {
      if (!item.is_string()) return BadField("values", "must be a list of strings");
      values.emplace_back(item.AsText());
    }
  }
  return LabelRequirement::Make(std::string(key), op, std::move(values));
}

// Adds `key = value` for each label of a map; the map may be absent.
Result<void> AddLabels(const Value* labels, std::vector<LabelRequirement>& requirements) {
  if (labels == nullptr || labels->is_null()) return {};
  if (!labels->is_map()) return BadField("matchLabels", "must be a map of strings");
  for (const MapEntry& entry : labels->entries()) {
    if (!entry.value.is_string()) return BadField("matchLabels", "must be a map of strings");
    SKIFF_ASSIGN_OR_RETURN(auto requirement,
                           LabelRequirement::Make(std::string(entry.key), LabelOperator::kEquals,
                                                  {std::string(entry.value.AsText())}));
    requirements.push_back(std::move(requirement));
  }
  return {};
}

// What is wrong with the number of values, or with their being numbers; "" when nothing is.
std::string ValuesProblem(LabelOperator op, const std::vector<std::string>& values) {
  std::string_view problem;
  switch (op) {
    case LabelOperator::kIn:
    case LabelOperator::kNotIn:
      if (values.empty()) problem = "for 'in', 'notin' operators, values set can't be empty";
      break;
    case LabelOperator::kEquals:
    case LabelOperator::kDoubleEquals:
    case LabelOperator::kNotEquals:
      if (values.size() != 1) problem = "exact-match compatibility requires one single value";
      break;
    case LabelOperator::kExists:
    case LabelOperator::kDoesNotExist:
      if (!values.empty()) problem = "values set must be empty for exists and does not exist";
      break;
    case LabelOperator::kGreaterThan:
    case LabelOperator::kLessThan:
      if (values.size() != 1) {
        problem = "for 'Gt', 'Lt' operators, exactly one value is required";
      } else if (!ParseDecimal(values[0])) {
        return InvalidValue("values[0]", values[0],
                            "for 'Gt', 'Lt' operators, the value must be an integer");
      }
      break;
  }
  if (problem.empty()) return {};
  std::string list;
  for (const std::string& value : values) list += (list.empty() ? "" : ",") + Quoted(value);
  return "values: Invalid value: " + (values.empty() ? "null" : "[" + list + "]") + ": " +
         std::string(problem);
}

}  // namespace

Result<LabelRequirement> LabelRequirement::Make(std::string key, LabelOperator op,
                                                std::vector<std::string> values) {
  std::vector<std::string> faults;
  if (std::string problem = LabelKeyProblem(key); !problem.empty()) {
    faults.push_back(InvalidValue("key", key, problem));
  }
  if (std::string problem = ValuesProblem(op, values); !problem.empty()) {
    faults.push_back(std::move(problem));
  }
  for (size_t i = 0; i < values.size() && faults.size() < limits::kMaxFieldIssues; ++i) {
    if (std::string problem = LabelValueProblem(values[i]); !problem.empty()) {
      faults.push_back(
          InvalidValue("values[" + std::to_string(i) + "][" + key + "]", values[i], problem));
    }
  }
  if (faults.size() == 1) return BadRequest(std::move(faults[0]));
  if (!faults.empty()) {
    std::string all;
    for (const std::string& fault : faults) all += (all.empty() ? "" : ", ") + fault;
    return BadRequest("[" + all + "]");
  }
  std::ranges::sort(values);
  LabelRequirement made(std::move(key), op, std::move(values));
  if (op == LabelOperator::kGreaterThan || op == LabelOperator::kLessThan) {
    made.number_ = *ParseDecimal(made.values_[0]);
  }
  return made;
}

bool LabelRequirement::Holds(const std::string_view* value) const {
  auto has_value = [&] { return std::ranges::binary_search(values_, *value); };
  switch (op_) {
    case LabelOperator::kEquals:
    case LabelOperator::kDoubleEquals:
    case LabelOperator::kIn:
      return value != nullptr && has_value();
    case LabelOperator::kNotEquals:
    case LabelOperator::kNotIn:
      return value == nullptr || !has_value();
    case LabelOperator::kExists:
      return value != nullptr;
    case LabelOperator::kDoesNotExist:
      return value == nullptr;
    case LabelOperator::kGreaterThan:
    case LabelOperator::kLessThan:
      break;
  }
  const auto number = value == nullptr ? std::nullopt : ParseDecimal(*value);
  if (!number) return false;
  return op_ == LabelOperator::kLessThan ? *number < number_ : *number > number_;
}

void LabelRequirement::AppendTo(std::string* out) const {
  if (op_ == LabelOperator::kDoesNotExist) *out += '!';
  *out += key_;
  bool is_set = false;
  switch (op_) {
    case LabelOperator::kEquals:
      *out += '=';
      break;
    case LabelOperator::kDoubleEquals:
      *out += "==";
      break;
    case LabelOperator::kNotEquals:
      *out += "!=";
      break;
    case LabelOperator::kGreaterThan:
      *out += '>';
      break;
    case LabelOperator::kLessThan:
      *out += '<';
      break;
    case LabelOperator::kIn:
      *out += " in (";
      is_set = true;
      break;
    case LabelOperator::kNotIn:
      *out += " notin (";
      is_set = true;
      break;
    case LabelOperator::kExists:
    case LabelOperator::kDoesNotExist:
      return;
  }
  for (size_t i = 0; i < values_.size(); ++i) {
    if (i != 0) *out += ',';
    *out += values_[i];
  }
  if (is_set) *out += ')';
}

LabelSelector LabelSelector::Nothing() {
  LabelSelector nothing;
  nothing.matches_nothing_ = true;
  return nothing;
}

Result<LabelSelector> LabelSelector::Parse(std::string_view text) {
  if (text.size() > limits::kMaxSelectorBytes) {
    return BadRequest("a label selector may have at most " +
                      std::to_string(limits::kMaxSelectorBytes) + " bytes");
  }
  SKIFF_ASSIGN_OR_RETURN(auto requirements, Parser(text).Parse());
  LabelSelector selector;
  selector.Add(std::move(requirements));
  return selector;
}

Result<LabelSelector> LabelSelector::FromValue(const Value* selector) {
  if (selector == nullptr || selector->is_null()) return Nothing();
  if (!selector->is_object() && !selector->is_map()) {
    return BadRequest("a label selector must be an object");
  }
  std::vector<LabelRequirement> requirements;
  SKIFF_RETURN_IF_ERROR(AddLabels(selector->Find("matchLabels"), requirements));
  const Value* expressions = selector->Find("matchExpressions");
  if (expressions != nullptr && !expressions->is_null()) {
    if (!expressions->is_list()) return BadField("matchExpressions", "must be a list of objects");
    for (const Value& expression : expressions->items()) {
      SKIFF_ASSIGN_OR_RETURN(auto requirement, RequirementFromValue(expression));
      requirements.push_back(std::move(requirement));
    }
  }
  if (requirements.size() > limits::kMaxSelectorRequirements) {
    return BadRequest("a label selector may have at most " +
                      std::to_string(limits::kMaxSelectorRequirements) + " requirements");
  }
  LabelSelector made;
  made.Add(std::move(requirements));
  return made;
}

Result<LabelSelector> LabelSelector::FromLabels(const Value* labels) {
  LabelSelector made;
  SKIFF_RETURN_IF_ERROR(AddLabels(labels, made.requirements_));
  return made;
}

void LabelSelector::Add(std::vector<LabelRequirement> requirements) {
  if (matches_nothing_) return;
  std::ranges::move(requirements, std::back_inserter(requirements_));
  std::ranges::stable_sort(requirements_, {}, &LabelRequirement::key);
}

std::optional<std::string_view> LabelSelector::RequiresExactMatch(std::string_view key) const {
  for (const LabelRequirement& requirement : requirements_) {
    if (requirement.key() != key) continue;
    const LabelOperator op = requirement.op();
    const bool equality = op == LabelOperator::kEquals || op == LabelOperator::kDoubleEquals ||
                          op == LabelOperator::kIn;
    if (equality && requirement.values().size() == 1) return requirement.values()[0];
    return std::nullopt;
  }
  return std::nullopt;
}

bool LabelSelector::Matches(const Value* labels) const {
  return MatchesWith([labels](std::string_view key) -> std::optional<std::string_view> {
    if (labels == nullptr || !labels->is_map()) return std::nullopt;
    const Value* found = labels->Find(key);
    if (found == nullptr || !found->is_string()) return std::nullopt;
    return found->AsText();
  });
}

std::string LabelSelector::ToString() const {
  std::string out;
  for (size_t i = 0; i < requirements_.size(); ++i) {
    if (i != 0) out += ',';
    requirements_[i].AppendTo(&out);
  }
  return out;
}

}  // namespace skiff::object
