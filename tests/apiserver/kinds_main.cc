// The main() of unit tests whose code reads objects and stands below the registry: kinds are made
// known first, as the API server does it when it starts.
#include <memory>

#include <gtest/gtest.h>

#include "apiserver/defaults/testing.h"
#include "apiserver/registry/use_kinds.h"

namespace skiff::apiserver {

const DefaultPlans& KindDefaults() {
  static const std::unique_ptr<const DefaultPlans> plans = DefaultsOfKinds({}, nullptr);
  return *plans;
}

}  // namespace skiff::apiserver

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  skiff::apiserver::UseKinds();
  return RUN_ALL_TESTS();
}
