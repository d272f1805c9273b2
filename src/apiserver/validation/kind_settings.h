// What the rules and the behaviour of kinds depend on beside objects: how the server was started.
#pragma once

#include "base/feature_gates.h"

namespace skiff::apiserver {

// A server has one for its life, and hands it down (RestContext, WriteContext, FieldErrors).
struct KindSettings {
  FeatureGates gates = {};
  bool allow_privileged = false;  // --allow-privileged
};

// For rules that ask for none of it, and for tests.
inline constexpr KindSettings kDefaultSettings{};

}  // namespace skiff::apiserver
