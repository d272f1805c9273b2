// What the server does when its memory becomes short: it gives back what is free, and tells the log
// when requests begin to be refused and when that is over.
//
// Owner: the server. One thread.
#pragma once

#include "base/log.h"
#include "base/memory_limit.h"
#include "base/resident_memory.h"

namespace skiff::apiserver {

class MemoryPressure {
 public:
  // They outlive it.
  MemoryPressure(MemoryGauge& gauge, Log& log) : gauge_(gauge), log_(log) {}

  // To be called every second or so.
  void Check();
  // To be called now and then: gives back what is free, if it has become much.
  void ReleaseIfMuch() { freed_.ReleaseIfMuch(); }

 private:
  MemoryGauge& gauge_;
  Log& log_;
  FreedMemory freed_;
  bool was_short_ = false;  // as last told
};

}  // namespace skiff::apiserver
