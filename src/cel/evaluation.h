// One run of a program.
//
// An Evaluation belongs to one thread. It holds the memory of everything that is computed, so the
// result lives as long as it does; Reset() forgets all of that and lets it run again.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/arena.h"
#include "cel/plan.h"
#include "cel/program.h"
#include "cel/value.h"

namespace skiff::cel {

class TimeZones;

// What one run may take of memory: costs do not bound it, since some functions make much of little.
inline constexpr size_t kMaxEvaluationBytes = 64 * 1024 * 1024;

// Values of variables that are computed when they are asked for.
class VariableSource {
 public:
  virtual ~VariableSource() = default;
  // Unset: there is no such variable.
  virtual Val Get(std::string_view name, Arena& arena) = 0;
};

class Evaluation {
 public:
  explicit Evaluation(uint64_t cost_limit = kPerCallCostLimit) : limit_(cost_limit) {}

  // `variables` by the program's slots. The value is a bool, … or an error.
  Val Run(const Program& program, std::span<const Val> variables);
  Val Run(const Program& program, VariableSource& source);

  // Within a run, for one of its variables, whose cost it does not count; budget and bounds are
  // those of a run of its own.
  Val RunWithin(const Program& program, VariableSource& source, uint64_t& cost);

  // What was spent, also by a run that failed.
  uint64_t cost() const { return cost_; }
  // What is left of the budget. A function whose cost will be more need not do its work.
  uint64_t budget_left() const { return cost_ > limit_ ? 0 : limit_ - cost_; }
  // Whether the run was stopped because it cost too much, or took kMaxEvaluationBytes.
  bool out_of_budget() const { return stopped_; }
  // Stops a run from another thread when it becomes true; looked at in loops.
  void SetInterrupt(const std::atomic<bool>* interrupt) { interrupt_ = interrupt; }
  void SetLimit(uint64_t limit) { limit_ = limit; }
  void Reset();

  // ---- For implementations of functions.
  Arena& arena() { return arena_; }
  Val Error(std::string_view message) { return Val::Error(arena_, message); }
  Val String(std::string_view text) { return Val::String(arena_.Copy(text)); }
  template <typename T>
  Val MakeOpaque(const Type& type, OpaqueKind kind, T value) {
    auto owned = std::make_unique<OpaqueOf<T>>(&type, kind, std::move(value));
    const Val result = Val::OfOpaque(owned.get());
    owned_.push_back(std::move(owned));
    return result;
  }
  TimeZones& time_zones();
  std::vector<std::unique_ptr<OpaqueBase>> TakeOwned() { return std::move(owned_); }
  // Of a plan that is being made, with no variables.
  Val EvaluateConstant(const Node& node) { return Evaluate(node); }

 private:
  struct Local {
    Val value;
    const Node* pending = nullptr;  // not computed yet
  };

  Val RunPlan(const Program& program);
  void Charge(uint64_t cost) {
    if (stopped_) [[unlikely]]
      return;
    cost_ += cost;
    if (cost_ > limit_ || arena_.BytesReserved() > kMaxEvaluationBytes) [[unlikely]]
      stopped_ = true;
  }
  Val Stopped() const;

  Val Evaluate(const Node& node);
  Val EvaluateAttribute(const Node& node);
  Val EvaluateCall(const Node& node);
  Val Invoke(const Node& node, std::span<const Val> args);
  Val EvaluateLogic(const Node& node, bool decides);
  Val EvaluateTernary(const Node& node);
  Val EvaluateEqual(const Node& node);
  Val EvaluateList(const Node& node);
  Val EvaluateMap(const Node& node);
  Val EvaluateStruct(const Node& node);
  Val EvaluateFold(const Node& node);
  bool FoldStep(const FoldNode& fold);
  Val RootOf(const Node& node);
  // Unset: absent, which only an optional or tested qualifier allows.
  Val Qualify(const Val& object, const Val& key, bool presence, bool presence_only);

  Arena arena_;
  uint64_t cost_ = 0;
  uint64_t limit_;
  bool stopped_ = false;
  bool interrupted_ = false;
  const std::atomic<bool>* interrupt_ = nullptr;
  std::span<const Val> variables_;
  VariableSource* source_ = nullptr;
  const Plan* plan_ = nullptr;
  std::vector<Local> locals_;
  std::vector<std::unique_ptr<OpaqueBase>> owned_;
};

// Whether a value may be an argument of a parameter of this type, as the run time looks at it: of
// lists and maps, the first member counts.
bool MatchesAtRunTime(Arena& arena, const Type& type, const Val& value);

}  // namespace skiff::cel
