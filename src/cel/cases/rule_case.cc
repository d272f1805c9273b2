#include "cel/cases/rule_case.h"

#include <algorithm>
#include <vector>

#include "cel/cases/record_text.h"
#include "cel/rule_run.h"
#include "cel/rules.h"

namespace skiff::cel {
namespace {

bool Flag(const object::Value& record, std::string_view name) {
  const object::Value* value = record.Find(name);
  return value != nullptr && value->tag() == object::Tag::kBool && value->AsBool();
}
uint64_t Number(const object::Value& record, std::string_view name) {
  const object::Value* value = record.Find(name);
  if (value == nullptr) return 0;
  if (value->tag() == object::Tag::kUint) return value->AsUint();
  return value->tag() == object::Tag::kInt ? static_cast<uint64_t>(value->AsInt()) : UINT64_MAX;
}

struct Listed {
  std::string at;
  const CompiledRule* rule;
};
// Rules below allOf are not listed.
void List(const RuleNode& node, const std::string& at, std::vector<Listed>& out) {
  for (const CompiledRule& rule : node.rules) out.push_back({at, &rule});
  if (node.items != nullptr) List(*node.items, at + "[*]", out);
  for (const auto& [name, property] : node.properties) List(*property, at + "." + name, out);
  if (node.values != nullptr) List(*node.values, at + "{*}", out);
}

std::string CompareRule(const CompiledRule& rule, const object::Value& expected) {
  std::string out;
  const auto expect = [&](std::string_view what, std::string_view got, std::string_view want) {
    if (got != want) {
      out += std::string(what) + " " + std::string(got) + ", not " + std::string(want) + "; ";
    }
  };
  const auto number = [&](std::string_view what, uint64_t got) {
    const object::Value* want = expected.Find(what);
    if (want == nullptr) return;
    const bool same = want->tag() == object::Tag::kDouble
                          ? static_cast<double>(got) == want->AsDouble()
                          : got == Number(expected, what);
    if (!same) expect(what, std::to_string(got), std::to_string(Number(expected, what)));
  };
  expect("error", rule.error, Text(expected, "error"));
  expect("messageExpressionError", rule.message_error, Text(expected, "messageExpressionError"));
  expect("path", rule.field_path, Text(expected, "normalizedFieldPath"));
  number("maxCost", rule.max_cost);
  number("maxCardinality", rule.max_cardinality);
  number("messageExpressionMaxCost", rule.message_max_cost);
  if (rule.uses_old_self != Flag(expected, "usesOldSelf")) out += "usesOldSelf; ";
  return out;
}

std::string CompareRules(const RuleNode* rules, const object::Value& expect) {
  std::vector<Listed> listed;
  if (rules != nullptr) List(*rules, "self", listed);
  const object::Value* expected = expect.Find("rules");
  const size_t count = expected == nullptr ? 0 : expected->size();
  std::string out;
  if (listed.size() != count) {
    out = std::to_string(listed.size()) + " rules, not " + std::to_string(count) + "; ";
  }
  for (size_t i = 0; i < count; ++i) {
    const object::Value& one = expected->items()[i];
    const auto found = std::ranges::find_if(listed, [&](const Listed& candidate) {
      return candidate.at == Text(one, "at") && candidate.rule->rule.rule == Text(one, "rule");
    });
    if (found == listed.end()) {
      out += "no rule at " + std::string(Text(one, "at")) + "; ";
      continue;
    }
    out += CompareRule(*found->rule, one);
    listed.erase(found);
  }
  return out;
}

using Fault = std::vector<std::string>;
std::string CompareFaults(std::string_view what, const std::vector<RuleFault>& faults,
                          const object::Value* expected) {
  std::vector<Fault> mine;
  for (const RuleFault& fault : faults) mine.push_back({fault.field, fault.type, fault.detail});
  std::vector<Fault> theirs;
  for (size_t i = 0; expected != nullptr && i < expected->size(); ++i) {
    const object::Value& one = expected->items()[i];
    theirs.push_back({std::string(Text(one, "field")), std::string(Text(one, "type")),
                      std::string(Text(one, "detail"))});
  }
  std::ranges::sort(mine);
  std::ranges::sort(theirs);
  if (mine == theirs) return {};
  std::string out(what);
  const auto show = [&](const std::vector<Fault>& all) {
    for (const Fault& fault : all) out += " {" + fault[0] + "|" + fault[1] + "|" + fault[2] + "}";
  };
  show(mine);
  out += ", not";
  show(theirs);
  return out + "; ";
}

}  // namespace

std::string RunRuleCase(const object::Value& record) {
  const object::Value& expect = *record.Find("expect");
  const Schema schema = ReadSchema(*record.Find("schema"));
  const std::unique_ptr<const RuleNode> rules =
      CompileRules(schema, Flag(record, "resourceRoot"), Environment::Base());
  std::string out = CompareRules(rules.get(), expect);
  const object::Value* object = record.Find("object");
  if (object == nullptr) return out;
  RuleInput input{*object, record.Find("oldObject"), Flag(record, "ratcheting")};
  input.root = "root";
  if (record.Find("budget") != nullptr) {
    input.budget = static_cast<int64_t>(Number(record, "budget"));
  }
  RuleOutcome outcome;
  outcome.remaining = input.budget;
  if (rules != nullptr) outcome = RunRules(*rules, input);
  out += CompareFaults("errors", outcome.faults, expect.Find("errors"));
  const object::Value* warnings = expect.Find("warnings");
  if (outcome.warnings.size() != (warnings == nullptr ? 0 : warnings->size())) {
    out += std::to_string(outcome.warnings.size()) + " warnings; ";
  }
  const object::Value* remaining = expect.Find("remaining");
  if (remaining != nullptr && remaining->AsInt() != outcome.remaining) {
    out += "remaining " + std::to_string(outcome.remaining) + ", not " +
           std::to_string(remaining->AsInt()) + "; ";
  }
  return out;
}

}  // namespace skiff::cel
