// The main() of unit tests whose code reads objects and stands below the registry: kinds are made
// known first, as the API server does it when it starts.
#include <gtest/gtest.h>

#include "apiserver/registry/use_kinds.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  skiff::UseKinds();
  return RUN_ALL_TESTS();
}
