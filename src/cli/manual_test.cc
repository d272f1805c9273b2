#include "cli/manual.h"

#include <string>

#include <gtest/gtest.h>

#include "cli/apiserver/kube_apiserver.h"

namespace skiff::cli {
namespace {

TEST(ManualTest, HelpHasEverySectionAndNoHiddenFlag) {
  const std::string help = HelpOn(&KubeApiServerCommand(), HelpFormat::kText);
  EXPECT_NE(help.find("\nGeneric flags:\n\n"), std::string::npos);
  EXPECT_NE(help.find("\nSecure serving flags:\n\n"), std::string::npos);
  EXPECT_EQ(help.find("--kubelet-port"), std::string::npos);
}

}  // namespace
}  // namespace skiff::cli
