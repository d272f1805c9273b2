// Lengths of time in a few letters, as tables show ages: 45s, 4m10s, 3h, 6d4h, 2y30d.
//
//   below -1 s <invalid>    to 3 h   Nm      to 8 d  NdHh
//   below 0    0s           to 8 h   NhMm    to 2 y  Nd
//   to 2 min   Ns           to 48 h  Nh      to 8 y  NyDd, then Ny
//   to 10 min  NmSs
//
// A second part that is 0 is left out, a year has 365 days, and fractions are cut off towards zero.
#pragma once

#include <cstddef>
#include <cstdint>

#include "object/scalar/time.h"

namespace skiff::apiserver {

inline constexpr size_t kMaxHumanDurationBytes = 24;

// Writes at `out`, which has room for kMaxHumanDurationBytes, and returns the place behind it.
char* WriteHumanDuration(int64_t nanoseconds, char* out);

// How long after `from` it is at `to`; beyond 292 years, the most that nanoseconds can count.
int64_t NanosecondsBetween(object::Timestamp from, object::Timestamp to);

}  // namespace skiff::apiserver
