#include "apiserver/discovery/version_order.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace skiff::apiserver {
namespace {

TEST(VersionOrderTest, VersionsStandInTheOrderOfKubernetes) {
  std::vector<std::string_view> versions = {"v1alpha1", "foo10",    "v2",       "v11beta2",
                                            "v1",       "v3beta1",  "foo1",     "v12alpha1",
                                            "v10",      "v10beta3", "v11alpha2"};
  std::ranges::sort(versions, VersionComesFirst);
  EXPECT_EQ(versions,
            (std::vector<std::string_view>{"v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1",
                                           "v12alpha1", "v11alpha2", "v1alpha1", "foo1", "foo10"}));
}

}  // namespace
}  // namespace skiff::apiserver
