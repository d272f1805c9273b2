#include "base/feature_gate_table.h"

#include <gtest/gtest.h>

namespace skiff {
namespace {

TEST(FeatureGateTableTest, AGateIsKnownByItsNameInKubernetes) {
  constexpr Gate kGate("HPAScaleToZero");
  EXPECT_EQ(kGate.name(), "HPAScaleToZero");
  EXPECT_EQ(kGate.desc().stage, FeatureStage::kAlpha);
  EXPECT_EQ(&feature_gates::kTable[kGate.index()], &kGate.desc());
  EXPECT_EQ(FindFeatureGate("HPAScaleToZero"), &kGate.desc());
}

TEST(FeatureGateTableTest, WhatIsNoGateIsNotFound) {
  for (const char* name : {"", "A", "NoSuchGate", "hpascaletozero", "zzz"}) {
    EXPECT_EQ(FindFeatureGate(name), nullptr) << name;
  }
}

}  // namespace
}  // namespace skiff
