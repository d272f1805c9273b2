#include "cel/cases/case_form.h"

#include <initializer_list>
#include <string_view>

namespace skiff::cel {
namespace {

// Expressions that repeat a part are about limits, of which the largest is far below this.
constexpr int64_t kMaxRepetitions = 1'000'000;

bool IsNumber(const object::Value& value) {
  return value.tag() == object::Tag::kInt || value.tag() == object::Tag::kUint ||
         value.tag() == object::Tag::kDouble;
}
bool IsInt(const object::Value& value) { return value.tag() == object::Tag::kInt; }
bool IsBool(const object::Value& value) { return value.tag() == object::Tag::kBool; }
bool IsText(const object::Value& value) { return value.is_string(); }
bool IsList(const object::Value& value) { return value.is_list(); }
bool IsMap(const object::Value& value) { return value.is_map(); }

using Check = bool (*)(const object::Value&);

bool AllAre(const object::Value& list, Check check) {
  for (const object::Value& item : list.items()) {
    if (!check(item)) return false;
  }
  return true;
}
bool IsListOfMaps(const object::Value& value) { return value.is_list() && AllAre(value, IsMap); }

bool Is(const object::Value* value, Check check) { return value != nullptr && check(*value); }
// What is not there is fine.
bool MayBe(const object::Value& record, std::string_view name, Check check) {
  const object::Value* value = record.Find(name);
  return value == nullptr || check(*value);
}
// The first of the fields that is there and is something else.
std::string Wrong(const object::Value& record, std::initializer_list<std::string_view> names,
                  Check check) {
  for (const std::string_view name : names) {
    if (!MayBe(record, name, check)) return std::string(name) + " is of the wrong type";
  }
  return {};
}

bool IsTagged(const object::Value& tagged);
bool IsPair(const object::Value& pair) {
  return pair.is_list() && pair.size() == 2 && AllAre(pair, IsTagged);
}
bool IsTagged(const object::Value& tagged) {
  if (!tagged.is_map() || !Is(tagged.Find("t"), IsText)) return false;
  const std::string_view type = tagged.Find("t")->AsText();
  const object::Value* value = tagged.Find("v");
  if (type == "bool") return Is(value, IsBool);
  if (type == "list") return Is(value, IsList) && AllAre(*value, IsTagged);
  if (type == "map") return Is(value, IsList) && AllAre(*value, IsPair);
  if (type == "optional") return value == nullptr || value->is_null() || IsTagged(*value);
  if (type == "object") return tagged.Find("json") != nullptr;
  return MayBe(tagged, "value", IsTagged);
}

bool IsVariable(const object::Value& variable) {
  return variable.is_map() && MayBe(variable, "schema", IsMap) && MayBe(variable, "root", IsBool) &&
         MayBe(variable, "optional", IsBool);
}
bool IsGiven(const object::Value& given) {
  return given.is_map() && (given.Find("none") != nullptr || given.Find("json") != nullptr ||
                            Is(given.Find("val"), IsTagged));
}

// Of what a record may also take from its context.
std::string FaultOfInput(const object::Value& input) {
  if (!MayBe(input, "env", IsText)) return "env is of the wrong type";
  for (const auto& [name, check] :
       {std::pair<std::string_view, Check>{"vars", IsVariable}, {"values", IsGiven}}) {
    const object::Value* all = input.Find(name);
    if (all == nullptr) continue;
    if (!all->is_map()) return std::string(name) + " is of the wrong type";
    for (const object::MapEntry& entry : all->entries()) {
      if (!check(entry.value)) {
        return std::string(name) + " has no variable in " + std::string(entry.key);
      }
    }
  }
  return {};
}

bool IsRepetition(const object::Value& value) {
  if (!value.is_list() || value.size() != 4) return false;
  const auto parts = value.items();
  return IsText(parts[0]) && IsText(parts[1]) && IsInt(parts[2]) && IsText(parts[3]) &&
         parts[2].AsInt() <= kMaxRepetitions;
}
bool IsIssue(const object::Value& issue) {
  return issue.is_map() && Is(issue.Find("line"), IsInt) && Is(issue.Find("col"), IsInt);
}

std::string FaultOfEval(const object::Value& record, const object::Value& expect) {
  if (!MayBe(record, "exprRepeat", IsRepetition)) return "exprRepeat is no repetition";
  if (record.Find("exprRepeat") == nullptr && !Is(record.Find("expr"), IsText)) {
    return "there is no expr";
  }
  if (std::string fault = Wrong(record, {"limit"}, IsNumber); !fault.empty()) return fault;
  if (std::string fault = Wrong(expect, {"cost"}, IsNumber); !fault.empty()) return fault;
  const object::Value* estimate = expect.Find("estimate");
  if (estimate != nullptr &&
      !(Is(estimate->Find("min"), IsNumber) && Is(estimate->Find("max"), IsNumber))) {
    return "the estimate has no min and max";
  }
  const object::Value* outcome = expect.Find("outcome");
  if (!Is(outcome, IsText)) return "there is no outcome";
  const object::Value* errors = expect.Find("errors");
  if (outcome->AsText() == "compile-error" &&
      !(Is(errors, IsList) && errors->size() > 0 && AllAre(*errors, IsIssue))) {
    return "there are no errors with line and col";
  }
  return MayBe(expect, "value", IsTagged) ? "" : "the value has no type";
}

std::string FaultOfRules(const object::Value& record, const object::Value& expect) {
  if (!Is(record.Find("schema"), IsMap)) return "there is no schema";
  if (std::string fault = Wrong(record, {"budget"}, IsNumber); !fault.empty()) return fault;
  if (std::string fault = Wrong(expect, {"remaining"}, IsInt); !fault.empty()) return fault;
  if (std::string fault = Wrong(expect, {"warnings"}, IsList); !fault.empty()) return fault;
  return Wrong(expect, {"rules", "errors"}, IsListOfMaps);
}

bool IsAttribute(const object::Value& attribute) {
  return attribute.is_map() && MayBe(attribute, "int", IsInt) && MayBe(attribute, "bool", IsBool);
}

std::string FaultOfDevice(const object::Value& record, const object::Value& expect) {
  const object::Value* device = record.Find("device");
  if (!Is(device, IsMap)) return "there is no device";
  if (const object::Value* all = device->Find("attributes"); all != nullptr && all->is_map()) {
    for (const object::MapEntry& entry : all->entries()) {
      if (!IsAttribute(entry.value)) return "attributes are of the wrong type";
    }
  }
  if (std::string fault = Wrong(expect, {"cost", "maxCost"}, IsNumber); !fault.empty()) {
    return fault;
  }
  return Wrong(expect, {"matches"}, IsBool);
}

}  // namespace

std::string FaultOfCase(const object::Value& record, const object::Value* context) {
  if (!record.is_map()) return "it is no object";
  for (const std::string_view name : {"id", "kind"}) {
    if (!Is(record.Find(name), IsText)) return "there is no " + std::string(name);
  }
  const object::Value* expect = record.Find("expect");
  if (!Is(expect, IsMap)) return "there is no expect";
  const std::string_view kind = record.Find("kind")->AsText();
  if (kind == "crd") return FaultOfRules(record, *expect);
  if (kind == "dra") return FaultOfDevice(record, *expect);
  if (kind == "escape" || kind == "unescape") return Wrong(*expect, {"ok"}, IsBool);
  if (kind != "eval") return {};
  for (const object::Value* input : {&record, context}) {
    if (input == nullptr) continue;
    if (std::string fault = FaultOfInput(*input); !fault.empty()) return fault;
  }
  return FaultOfEval(record, *expect);
}

}  // namespace skiff::cel
