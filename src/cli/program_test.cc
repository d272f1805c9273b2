#include "cli/program.h"

#include <gtest/gtest.h>

namespace skiff::cli {
namespace {

TEST(ProgramTest, IsWhatItIsCalledWhateverTheFolder) {
  EXPECT_EQ(ProgramOf("skiff", ""), "skiff");
  EXPECT_EQ(ProgramOf("kube-apiserver", ""), "kube-apiserver");
  EXPECT_EQ(ProgramOf("/usr/bin/kube-controller-manager", ""), "kube-controller-manager");
  EXPECT_EQ(ProgramOf("../etcd", ""), "etcd");
  EXPECT_EQ(ProgramOf("/opt/etcd/skiff", "/opt/etcd"), "skiff");
}

TEST(ProgramTest, MayHaveAVersionBehindItsName) {
  EXPECT_EQ(ProgramOf("/opt/kube-apiserver-v1.36.4", ""), "kube-apiserver");
  EXPECT_EQ(ProgramOf("kube-apiserver.old", ""), "kube-apiserver");
  EXPECT_EQ(ProgramOf("etcd_amd64", ""), "etcd");
  EXPECT_EQ(ProgramOf("etcdctl", ""), "skiff");
  EXPECT_EQ(ProgramOf("my-kube-apiserver", ""), "skiff");
}

TEST(ProgramTest, WithANameOfNoProgramIsWhatWasExecuted) {
  EXPECT_EQ(ProgramOf("first", "/usr/bin/kube-apiserver"), "kube-apiserver");
  EXPECT_EQ(ProgramOf("", "./etcd"), "etcd");
  EXPECT_EQ(ProgramOf("skiff", "/usr/bin/kube-apiserver"), "skiff");
  EXPECT_EQ(ProgramOf("first", "/usr/bin/second"), "skiff");
  EXPECT_EQ(ProgramOf("", ""), "skiff");
}

}  // namespace
}  // namespace skiff::cli
