// The plans of defaulting once more, compiled for the bytes of protobuf: whether an object has all
// of its defaults already, as nearly every stored object has, is found out without decoding it.
//
// A check says yes only if the plan would change nothing. It need not say yes wherever that is so:
// odd encodings, and rules that nothing but a decoded object can answer, are a no.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "apiserver/defaults/defaults.h"
#include "base/status.h"
#include "object/protobuf/wire_path.h"

namespace skiff::apiserver {

class WireChecks {
 public:
  using Plans = std::unordered_map<const object::MessageDesc*, std::unique_ptr<MessagePlan>>;

  static Result<std::unique_ptr<WireChecks>> Compile(const Plans& plans,
                                                     const RuleSettings& settings);

  bool LeavesAlone(const object::MessageDesc* type, std::string_view message) const;

 private:
  struct Check;
  // What is to be seen of one protobuf field.
  struct Slot {
    uint32_t key;                  // number and wire type
    uint64_t bit = 0;              // of Check::required; 0: it may be missing
    bool zero_is_missing = false;  // a number or text that is zero is as good as none
    bool in_map = false;           // `below` is about the values of entries
    bool amounts = false;          // a map of quantities
    Check* below = nullptr;        // null: nothing
  };
  struct Condition {
    object::WirePath path;
    const RuleCondition* rule;
  };
  struct Rule {
    std::vector<Condition> conditions;
    std::optional<object::WirePath> source;
    std::optional<object::WirePath> target;
    WireRule code = nullptr;
  };
  struct Check {
    std::vector<uint8_t> slot_of_number;  // plus one; 0: not looked at, as are numbers beyond
    std::vector<Slot> slots;
    uint64_t required = 0;
    bool uncertain = false;  // only the decoded message can tell
    std::vector<Rule> rules;
  };
  class Compiler;

  bool Passes(const Check& check, std::string_view message) const;
  bool Passes(const Slot& slot, std::string_view value) const;
  bool Passes(const Rule& rule, std::string_view message) const;
  enum class Holding : uint8_t { kNo, kYes, kUncertain };
  static Holding Holds(const Condition& condition, std::string_view message);

  RuleSettings settings_{};
  std::unordered_map<const object::MessageDesc*, Check*> by_type_;
  std::vector<std::unique_ptr<Check>> all_;
};

}  // namespace skiff::apiserver
