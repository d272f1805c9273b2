#include "component/delegation.h"

#include <optional>

#include <gtest/gtest.h>

#include "client/manual_executor.h"
#include "object/json/encode.h"

namespace skiff {
namespace {

using std::chrono::seconds;

// Answers reviews with one status.
class Reviewer final : public ClientTransport {
 public:
  explicit Reviewer(ManualExecutor& executor) : executor_(executor) {}
  Executor& executor() override { return executor_; }
  void Send(ClientCall call, std::move_only_function<void(Result<ClientReply>)> done) override {
    asked.push_back(EncodeJson(call.body->root()));
    Result<ClientReply> answer = Fail(StatusReason::kServiceUnavailable, "away");
    if (!status.empty()) {
      answer = ClientReply{.object = *ParseObject(*call.resource, "{\"status\":" + status + "}")};
    }
    executor_.Post([done = std::move(done), answer = std::move(answer)]() mutable {
      done(std::move(answer));
    });
  }
  std::unique_ptr<ClientWatch> Watch(WatchCall, ClientWatchSink*) override { return nullptr; }
  void Discover(std::move_only_function<void(Result<ServedApi>)>) override {}
  void Close() override {}

  std::vector<std::string> asked;
  std::string status;  // empty: there is no answer

 private:
  ManualExecutor& executor_;
};

class DelegationTest : public testing::Test {
 protected:
  Authentication Know(std::string_view token) {
    std::optional<Authentication> found;
    DelegatedTokens(reviewer_).AuthenticateToken(token, nullptr,
                                                 [&](Authentication a) { found = std::move(a); });
    executor_.RunUntilIdle();
    return found.value();
  }
  AuthorizationResult May(const UserInfo& user, std::string_view path) {
    std::optional<AuthorizationResult> answer;
    authorizer_.Authorize({.user = &user,
                           .verb = "get",
                           .is_resource = false,
                           .group = {},
                           .version = {},
                           .resource = {},
                           .subresource = {},
                           .name_space = {},
                           .name = {},
                           .path = path},
                          [&](AuthorizationResult a) { answer = std::move(a); });
    executor_.RunUntilIdle();
    return answer.value();
  }

  ManualExecutor executor_;
  Reviewer reviewer_{executor_};
  DelegatedAuthorizer authorizer_{
      {.always_allow_paths = {"/healthz", "/open/*"}}, &reviewer_, executor_.clock()};
  UserInfo bob_{.name = "bob", .uid = "7", .groups = {"dev"}, .extra = {{"scopes", {"a", "b"}}}};
};

TEST_F(DelegationTest, ATokenIsWhoseTheServerSays) {
  reviewer_.status = R"({"authenticated":true,"user":{"username":"bob","uid":"7",)"
                     R"("groups":["dev"],"extra":{"scopes":["a","b"]}}})";
  const Authentication found = Know("secret");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found.user.name, "bob");
  EXPECT_EQ(found.user.uid, "7");
  EXPECT_TRUE(found.user.IsIn("dev"));
  ASSERT_EQ(found.user.extra.size(), 1u);
  EXPECT_EQ(found.user.extra[0].second, (std::vector<std::string>{"a", "b"}));
  EXPECT_NE(reviewer_.asked.at(0).find(R"("spec":{"token":"secret"})"), std::string::npos);
}

TEST_F(DelegationTest, WithoutAnAnswerNobodyIsKnown) {
  EXPECT_EQ(Know("secret").outcome, Authentication::Outcome::kRefused);
  reviewer_.status = R"({"authenticated":false})";
  EXPECT_EQ(Know("secret").outcome, Authentication::Outcome::kNoCredentials);
}

TEST_F(DelegationTest, TheServerDecidesWithAllThatIsKnownOfTheUser) {
  reviewer_.status = R"({"allowed":true})";
  EXPECT_EQ(May(bob_, "/metrics").decision, Decision::kAllow);
  const std::string& asked = reviewer_.asked.at(0);
  for (const std::string_view part :
       {R"("nonResourceAttributes":{"path":"/metrics","verb":"get"})", R"("user":"bob")",
        R"("groups":["dev"])", R"("extra":{"scopes":["a","b"]})", R"("uid":"7")"}) {
    EXPECT_NE(asked.find(part), std::string::npos) << part << " in " << asked;
  }
}

TEST_F(DelegationTest, WhatWasDecidedIsRememberedForSomeSeconds) {
  reviewer_.status = R"({"allowed":true})";
  EXPECT_EQ(May(bob_, "/metrics").decision, Decision::kAllow);
  reviewer_.status = R"({"allowed":false,"reason":"no"})";
  EXPECT_EQ(May(bob_, "/metrics").decision, Decision::kAllow);
  EXPECT_EQ(May(bob_, "/configz").decision, Decision::kNoOpinion);
  executor_.Advance(seconds(11));
  const AuthorizationResult answer = May(bob_, "/metrics");
  EXPECT_EQ(answer.decision, Decision::kNoOpinion);
  EXPECT_EQ(answer.reason, "no");
  EXPECT_EQ(reviewer_.asked.size(), 3u);
}

TEST_F(DelegationTest, AServerThatIsAwayIsAnErrorAndNotRemembered) {
  EXPECT_NE(May(bob_, "/metrics").evaluation_error, "");
  reviewer_.status = R"({"allowed":true})";
  EXPECT_EQ(May(bob_, "/metrics").decision, Decision::kAllow);
}

TEST_F(DelegationTest, SomePathsAreForAllAndMastersMayEverything) {
  const UserInfo nobody{.name = "system:anonymous", .uid = {}, .groups = {}, .extra = {}};
  EXPECT_EQ(May(nobody, "/healthz").decision, Decision::kAllow);
  EXPECT_EQ(May(nobody, "/open/door").decision, Decision::kAllow);
  const UserInfo master{.name = "root", .uid = {}, .groups = {kMastersGroup}, .extra = {}};
  EXPECT_EQ(May(master, "/metrics").decision, Decision::kAllow);
  EXPECT_TRUE(reviewer_.asked.empty());
  EXPECT_NE(May(nobody, "/healthz/ping").decision, Decision::kAllow);
}

TEST_F(DelegationTest, WithoutAServerToAskOnlyThoseAreLetIn) {
  DelegatedAuthorizer alone({}, nullptr, executor_.clock());
  std::optional<AuthorizationResult> answer;
  alone.Authorize({.user = &bob_,
                   .verb = "get",
                   .is_resource = false,
                   .group = {},
                   .version = {},
                   .resource = {},
                   .subresource = {},
                   .name_space = {},
                   .name = {},
                   .path = "/metrics"},
                  [&](AuthorizationResult a) { answer = std::move(a); });
  EXPECT_EQ(answer.value().decision, Decision::kNoOpinion);
}

}  // namespace
}  // namespace skiff
