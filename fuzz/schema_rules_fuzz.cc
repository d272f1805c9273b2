// The schema of a custom resource with rules in CEL, a NUL, an object of it, a NUL, the object that
// it updates. Rules that compile run within their budget, twice to the same end, and ratcheting
// only tells faults as warnings: it neither finds nor loses any.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "apiserver/extensions/schema/compiled_schema.h"
#include "cel/rule_run.h"
#include "object/json/decode.h"

namespace {

using namespace skiff;

constexpr int64_t kBudget = 50'000;
constexpr size_t kMaxBytes = 16 * 1024;

void Require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

std::string TextOf(const cel::RuleOutcome& outcome) {
  std::string out = std::to_string(outcome.remaining) + ' ' + std::to_string(outcome.left_out);
  for (const auto* list : {&outcome.faults, &outcome.warnings}) {
    for (const cel::RuleFault& fault : *list) {
      out += '\n' + fault.field + ' ' + fault.type + ' ' + fault.detail;
    }
  }
  return out;
}

void Run(const cel::RuleNode& rules, const object::Value& now, const object::Value* old) {
  cel::RuleInput input{.object = now, .old_object = old, .budget = kBudget};
  const cel::RuleOutcome plain = cel::RunRules(rules, input);
  Require(plain.remaining <= kBudget, "the budget grew");
  Require(plain.warnings.empty(), "held back without ratcheting");
  Require(TextOf(cel::RunRules(rules, input)) == TextOf(plain), "two runs differ");
  input.ratcheting = true;
  const cel::RuleOutcome ratcheted = cel::RunRules(rules, input);
  Require(ratcheted.remaining == plain.remaining, "ratcheting costs something");
  Require(ratcheted.faults.size() + ratcheted.warnings.size() == plain.faults.size() ||
              plain.left_out != 0,
          "ratcheting changed what was found");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > kMaxBytes) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t first = input.find('\0');
  if (first == input.npos) return 0;
  const size_t second = std::min(input.find('\0', first + 1), input.size());
  const object::MessageDesc* type =
      object::FindMessage("apiextensions.k8s.io/v1", "JSONSchemaProps");
  const auto text = object::DecodeJson(input.substr(0, first), type);
  if (!text.has_value()) return 0;
  const auto schema =
      apiserver::CompiledSchema::Compile(text->root(), std::make_shared<apiserver::PatternCache>());
  if (!schema.has_value()) return 0;
  const cel::RuleNode* rules = (*schema)->rules();
  const auto now = object::DecodeJson(input.substr(first + 1, second - first - 1), nullptr);
  if (rules == nullptr || !now.has_value()) return 0;
  Run(*rules, now->root(), nullptr);
  const auto old = second < input.size()
                       ? object::DecodeJson(input.substr(second + 1), nullptr)
                       : object::DecodeJson(input.substr(first + 1, second - first - 1), nullptr);
  if (old.has_value()) Run(*rules, now->root(), &old->root());
  return 0;
}
