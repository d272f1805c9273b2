// `make faults` sets SKIFF_FAULTS: every operation then has its fault, where `make test` is content
// with some.
#pragma once

#include <cstdlib>

namespace skiff {

inline bool Thorough() { return std::getenv("SKIFF_FAULTS") != nullptr; }

}  // namespace skiff
