#include "store/etcd_server/alarm_set.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/temporary_directory.h"

namespace skiff::store {
namespace {

using Alarm = AlarmSet::Alarm;

TEST(AlarmSetTest, AlarmsOutliveTheProcess) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/alarms";
  {
    AlarmSet alarms(path);
    ASSERT_TRUE(alarms.Load());
    EXPECT_TRUE(alarms.List().empty());
    ASSERT_TRUE(alarms.Raise({etcdserverpb::NOSPACE, 7}));
    ASSERT_TRUE(alarms.Raise({etcdserverpb::NOSPACE, 7}));
    ASSERT_TRUE(alarms.Raise({etcdserverpb::CORRUPT, UINT64_MAX}));
  }
  AlarmSet alarms(path);
  ASSERT_TRUE(alarms.Load());
  EXPECT_EQ(alarms.List(),
            (std::vector<Alarm>{{etcdserverpb::NOSPACE, 7}, {etcdserverpb::CORRUPT, UINT64_MAX}}));
  EXPECT_TRUE(alarms.Has(etcdserverpb::CORRUPT));
  ASSERT_TRUE(alarms.Clear({etcdserverpb::CORRUPT, 7}));
  EXPECT_TRUE(alarms.Has(etcdserverpb::CORRUPT));
  ASSERT_TRUE(alarms.Clear({etcdserverpb::CORRUPT, UINT64_MAX}));
  AlarmSet again(path);
  ASSERT_TRUE(again.Load());
  EXPECT_EQ(again.List(), (std::vector<Alarm>{{etcdserverpb::NOSPACE, 7}}));
  // Nothing is left beside the file.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory.path()), {}), 1);
}

TEST(AlarmSetTest, WhatIsNoAlarmIsNotPassedOver) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/alarms";
  for (const char* text : {"NOSPACE\n", "FIRE 1\n", "NOSPACE 1x\n", "\n"}) {
    std::ofstream(path) << text;
    AlarmSet alarms(path);
    EXPECT_FALSE(alarms.Load()) << text;
  }
}

TEST(AlarmSetTest, AnAlarmThatCannotBeKeptIsRaisedAllTheSame) {
  AlarmSet alarms("/no/such/folder/alarms");
  EXPECT_FALSE(alarms.Raise({etcdserverpb::NOSPACE, 1}));
  EXPECT_TRUE(alarms.Has(etcdserverpb::NOSPACE));
}

}  // namespace
}  // namespace skiff::store
