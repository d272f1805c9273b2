#include "object/field_path.h"

#include <algorithm>
#include <charconv>

#include "base/limits.h"
#include "base/strings.h"
#include "object/spot_type.h"

namespace skiff::object {
namespace {

bool NeedsQuotes(std::string_view text) {
  return text.empty() || text.find_first_of(".[]'\"\\=, \t\n") != std::string_view::npos;
}

void AppendQuoted(std::string& out, std::string_view text) {
  out += '\'';
  for (char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  out += '\'';
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<std::vector<FieldPathStep>> Parse() {
    std::vector<FieldPathStep> steps;
    if (Peek() == '.') ++at_;
    if (at_ == text_.size() && at_ != 0) return Error("a name must follow the dot");
    bool after_dot = true;
    while (at_ < text_.size() || (after_dot && at_ != 0)) {
      if (steps.size() == limits::kMaxFieldPathSteps) {
        return Error("a path may have at most " + std::to_string(limits::kMaxFieldPathSteps) +
                     " steps");
      }
      if (Peek() == '[' && (!after_dot || steps.empty())) {
        SKIFF_ASSIGN_OR_RETURN(steps.emplace_back(), ParseBracket());
      } else {
        if (!after_dot) return Error("expected '.' or '['");
        const size_t end = std::min(text_.find_first_of(".[]'\"", at_), text_.size());
        if (end == at_) return Error("expected a name");
        steps.emplace_back().name = text_.substr(at_, end - at_);
        at_ = end;
      }
      after_dot = Peek() == '.';
      if (after_dot) ++at_;
    }
    return steps;
  }

 private:
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  std::unexpected<Status> Error(std::string_view problem) const {
    return BadRequest("invalid field path " + Quoted(text_) + ": " + std::string(problem) +
                      " at column " + std::to_string(at_ + 1));
  }

  Result<FieldPathStep> ParseBracket() {
    ++at_;  // [
    FieldPathStep step;
    if (IsDigit(Peek())) {
      step.kind = FieldPathStep::kIndex;
      const char* end = text_.data() + text_.size();
      const auto [rest, error] = std::from_chars(text_.data() + at_, end, step.index);
      if (error != std::errc()) return Error("the index is too large");
      const auto after = static_cast<size_t>(rest - text_.data());
      if (after < text_.size() && text_[after] == ']') {
        at_ = after + 1;
        return step;
      }
      step.index = 0;  // a key that begins with a digit
    }
    const bool quoted = Peek() == '\'' || Peek() == '"';
    SKIFF_ASSIGN_OR_RETURN(std::string word, ParseWord());
    if (quoted && Peek() == ']') {
      ++at_;
      step.kind = FieldPathStep::kMember;
      step.name = std::move(word);
      return step;
    }
    step.kind = FieldPathStep::kKeys;
    while (true) {
      if (Peek() != '=') return Error("expected an index, a quoted name or key=value");
      ++at_;
      SKIFF_ASSIGN_OR_RETURN(std::string value, ParseWord());
      step.keys.emplace_back(std::move(word), std::move(value));
      if (Peek() == ']') break;
      if (Peek() != ',') return Error("expected ',' or ']'");
      ++at_;
      SKIFF_ASSIGN_OR_RETURN(word, ParseWord());
    }
    ++at_;
    return step;
  }

  // Quoted text, or what stands before the next sign.
  Result<std::string> ParseWord() {
    std::string word;
    const char quote = Peek();
    if (quote != '\'' && quote != '"') {
      const size_t end = std::min(text_.find_first_of("=,[]'\"", at_), text_.size());
      word = text_.substr(at_, end - at_);
      at_ = end;
      return word;
    }
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      word += text_[at_];
    }
    if (at_ == text_.size()) return Error("the quote is not closed");
    ++at_;
    return word;
  }

  std::string_view text_;
  size_t at_ = 0;
};

bool HasKeys(const Value& item, const FieldPathStep& step) {
  return std::ranges::all_of(step.keys, [&](const auto& key) {
    std::string text;
    return ListKeyText(item, key.first, &text) && text == key.second;
  });
}

Value* FindItem(Value& list, const FieldPathStep& step) {
  auto items = list.items();
  if (step.kind == FieldPathStep::kIndex) {
    return step.index < items.size() ? &items[step.index] : nullptr;
  }
  auto found = std::ranges::find_if(items, [&](const Value& item) { return HasKeys(item, step); });
  return found == items.end() ? nullptr : &*found;
}

// A spot in a tree: the value, if there is one, and what it is meant to be.
struct Spot {
  Value* value;
  SpotType type;
};

// Walks a path step by step, knowing what is there and what could be.
class Walker {
 public:
  // kRead takes what is there; kMake makes what is missing; kTry changes nothing, but fails where
  // kMake would.
  enum class Mode : uint8_t { kRead, kTry, kMake };

  // `arena` may be null for kRead.
  Walker(Value& root, Arena* arena, Mode mode)
      : spot_{&root, SpotType::OfRoot(root)}, arena_(arena), mode_(mode) {}

  const Spot& spot() const { return spot_; }
  const std::string& path() const { return path_; }

  // Fails unless the step can be taken from here, whether or not there is a value.
  Result<SpotType> TypeOf(const FieldPathStep& step) const {
    const bool member = step.kind == FieldPathStep::kMember;
    const SpotType::Shape shape = Shape();
    const auto wanted = [&] {
      std::string text = member ? " and has no member " : " and has no item ";
      std::string name;
      AppendStep(name, step);
      return text + name;
    };
    switch (shape) {
      case SpotType::kMessage: {
        if (!member) return Error("is an object" + wanted());
        const MessageDesc* message = HasValue() ? spot_.value->type() : spot_.type.message();
        const uint16_t field = message->FindField(step.name);
        if (field == MessageDesc::kNoField) {
          return Error("has no field " + Quoted(step.name) + ": it is a " +
                       std::string(message->name));
        }
        return SpotType::OfField(message->fields[field]);
      }
      case SpotType::kMap:
        if (!member) return Error("is a map" + wanted());
        return spot_.type.Element();
      case SpotType::kList:
        if (member) return Error("is a list" + wanted());
        return spot_.type.Element();
      case SpotType::kScalar:
        return Error("is a single value" + wanted());
      case SpotType::kUntyped:
        break;
    }
    return SpotType::Untyped();
  }

  // Takes one step. After kMake the spot has a value, which is null where only the next step tells
  // what it is to be.
  Result<void> Take(const FieldPathStep& step) {
    SKIFF_ASSIGN_OR_RETURN(const SpotType type, TypeOf(step));
    if (mode_ == Mode::kMake) MakeContainer(step);
    Value* next = nullptr;
    if (step.kind == FieldPathStep::kMember) {
      if (HasValue()) next = spot_.value->Find(step.name);
      if (next == nullptr && mode_ == Mode::kMake) {
        next = &spot_.value->Set(*arena_, step.name, Value());
      }
    } else {
      if (HasValue()) next = FindItem(*spot_.value, step);
      if (next == nullptr && mode_ != Mode::kRead) {
        SKIFF_ASSIGN_OR_RETURN(const Value item, MakeItem(step, type));
        if (mode_ == Mode::kMake) next = &spot_.value->Append(*arena_, item);
      }
    }
    AppendStep(path_, step);
    spot_ = {next, type};
    return {};
  }

  std::unexpected<Status> Error(std::string problem) const {
    const std::string where = path_.empty() ? "the document" : path_;
    return BadField(path_, where + " " + problem);
  }

  bool HasValue() const { return spot_.value != nullptr && !spot_.value->is_null(); }
  SpotType::Shape Shape() const {
    return HasValue() ? SpotType::ShapeOf(*spot_.value) : spot_.type.shape();
  }

  // Gives the spot an empty container if it has no value, so that the step can be taken.
  void MakeContainer(const FieldPathStep& step) {
    if (HasValue() || spot_.value == nullptr) return;
    const uint16_t field = spot_.value->field();
    const bool member = step.kind == FieldPathStep::kMember;
    Value made;
    if (Shape() == SpotType::kMessage) {
      made = Value::EmptyObject(*arena_, spot_.type.message());
    } else {
      made = member ? Value::EmptyMap() : Value::EmptyList();
    }
    *spot_.value = made.WithField(field);
  }

 private:
  // A new item for the list here, with the keys that the step names.
  Result<Value> MakeItem(const FieldPathStep& step, const SpotType& type) const {
    if (step.kind == FieldPathStep::kIndex) {
      const size_t size = HasValue() ? spot_.value->size() : 0;
      if (step.index == size) return Value();
      return Error("has " + std::to_string(size) + " items, so [" + std::to_string(step.index) +
                   "] cannot be added");
    }
    if (type.shape() != SpotType::kMessage && type.shape() != SpotType::kUntyped) {
      return Error("has items without keys");
    }
    Value item = type.shape() == SpotType::kMessage ? Value::EmptyObject(*arena_, type.message())
                                                    : Value::EmptyMap();
    for (const auto& [key, text] : step.keys) {
      SpotType key_type = SpotType::Untyped();
      if (item.is_object()) {
        const uint16_t field = item.type()->FindField(key);
        if (field == MessageDesc::kNoField) {
          return Error("has items without a field " + Quoted(key));
        }
        key_type = SpotType::OfField(item.type()->fields[field]);
      }
      const auto value = key_type.FromKeyText(*arena_, text);
      if (!value) return Error("cannot get such an item: " + value.error().message());
      item.Set(*arena_, key, *value);
    }
    return item;
  }

  Spot spot_;
  Arena* arena_;
  Mode mode_;
  std::string path_;
};

}  // namespace

void AppendMember(std::string& path, std::string_view name) {
  if (NeedsQuotes(name)) {
    path += '[';
    AppendQuoted(path, name);
    path += ']';
  } else {
    if (!path.empty()) path += '.';
    path += name;
  }
}

void AppendIndex(std::string& path, size_t index) { path += '[' + std::to_string(index) + ']'; }

void AppendStep(std::string& path, const FieldPathStep& step) {
  if (step.kind == FieldPathStep::kMember) return AppendMember(path, step.name);
  if (step.kind == FieldPathStep::kIndex) return AppendIndex(path, step.index);
  char separator = '[';
  for (const auto& [key, value] : step.keys) {
    path += separator;
    if (NeedsQuotes(key) || IsDigit(key[0])) {
      AppendQuoted(path, key);
    } else {
      path += key;
    }
    path += '=';
    if (!value.empty() && NeedsQuotes(value)) {
      AppendQuoted(path, value);
    } else {
      path += value;
    }
    separator = ',';
  }
  path += ']';
}

bool ListKeyText(const Value& item, std::string_view key, std::string* out) {
  out->clear();
  if (!item.is_object() && !item.is_map()) return false;
  if (item.is_object() && item.type()->FindField(key) == MessageDesc::kNoField) return false;
  const Value* member = item.Find(key);
  if (member == nullptr) return true;
  switch (member->tag()) {
    case Tag::kNull:
      return true;
    case Tag::kString:
      *out = member->AsText();
      return true;
    case Tag::kInt:
      *out = std::to_string(member->AsInt());
      return true;
    case Tag::kUint:
      *out = std::to_string(member->AsUint());
      return true;
    case Tag::kBool:
      *out = member->AsBool() ? "true" : "false";
      return true;
    default:
      return false;
  }
}

Result<FieldPath> FieldPath::Parse(std::string_view text) {
  FieldPath path;
  SKIFF_ASSIGN_OR_RETURN(path.steps_, Parser(text).Parse());
  return path;
}

std::string FieldPath::ToString() const {
  std::string out;
  for (const FieldPathStep& step : steps_) AppendStep(out, step);
  return out;
}

Result<const Value*> FieldPath::Get(const Value& root) const {
  Walker walker(const_cast<Value&>(root), nullptr, Walker::Mode::kRead);
  for (const FieldPathStep& step : steps_) SKIFF_RETURN_IF_ERROR(walker.Take(step));
  return walker.HasValue() ? walker.spot().value : nullptr;
}

Result<void> FieldPath::Set(Document& document, Value value, Missing missing) const {
  if (steps_.empty()) return BadRequest("the empty path cannot be set");
  const bool create = missing == Missing::kCreate;
  const FieldPathStep& last = steps_.back();
  // Everything that can be wrong is looked for before anything is changed.
  Walker check(document.root(), &document.arena(),
               create ? Walker::Mode::kTry : Walker::Mode::kRead);
  for (const FieldPathStep& step : steps_) {
    if (!create && !check.HasValue()) return check.Error("is not set");
    SKIFF_RETURN_IF_ERROR(check.Take(step));
  }
  auto fitting = check.spot().type.Fit(document.arena(), value);
  if (!fitting) return check.Error(fitting.error().message());
  if (fitting->is_null() && check.spot().type.shape() != SpotType::kUntyped) {
    SKIFF_RETURN_IF_ERROR(Delete(document));
    return {};
  }
  if (last.kind == FieldPathStep::kKeys && !HasKeys(*fitting, last)) {
    return check.Error("must have the keys that the path names");
  }
  if (!create && last.kind != FieldPathStep::kMember && check.spot().value == nullptr) {
    return check.Error("is not set");
  }

  Walker walker(document.root(), &document.arena(),
                create ? Walker::Mode::kMake : Walker::Mode::kRead);
  for (size_t i = 0; i + 1 < steps_.size(); ++i) SKIFF_RETURN_IF_ERROR(walker.Take(steps_[i]));
  if (create) walker.MakeContainer(last);
  Value& parent = *walker.spot().value;
  if (last.kind == FieldPathStep::kMember) {
    parent.Set(document.arena(), last.name, *fitting);
  } else if (Value* item = FindItem(parent, last)) {
    *item = *fitting;
  } else {
    parent.Append(document.arena(), *fitting);
  }
  return {};
}

Result<bool> FieldPath::Delete(Document& document) const {
  if (steps_.empty()) return BadRequest("the empty path cannot be deleted");
  Walker walker(document.root(), nullptr, Walker::Mode::kRead);
  for (size_t i = 0; i + 1 < steps_.size(); ++i) SKIFF_RETURN_IF_ERROR(walker.Take(steps_[i]));
  const FieldPathStep& last = steps_.back();
  SKIFF_RETURN_IF_ERROR(walker.TypeOf(last));
  if (!walker.HasValue()) return false;
  Value& parent = *walker.spot().value;
  if (last.kind == FieldPathStep::kMember) return parent.Erase(last.name);
  const Value* item = FindItem(parent, last);
  if (item == nullptr) return false;
  parent.EraseItem(static_cast<size_t>(item - parent.items().data()));
  return true;
}

}  // namespace skiff::object
