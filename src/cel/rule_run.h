// Running the rules of a schema over an object.
//
// A rule that names oldSelf is run only where there is an old value: fields correlate by name,
// items by the keys of their list, and nothing else. With ratcheting, a fault of a value that has
// not changed is a warning.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cel/rules.h"
#include "object/value.h"

namespace skiff::cel {

inline constexpr int64_t kRuleBudget = 10'000'000;

// One thing that is wrong with an object.
struct RuleFault {
  // What the message shows before the detail.
  enum class Shows : uint8_t { kNothing, kValue, kSchemaType };

  std::string type;   // FieldValueInvalid, …
  std::string field;  // empty: the object itself
  std::string detail;
  Shows shows = Shows::kNothing;
  const object::Value* value = nullptr;
  std::string_view schema_type = {};
};

// Faults that are kept, and as many warnings; the rest is counted.
inline constexpr size_t kMaxRuleFaults = 1000;

struct RuleOutcome {
  std::vector<RuleFault> faults;
  std::vector<RuleFault> warnings;  // faults that ratcheting held back
  size_t left_out = 0;              // faults that were not kept
  int64_t remaining = 0;            // of the budget; -1: it ran out
};

struct RuleInput {
  const object::Value& object;
  const object::Value* old_object = nullptr;
  bool ratcheting = false;
  int64_t budget = kRuleBudget;
  std::string_view root = {};  // how faults call the object
  // Ends the run with a fault when it becomes true. May be null.
  const std::atomic<bool>* interrupt = nullptr;
};

// The outcome refers to the rules and the object.
RuleOutcome RunRules(const RuleNode& rules, const RuleInput& input);

}  // namespace skiff::cel
