#include "controllers/legacy_token_cleaner.h"

#include "controllers/queue_controller_testing.h"

namespace skiff::controllers {
namespace {

using std::chrono::hours;

const client::ApiResource& Secrets() { return client::BuiltIn("", "v1", "secrets"); }
constexpr hours kDay(24);

class LegacyTokenCleanerTest : public ControllerTest {
 protected:
  void PutTracking(const std::string& since) {
    Put(client::BuiltIn("", "v1", "configmaps"),
        R"({"metadata":{"name":"kube-apiserver-legacy-service-account-token-tracking",
        "namespace":"kube-system"},"data":{"since":")" +
            since + "\"}}");
  }
  void PutAccount(const std::string& secrets) {
    Put(client::BuiltIn("", "v1", "serviceaccounts"),
        R"({"metadata":{"name":"robot","namespace":"a"},"secrets":[)" + secrets + "]}");
  }
  void PutSecret(const std::string& name, Duration age, const std::string& labels = {}) {
    Put(Secrets(), "{\"metadata\":{\"name\":\"" + name +
                       "\",\"namespace\":\"a\",\"creationTimestamp\":\"" + TimeFromNow(-age) +
                       "\",\"labels\":{" + labels +
                       "},\"annotations\":{\"kubernetes.io/service-account.name\":\"robot\"}},"
                       "\"type\":\"kubernetes.io/service-account-token\"}");
  }
  std::string Date(Duration from_now) { return TimeFromNow(from_now).substr(0, 10); }
  std::string InvalidSince(const std::string& name) {
    const client::ObjectPtr secret = Find(Secrets(), "a", name);
    return secret ? std::string(LabelOf(*secret, "kubernetes.io/legacy-token-invalid-since"))
                  : "gone";
  }
  std::string LastUsed(Duration ago) {
    return "\"kubernetes.io/legacy-token-last-used\":\"" + Date(-ago) + "\"";
  }
};

TEST_F(LegacyTokenCleanerTest, WhatNobodyUsedForAYearIsMarkedAndDeletedAYearLater) {
  PutTracking(Date(-kDay * 400));
  PutAccount(R"({"name":"unused"},{"name":"young"},{"name":"used"},{"name":"long-ago"},)"
             R"({"name":"mounted"})");
  PutSecret("unused", kDay * 500);
  PutSecret("long-ago", kDay * 500, LastUsed(kDay * 400));
  PutSecret("young", kDay * 300);
  PutSecret("used", kDay * 500, LastUsed(kDay * 100));
  PutSecret("by-hand", kDay * 500);
  PutSecret("mounted", kDay * 500);
  Put(client::BuiltIn("", "v1", "pods"), R"({"metadata":{"name":"p","namespace":"a"},
      "spec":{"volumes":[{"name":"v","secret":{"secretName":"mounted"}}]}})");
  Run(MakeLegacyTokenCleanerController);
  const std::string today = Date({});
  EXPECT_EQ(InvalidSince("unused"), today);
  EXPECT_EQ(InvalidSince("long-ago"), today);
  for (const std::string name : {"young", "used", "by-hand", "mounted"}) {
    EXPECT_EQ(InvalidSince(name), "") << name;
  }
  ExpectQuiet(hours(1));
  Pass(kDay * 364);
  EXPECT_EQ(InvalidSince("unused"), today);
  Pass(kDay * 3);
  EXPECT_EQ(InvalidSince("unused"), "gone");
  EXPECT_EQ(InvalidSince("by-hand"), "");
  EXPECT_EQ(InvalidSince("mounted"), "");
}

TEST_F(LegacyTokenCleanerTest, HowLongIsLongIsAnOption) {
  options_.legacy_token_clean_up_period = kDay * 10;
  PutTracking(Date(-kDay * 20));
  PutAccount(R"({"name":"unused"},{"name":"used"})");
  PutSecret("unused", kDay * 15);
  PutSecret("used", kDay * 15, LastUsed(kDay * 5));
  Run(MakeLegacyTokenCleanerController);
  EXPECT_EQ(InvalidSince("unused"), Date({}));
  EXPECT_EQ(InvalidSince("used"), "");
}

TEST_F(LegacyTokenCleanerTest, NothingHappensBeforeUseHasBeenTrackedForAYear) {
  PutTracking(Date(-kDay * 365));
  PutAccount(R"({"name":"unused"})");
  PutSecret("unused", kDay * 500);
  Run(MakeLegacyTokenCleanerController);
  EXPECT_EQ(InvalidSince("unused"), "");
  Pass(kDay * 2);
  EXPECT_NE(InvalidSince("unused"), "");
}

TEST_F(LegacyTokenCleanerTest, WhatFailsIsDoneTheNextDay) {
  PutTracking(Date(-kDay * 400));
  PutAccount(R"({"name":"unused"})");
  PutSecret("unused", kDay * 500);
  api_.Fail({.verb = client::ClientVerb::kPatch});
  Run(MakeLegacyTokenCleanerController);
  EXPECT_EQ(InvalidSince("unused"), "");
  api_.Fail({.verb = client::ClientVerb::kGet});
  Pass(kDay);
  EXPECT_EQ(InvalidSince("unused"), "");
  Pass(kDay);
  EXPECT_EQ(InvalidSince("unused"), Date({}));
}

}  // namespace
}  // namespace skiff::controllers
