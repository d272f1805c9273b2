#include "controllers/service_accounts.h"

#include "controllers/queue_controller_testing.h"

namespace skiff::controllers {
namespace {

const client::ApiResource& Accounts() { return client::BuiltIn("", "v1", "serviceaccounts"); }

using ServiceAccountsTest = ControllerTest;

TEST_F(ServiceAccountsTest, EveryActiveNamespaceHasTheDefaultAccount) {
  PutNamespace("early");
  PutNamespace("ending");
  Delete(client::BuiltIn("", "v1", "namespaces"), "", "ending");
  Run(MakeServiceAccountsController);
  PutNamespace("late");
  Settle();
  EXPECT_TRUE(Find(Accounts(), "early", "default"));
  EXPECT_TRUE(Find(Accounts(), "late", "default"));
  EXPECT_TRUE(Find(client::BuiltIn("", "v1", "namespaces"), "", "ending"));
  EXPECT_FALSE(Find(Accounts(), "ending", "default"));
  EXPECT_EQ(api_.CountOf(client::ClientVerb::kCreate), 2U);
  ExpectQuiet();
}

TEST_F(ServiceAccountsTest, ADeletedAccountComesBackAndOthersAreLeftAlone) {
  PutNamespace("a");
  Put(Accounts(), R"({"metadata":{"name":"mine","namespace":"a"}})");
  Run(MakeServiceAccountsController);
  Remove(Accounts(), "a", "default");
  Remove(Accounts(), "a", "mine");
  Settle();
  EXPECT_TRUE(Find(Accounts(), "a", "default"));
  EXPECT_FALSE(Find(Accounts(), "a", "mine"));
}

TEST_F(ServiceAccountsTest, WhatIsThereIsNotWrittenAgain) {
  PutNamespace("a");
  Put(Accounts(), R"({"metadata":{"name":"default","namespace":"a"}})");
  Run(MakeServiceAccountsController);
  EXPECT_EQ(Writes(), 0U);
}

TEST_F(ServiceAccountsTest, AFailedCreationIsTriedAgain) {
  PutNamespace("a");
  api_.Fail({.verb = client::ClientVerb::kCreate, .times = 3});
  Run(MakeServiceAccountsController);
  EXPECT_TRUE(Find(Accounts(), "a", "default"));
  EXPECT_EQ(api_.CountOf(client::ClientVerb::kCreate), 4U);
}

TEST_F(ServiceAccountsTest, AnAnswerThatIsLostDoesNotMakeTheLoopFail) {
  PutNamespace("a");
  api_.Fail({.verb = client::ClientVerb::kCreate,
             .status = Status(StatusReason::kServerTimeout, "no answer"),
             .carried_out = true});
  Run(MakeServiceAccountsController);
  EXPECT_TRUE(Find(Accounts(), "a", "default"));
  ExpectQuiet();
}

TEST_F(ServiceAccountsTest, AnAccountThatGoesUnseenComesBack) {
  PutNamespace("a");
  Run(MakeServiceAccountsController);
  api_.Fail({.verb = client::ClientVerb::kCreate, .times = 3});
  Remove(Accounts(), "a", "default");
  Pass(std::chrono::milliseconds(1));
  // It is made while nobody sees it, and goes before somebody does.
  api_.HoldWatches(true);
  api_.BreakWatches(Status(StatusReason::kExpired, "too old"));
  Pass(std::chrono::milliseconds(200));
  ASSERT_TRUE(Find(Accounts(), "a", "default"));
  Remove(Accounts(), "a", "default");
  api_.HoldWatches(false);
  Pass(std::chrono::minutes(2));
  EXPECT_TRUE(Find(Accounts(), "a", "default"));
  ExpectQuiet();
}

}  // namespace
}  // namespace skiff::controllers
