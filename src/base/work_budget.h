// The time that a piece of work may take on a thread that others wait for. Work that can be long is
// done in steps: it goes on as long as the budget is not spent, and later with another one.
//
//   WorkBudget budget(clock, limits::kWorkAtOnce);
//   do {
//     Step();
//   } while (!Done() && !budget.spent());
//
// One step is always taken, so that there is progress however slow the machine. Belongs to one
// thread.
#pragma once

#include "base/clock.h"

namespace skiff {

class WorkBudget {
 public:
  // The clock outlives the budget.
  WorkBudget(Clock& clock, Duration time) : clock_(clock), until_(clock.Monotonic() + time) {}

  // Looks at the clock, which takes some 30 ns: steps that are shorter are taken several at a time.
  bool spent() const { return clock_.Monotonic() >= until_; }

 private:
  Clock& clock_;
  const Duration until_;
};

}  // namespace skiff
