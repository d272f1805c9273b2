#include "apiserver/extensions/schema/value_validator.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "apiserver/extensions/schema/correlation.h"
#include "apiserver/extensions/schema/go_numbers.h"
#include "apiserver/extensions/schema/list_types.h"
#include "apiserver/extensions/schema/number_checks.h"
#include "apiserver/extensions/schema/value_faults.h"
#include "base/go_quoted.h"
#include "object/equal.h"
#include "object/path.h"

namespace skiff::apiserver {
namespace {

constexpr SchemaChecks kNothingAsked;

std::string_view JsonTypeOf(const object::Value& value) {
  switch (value.tag()) {
    case object::Tag::kNull:
      return "null";
    case object::Tag::kBool:
      return "boolean";
    case object::Tag::kInt:
      return "integer";
    case object::Tag::kUint:
    case object::Tag::kDouble:
      return "number";
    case object::Tag::kList:
      return "array";
    case object::Tag::kMap:
    case object::Tag::kObject:
      return "object";
    default:
      return "string";
  }
}

std::string_view TypeText(SchemaType type) {
  constexpr std::string_view kTexts[] = {"",        "object", "array",   "string",
                                         "integer", "number", "boolean", "integer,string"};
  return kTexts[static_cast<size_t>(type)];
}

bool AllowsType(SchemaType type, std::string_view json_type) {
  if (type != SchemaType::kIntOrString) return TypeText(type) == json_type;
  return json_type == "integer" || json_type == "string";
}

bool AllowsIntegers(SchemaType type) {
  return type == SchemaType::kInteger || type == SchemaType::kIntOrString;
}

// What Go calls the form of a number that was decoded.
std::string_view FormatOf(std::string_view json_type) {
  if (json_type == "integer") return "int64";
  return json_type == "number" ? "float64" : "";
}

// As Go compares after converting the value to the type of the allowed one.
bool IsAllowed(const object::Value& value, const object::Value& allowed) {
  if (allowed.is_null() || value.is_null()) return false;
  if (allowed.tag() == object::Tag::kInt && value.tag() == object::Tag::kDouble) {
    return GoInteger(value.AsDouble()) == allowed.AsInt();
  }
  if (allowed.tag() == object::Tag::kDouble && value.tag() == object::Tag::kInt) {
    return static_cast<double>(value.AsInt()) == allowed.AsDouble();
  }
  return object::Identical(value, allowed);
}

int64_t CountCharacters(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; });
}

// The members of an object, which may be typed.
template <typename F>
void ForEachMember(const object::Value& object, F f) {
  if (object.is_map()) {
    for (const object::MapEntry& entry : object.entries()) f(entry.key, entry.value);
  } else {
    for (const object::Value& member : object.members()) {
      f(member.field_desc(*object.type()).name(), member);
    }
  }
}

class ValueValidator {
 public:
  ValueValidator(const CompiledSchema& schema, std::string_view base)
      : schema_(schema), faults_(base) {}

  void Run(const SchemaNode& node, const object::Value& value, const object::Value* old) {
    Check(node, value, old, root_);
  }

  void Report(FieldErrors& errors) && {
    if (is_exhausted()) {
      faults_.Says("the object takes too long to validate against its schema");
    }
    std::move(faults_).Report(errors);
  }

 private:
  bool is_exhausted() const { return steps_ > kMaxValidationSteps; }

  // How much holds of the value, by which the best of several alternatives is told: each kind of
  // check counts that applies, and some once more that find nothing.
  uint64_t Check(const SchemaNode& node, const object::Value& value, const object::Value* old,
                 const object::PathNode& path) {
    ++steps_;
    if (is_exhausted()) return 0;
    const SchemaChecks& checks = node.checks != nullptr ? *node.checks : kNothingAsked;
    const ValueFaults::Mark before = faults_.Here();
    const uint64_t holds =
        value.is_null() ? CheckNull(node, checks, path) : CheckAll(node, checks, value, old, path);
    if (old != nullptr && faults_.found() != before.found && IsUnchanged(node, value, *old)) {
      faults_.TakeBack(before);
    }
    return holds;
  }

  uint64_t CheckAll(const SchemaNode& node, const SchemaChecks& checks, const object::Value& value,
                    const object::Value* old, const object::PathNode& path) {
    uint64_t holds = 1;
    if (node.type != SchemaType::kAny || !checks.format_name.empty()) {
      holds += CheckType(node, checks, value, path) ? 2 : 1;
    }
    holds += 2 + CheckAlternatives(checks, value, path);
    if (value.is_string()) {
      holds += CheckText(checks, value.AsText(), path);
    } else if (value.tag() == object::Tag::kInt || value.tag() == object::Tag::kDouble) {
      CheckNumber(node.type, checks, value, path, faults_);
      holds += 2;
    } else if (value.is_list()) {
      holds += 2 + CheckList(node, checks, value, old, path);
    }
    CheckAllowed(checks, value, path);
    ++holds;
    if (value.is_map() || value.is_object()) {
      holds += 1 + CheckObject(node, checks, value, old, path);
    }
    return holds;
  }

  uint64_t CheckNull(const SchemaNode& node, const SchemaChecks& checks,
                     const object::PathNode& path) {
    const bool fits = node.type == SchemaType::kAny || node.nullable();
    if (!fits) faults_.HasType(path, TypeText(node.type), "null");
    CheckAllowed(checks, object::Value(), path);
    return fits ? 1 : 0;
  }

  bool CheckType(const SchemaNode& node, const SchemaChecks& checks, const object::Value& value,
                 const object::PathNode& path) {
    const std::string_view given = JsonTypeOf(value);
    const std::string_view format = checks.format_name;
    const bool is_whole = value.tag() == object::Tag::kDouble && IsJsonInteger(value.AsDouble());
    const bool fits = AllowsType(node.type, given) || (is_whole && AllowsIntegers(node.type)) ||
                      (given == "integer" && node.type == SchemaType::kNumber);
    const bool is_text_or_list = given == "string" || given == "array";
    if (!format.empty() && !is_text_or_list && !fits && FormatOf(given) != format) {
      faults_.HasType(path, format, FormatOf(given));
      return false;
    }
    const bool is_numeric = AllowsIntegers(node.type) || node.type == SchemaType::kNumber;
    // The format says what the text must be.
    if (!format.empty() && is_text_or_list && !is_numeric) return true;
    if (!fits) faults_.HasType(path, TypeText(node.type), given);
    return fits;
  }

  void CheckAllowed(const SchemaChecks& checks, const object::Value& value,
                    const object::PathNode& path) {
    if (checks.allowed.empty()) return;
    steps_ += checks.allowed.size() / 16;
    const bool is_allowed = std::ranges::any_of(
        checks.allowed, [&](const object::Value& each) { return IsAllowed(value, each); });
    if (!is_allowed) faults_.IsNotOneOf(path, value, checks.allowed);
  }

  uint64_t CheckText(const SchemaChecks& checks, std::string_view text,
                     const object::PathNode& path) {
    uint64_t holds = 1;
    CheckLengthAndPattern(checks, text, path);
    if (!IsTextFormat(checks.format)) return holds;
    steps_ += text.size() / 64;
    if (!HasFormat(text, checks.format)) faults_.HasType(path, checks.format_name, text);
    return ++holds;
  }

  // Only the first of them that does not hold is told.
  void CheckLengthAndPattern(const SchemaChecks& checks, std::string_view text,
                             const object::PathNode& path) {
    constexpr uint16_t kLengths = SchemaBounds::kMinLength | SchemaBounds::kMaxLength;
    const SchemaBounds bounds = checks.Bounds();
    if (bounds.has(kLengths)) {
      const int64_t length = CountCharacters(text);
      steps_ += text.size() / 64;
      if (bounds.has(SchemaBounds::kMaxLength) && length > bounds.max_length) {
        return faults_.IsTooLong(path, bounds.max_length);
      }
      if (bounds.has(SchemaBounds::kMinLength) && length < bounds.min_length) {
        return faults_.Breaks(
            path, GoShown(object::Value::String(text)),
            "should be at least " + std::to_string(bounds.min_length) + " chars long");
      }
    }
    if (checks.pattern.empty()) return;
    steps_ += text.size() / 64;
    const auto pattern = schema_.patterns().Get(checks.pattern);
    if (pattern->Matches(text)) return;
    std::string why = "should match '" + std::string(checks.pattern);
    if (!pattern->problem().empty()) why += ", but pattern is invalid: " + pattern->problem();
    faults_.Breaks(path, GoShown(object::Value::String(text)), why + "'");
  }

  uint64_t CheckList(const SchemaNode& node, const SchemaChecks& checks, const object::Value& list,
                     const object::Value* old, const object::PathNode& path) {
    uint64_t holds = 0;
    if (node.items != nullptr) {
      std::optional<OldItems> old_items;
      if (old != nullptr && old->is_list()) old_items.emplace(node, *old);
      object::PathNode at(&path, uint32_t{0});
      uint32_t index = 0;
      for (const object::Value& item : list.items()) {
        if (is_exhausted()) break;
        at.SetIndex(index++);
        holds += Check(*node.items, item, old_items ? old_items->Find(item) : nullptr, at);
      }
    }
    const SchemaBounds bounds = checks.Bounds();
    const auto size = static_cast<int64_t>(list.size());
    if (bounds.has(SchemaBounds::kMinItems) && size < bounds.min_items) {
      faults_.Breaks(path, std::to_string(size),
                     "should have at least " + std::to_string(bounds.min_items) + " items");
    }
    if (bounds.has(SchemaBounds::kMaxItems) && size > bounds.max_items) {
      faults_.HasTooMany(path, list.size(), bounds.max_items);
    }
    if (checks.unique_items && HasDuplicates(list)) {
      faults_.Breaks(path, "\"\"", "shouldn't contain duplicates");
    }
    return holds;
  }

  uint64_t CheckObject(const SchemaNode& node, const SchemaChecks& checks,
                       const object::Value& object, const object::Value* old,
                       const object::PathNode& path) {
    const SchemaBounds bounds = checks.Bounds();
    const auto size = static_cast<int64_t>(object.size());
    if (bounds.has(SchemaBounds::kMinProperties) && size < bounds.min_properties) {
      faults_.Breaks(
          path, std::to_string(size),
          "should have at least " + std::to_string(bounds.min_properties) + " properties");
    }
    if (bounds.has(SchemaBounds::kMaxProperties) && size > bounds.max_properties) {
      faults_.HasTooMany(path, object.size(), bounds.max_properties);
    }
    uint64_t holds = 0;
    const bool is_root = &path == &root_;
    ForEachMember(object, [&](std::string_view name, const object::Value& value) {
      const SchemaNode* property = node.FindProperty(name);
      const SchemaNode* field = property != nullptr ? property : node.additional;
      if (field == nullptr) {
        if (node.is(SchemaNode::kClosed)) faults_.HasForbidden(path, name);
        return;
      }
      const bool is_type = is_root && (name == "apiVersion" || name == "kind");
      const object::Value* before =
          old != nullptr && old->is_map() && !is_type ? old->Find(name) : nullptr;
      if (property == nullptr && is_root) {
        // Messages have it so.
        const std::string dotted = "." + std::string(name);
        holds += Check(*field, value, before, object::PathNode(&path, dotted));
      } else {
        holds += Check(*field, value, before, object::PathNode(&path, name));
      }
    });
    for (const std::string_view name : checks.required) {
      if (object.Find(name) == nullptr) faults_.MissesField(path, name);
    }
    return holds;
  }

  // What `CheckAlternatives` knows of those that it has tried.
  struct Tried {
    size_t valid = 0;
    uint64_t holds = 0;  // of the first that is valid
    uint64_t best_holds = 0;
    std::optional<ValueFaults::Taken> best;
  };

  // Looks at one; of those that fail, the faults of the first that most holds of are kept.
  void Try(const SchemaNode& node, const object::Value& value, const object::PathNode& path,
           Tried& tried) {
    const ValueFaults::Mark before = faults_.Here();
    const uint64_t holds = Check(node, value, nullptr, path);
    if (faults_.found() == before.found) {
      if (tried.valid++ == 0) tried.holds = holds;
      tried.best.reset();
    } else if (tried.valid == 0 && (!tried.best || holds > tried.best_holds)) {
      tried.best_holds = holds;
      tried.best = faults_.TakeOut(before);
    } else {
      faults_.TakeBack(before);
    }
  }

  uint64_t CheckAlternatives(const SchemaChecks& asked, const object::Value& value,
                             const object::PathNode& path) {
    if (asked.alternatives == nullptr) return 0;
    const SchemaAlternatives& checks = *asked.alternatives;
    uint64_t holds = CheckAnyOf(checks, value, path);
    holds += CheckOneOf(checks, value, path);
    holds += CheckAllOf(checks, value, path);
    if (checks.negated == nullptr) return holds;
    const ValueFaults::Mark before = faults_.Here();
    Check(*checks.negated, value, nullptr, path);
    const bool is_valid = faults_.found() == before.found;
    faults_.TakeBack(before);
    if (is_valid) SayOf(path, "must not validate the schema (not)");
    return holds;
  }

  uint64_t CheckAnyOf(const SchemaAlternatives& checks, const object::Value& value,
                      const object::PathNode& path) {
    if (checks.any_of.empty()) return 0;
    Tried tried;
    for (const SchemaNode& each : checks.any_of) {
      Try(each, value, path, tried);
      if (tried.valid > 0) return tried.holds;
    }
    SayOf(path, "must validate at least one schema (anyOf)");
    faults_.PutBack(std::move(*tried.best));
    return tried.best_holds;
  }

  uint64_t CheckOneOf(const SchemaAlternatives& checks, const object::Value& value,
                      const object::PathNode& path) {
    if (checks.one_of.empty()) return 0;
    Tried tried;
    for (const SchemaNode& each : checks.one_of) Try(each, value, path, tried);
    if (tried.valid == 1) return tried.holds;
    const std::string found =
        tried.valid == 0 ? "none valid" : std::to_string(tried.valid) + " valid alternatives";
    SayOf(path, "must validate one and only one schema (oneOf). Found " + found);
    if (!tried.best) return 0;
    faults_.PutBack(std::move(*tried.best));
    return tried.best_holds;
  }

  uint64_t CheckAllOf(const SchemaAlternatives& checks, const object::Value& value,
                      const object::PathNode& path) {
    if (checks.all_of.empty()) return 0;
    uint64_t holds = 0;
    size_t valid = 0;
    for (const SchemaNode& each : checks.all_of) {
      const size_t before = faults_.found();
      holds += Check(each, value, nullptr, path);
      valid += faults_.found() == before ? 1 : 0;
    }
    if (valid != checks.all_of.size()) {
      const std::string_view none = valid == 0 ? ". None validated" : "";
      SayOf(path, "must validate all the schemas (allOf)" + std::string(none));
    }
    return holds;
  }

  void SayOf(const object::PathNode& path, const std::string& what) {
    faults_.Says(GoQuoted(path.ToString()) + " " + what);
  }

  const CompiledSchema& schema_;
  const object::PathNode root_;
  ValueFaults faults_;
  uint64_t steps_ = 0;
};

}  // namespace

void ValidateValue(const CompiledSchema& schema, const SchemaNode& node, const object::Value& value,
                   const object::Value* old, std::string_view base, FieldErrors& errors) {
  ValueValidator validator(schema, base);
  validator.Run(node, value, old);
  std::move(validator).Report(errors);
}

}  // namespace skiff::apiserver
