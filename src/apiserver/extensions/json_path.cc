#include "apiserver/extensions/json_path.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/limits.h"
#include "base/strings.h"

namespace skiff::apiserver {

class JsonPath::Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<JsonPath> Run() {
    if (Take('@') || Take('$')) {
    }
    JsonPath out;
    while (!text_.empty() && text_[0] != ')') {
      if (out.steps_.size() == limits::kMaxDepth) return Unknown();
      SKIFF_ASSIGN_OR_RETURN(Step step, ReadStep());
      out.steps_.push_back(std::move(step));
    }
    return out;
  }
  std::string_view rest() const { return text_; }

 private:
  std::unexpected<Status> Unknown() const {
    return BadRequest("unrecognized JSONPath at " + Quoted(text_));
  }
  bool Take(char c) {
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void SkipSpace() {
    while (Take(' ')) {
    }
  }

  Result<Step> ReadStep() {
    if (text_.starts_with("..")) {
      text_.remove_prefix(1);
      if (text_.size() > 1 && text_[1] == '[') text_.remove_prefix(1);
      return Step{.kind = Step::kDescend};
    }
    if (text_.starts_with("[?(")) return ReadFilter();
    if (Take('[')) return ReadBrackets();
    if (!Take('.')) return Unknown();
    if (Take('*')) return Step{.kind = Step::kAll};
    if (text_.starts_with('[')) return ReadStep();
    Step step{.kind = Step::kFields};
    step.names.push_back(ReadName());
    if (step.names[0].empty()) return Unknown();
    return step;
  }

  // Up to what ends a name; a backslash takes the next character as it is.
  std::string ReadName() {
    std::string name;
    while (!text_.empty() &&
           std::string_view(".[ )=!<>").find(text_[0]) == std::string_view::npos) {
      if (text_[0] == '\\' && text_.size() > 1) text_.remove_prefix(1);
      name += text_[0];
      text_.remove_prefix(1);
    }
    return name;
  }

  Result<std::string> ReadQuoted() {
    const char quote = text_[0];
    text_.remove_prefix(1);
    std::string out;
    while (!text_.empty() && text_[0] != quote) {
      if (text_[0] == '\\' && text_.size() > 1) text_.remove_prefix(1);
      out += text_[0];
      text_.remove_prefix(1);
    }
    if (!Take(quote)) return Unknown();
    return out;
  }

  std::optional<int64_t> ReadInt() {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
    if (error != std::errc()) return std::nullopt;
    text_.remove_prefix(static_cast<size_t>(end - text_.data()));
    return number;
  }

  Result<Step> ReadBrackets() {
    if (text_.starts_with("*]")) {
      text_.remove_prefix(2);
      return Step{.kind = Step::kAll};
    }
    if (text_.starts_with('\'') || text_.starts_with('"')) return ReadNames();
    const std::optional<int64_t> first = ReadInt();
    if (text_.starts_with(':')) return ReadSlice(first);
    Step step{.kind = Step::kIndexes};
    if (!first) return Unknown();
    step.indexes.push_back(*first);
    while (Take(',')) {
      const std::optional<int64_t> next = ReadInt();
      if (!next) return Unknown();
      step.indexes.push_back(*next);
    }
    if (!Take(']')) return Unknown();
    return step;
  }

  Result<Step> ReadNames() {
    Step step{.kind = Step::kFields};
    do {
      if (!text_.starts_with('\'') && !text_.starts_with('"')) return Unknown();
      SKIFF_ASSIGN_OR_RETURN(std::string name, ReadQuoted());
      step.names.push_back(std::move(name));
    } while (Take(','));
    if (!Take(']')) return Unknown();
    return step;
  }

  Result<Step> ReadSlice(std::optional<int64_t> from) {
    Step step{.kind = Step::kSlice};
    step.from = from;
    Take(':');
    step.to = ReadInt();
    if (Take(':')) step.every = ReadInt().value_or(1);
    if (step.every <= 0 || !Take(']')) return Unknown();
    return step;
  }

  Result<Operand> ReadOperand() {
    SkipSpace();
    Operand out;
    if (text_.starts_with('@') || text_.starts_with('$')) {
      Parser inner(text_.substr(0, EndOfOperand()));
      const size_t size = inner.text_.size();
      SKIFF_ASSIGN_OR_RETURN(JsonPath path, inner.Run());
      out.path = std::make_shared<const JsonPath>(std::move(path));
      text_.remove_prefix(size);
    } else if (text_.starts_with('\'') || text_.starts_with('"')) {
      SKIFF_ASSIGN_OR_RETURN(out.text, ReadQuoted());
    } else {
      const size_t end = EndOfOperand();
      const std::string_view word = TrimSpace(text_.substr(0, end));
      if (word == "true" || word == "false") {
        out.truth = word == "true";
      } else {
        double number = 0;
        const auto [at, error] = std::from_chars(word.data(), word.data() + word.size(), number);
        if (error != std::errc() || at != word.data() + word.size()) return Unknown();
        out.number = number;
      }
      text_.remove_prefix(end);
    }
    SkipSpace();
    return out;
  }

  // Where a path or a word within a filter ends.
  size_t EndOfOperand() const {
    int depth = 0;
    for (size_t i = 0; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '[' || c == '(') ++depth;
      if ((c == ']' || c == ')') && depth-- == 0) return i;
      if (depth == 0 && (c == '=' || c == '!' || c == '<' || c == '>' || c == ' ')) return i;
    }
    return text_.size();
  }

  Result<Step> ReadFilter() {
    text_.remove_prefix(3);
    Step step{.kind = Step::kFilter};
    SKIFF_ASSIGN_OR_RETURN(step.left, ReadOperand());
    constexpr std::pair<std::string_view, Op> kOps[] = {
        {"==", Op::kEqual},        {"!=", Op::kNotEqual}, {"<=", Op::kLessEqual},
        {">=", Op::kGreaterEqual}, {"<", Op::kLess},      {">", Op::kGreater}};
    for (const auto& [text, op] : kOps) {
      if (!text_.starts_with(text)) continue;
      text_.remove_prefix(text.size());
      step.op = op;
      SKIFF_ASSIGN_OR_RETURN(step.right, ReadOperand());
      break;
    }
    if (!Take(')') || !Take(']')) return Unknown();
    return step;
  }

  std::string_view text_;
};

namespace {

void ForEachMember(const object::Value& value, auto call) {
  if (value.is_map()) {
    for (const object::MapEntry& entry : value.entries()) call(entry.value);
  } else if (value.is_object()) {
    for (const object::Value& member : value.members()) call(member);
  } else if (value.is_list()) {
    for (const object::Value& item : value.items()) call(item);
  }
}

void Descend(const object::Value& at, int depth, std::vector<const object::Value*>& out) {
  out.push_back(&at);
  if (depth > limits::kMaxDepth) return;
  ForEachMember(at, [&](const object::Value& below) { Descend(below, depth + 1, out); });
}

// What a comparison compares: a text, or a number, or a truth.
struct Comparable {
  std::string_view text;
  std::optional<double> number;
  std::optional<bool> truth;
};

std::optional<Comparable> ComparableOf(const object::Value& value) {
  switch (value.tag()) {
    case object::Tag::kString:
      return Comparable{value.AsText(), {}, {}};
    case object::Tag::kInt:
      return Comparable{{}, static_cast<double>(value.AsInt()), {}};
    case object::Tag::kDouble:
      return Comparable{{}, value.AsDouble(), {}};
    case object::Tag::kBool:
      return Comparable{{}, {}, value.AsBool()};
    default:
      return std::nullopt;
  }
}

// -1, 0 or 1; nothing if the two cannot be compared.
std::optional<int> Compare(const Comparable& a, const Comparable& b) {
  const auto order = [](const auto& x, const auto& y) { return x < y ? -1 : y < x ? 1 : 0; };
  if (a.number.has_value() != b.number.has_value() || a.truth.has_value() != b.truth.has_value()) {
    return std::nullopt;
  }
  if (a.number) return order(*a.number, *b.number);
  if (a.truth) return order(*a.truth, *b.truth);
  return order(a.text, b.text);
}

}  // namespace

bool JsonPath::Holds(const Step& filter, const object::Value& item) {
  const auto value_of = [&](const Operand& operand) -> std::optional<Comparable> {
    if (operand.path == nullptr) return Comparable{operand.text, operand.number, operand.truth};
    const object::Value* found = operand.path->First(item);
    return found != nullptr ? ComparableOf(*found) : std::nullopt;
  };
  if (filter.op == Op::kExists) {
    return filter.left.path != nullptr && filter.left.path->First(item) != nullptr;
  }
  const std::optional<Comparable> left = value_of(filter.left);
  const std::optional<Comparable> right = value_of(filter.right);
  if (!left || !right) return false;
  const std::optional<int> order = Compare(*left, *right);
  if (!order) return false;
  switch (filter.op) {
    case Op::kEqual:
      return *order == 0;
    case Op::kNotEqual:
      return *order != 0;
    case Op::kLess:
      return *order < 0;
    case Op::kLessEqual:
      return *order <= 0;
    case Op::kGreater:
      return *order > 0;
    default:
      return *order >= 0;
  }
}

void JsonPath::Follow(const Step& step, const object::Value& at,
                      std::vector<const object::Value*>& out) {
  const auto size = static_cast<int64_t>(at.size());
  switch (step.kind) {
    case Step::kFields:
      for (const std::string& name : step.names) {
        if (!at.is_map() && !at.is_object()) break;
        if (const object::Value* found = at.Find(name); found != nullptr) out.push_back(found);
      }
      return;
    case Step::kIndexes:
      for (const int64_t index : step.indexes) {
        const int64_t place = index < 0 ? size + index : index;
        if (at.is_list() && place >= 0 && place < size) {
          out.push_back(&at.items()[static_cast<size_t>(place)]);
        }
      }
      return;
    case Step::kSlice: {
      if (!at.is_list()) return;
      const auto place = [&](std::optional<int64_t> given, int64_t otherwise) {
        const int64_t index = given.value_or(otherwise);
        return std::clamp<int64_t>(index < 0 ? size + index : index, 0, size);
      };
      const int64_t end = place(step.to, size);
      for (int64_t i = place(step.from, 0); i < end; i += step.every) {
        out.push_back(&at.items()[static_cast<size_t>(i)]);
      }
      return;
    }
    case Step::kAll:
      return ForEachMember(at, [&](const object::Value& each) { out.push_back(&each); });
    case Step::kDescend:
      return Descend(at, 0, out);
    case Step::kFilter:
      if (!at.is_list()) return;
      for (const object::Value& item : at.items()) {
        if (Holds(step, item)) out.push_back(&item);
      }
      return;
  }
}

Result<JsonPath> JsonPath::Parse(std::string_view text) {
  Parser parser(text);
  SKIFF_ASSIGN_OR_RETURN(JsonPath out, parser.Run());
  if (!parser.rest().empty()) return BadRequest("unrecognized JSONPath " + Quoted(text));
  return out;
}

const object::Value* JsonPath::First(const object::Value& root) const {
  std::vector<const object::Value*> at = {&root};
  std::vector<const object::Value*> next;
  for (const Step& step : steps_) {
    next.clear();
    for (const object::Value* each : at) Follow(step, *each, next);
    if (next.empty()) return nullptr;
    at.swap(next);
  }
  return at.front();
}

}  // namespace skiff::apiserver
