#include "apiserver/memory_pressure.h"

#include <string>
#include <utility>

namespace skiff::apiserver {

void MemoryPressure::Check() {
  // What was freed may be all that is lacking.
  if (gauge_.level() != MemoryGauge::Level::kRoom) freed_.Release();
  const bool is_short = gauge_.level() != MemoryGauge::Level::kRoom;
  if (std::exchange(was_short_, is_short) == is_short) return;
  if (is_short) {
    log_.Warning("memory is short: requests are refused",
                 {{"limit", std::to_string(gauge_.limit_bytes())}});
  } else {
    log_.Info("there is enough memory again");
  }
}

}  // namespace skiff::apiserver
