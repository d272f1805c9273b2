#include "component/delegation.h"

#include <optional>

#include <gtest/gtest.h>

#include "client/manual_executor.h"
#include "object/json/encode.h"

namespace skiff::component {
namespace {

using std::chrono::seconds;

// Answers reviews with one status.
class Reviewer final : public client::ClientTransport {
 public:
  explicit Reviewer(client::ManualExecutor& executor) : executor_(executor) {}
  Executor& executor() override { return executor_; }
  void Send(client::ClientCall call,
            std::move_only_function<void(Result<client::ClientReply>)> done) override {
    asked.push_back(object::EncodeJson(call.body->root()));
    Result<client::ClientReply> answer = Fail(StatusReason::kServiceUnavailable, "away");
    if (!status.empty()) {
      answer = client::ClientReply{
          .object = *client::ParseObject(*call.resource, "{\"status\":" + status + "}")};
    }
    executor_.Post([done = std::move(done), answer = std::move(answer)]() mutable {
      done(std::move(answer));
    });
  }
  std::unique_ptr<client::ClientWatch> Watch(client::WatchCall, client::ClientWatchSink*) override {
    return nullptr;
  }
  void Discover(std::move_only_function<void(Result<client::ServedApi>)>) override {}
  void Close() override {}

  std::vector<std::string> asked;
  std::string status;  // empty: there is no answer

 private:
  client::ManualExecutor& executor_;
};

class DelegationTest : public testing::Test {
 protected:
  serving::Authentication Know(std::string_view token) {
    std::optional<serving::Authentication> found;
    DelegatedTokens(reviewer_).AuthenticateToken(
        token, nullptr, [&](serving::Authentication a) { found = std::move(a); });
    executor_.RunUntilIdle();
    return found.value();
  }
  serving::AuthorizationResult May(const serving::UserInfo& user, std::string_view path) {
    std::optional<serving::AuthorizationResult> answer;
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
                          [&](serving::AuthorizationResult a) { answer = std::move(a); });
    executor_.RunUntilIdle();
    return answer.value();
  }

  client::ManualExecutor executor_;
  Reviewer reviewer_{executor_};
  DelegatedAuthorizer authorizer_{
      {.always_allow_paths = {"/healthz", "/open/*"}}, &reviewer_, executor_.clock()};
  serving::UserInfo bob_{
      .name = "bob", .uid = "7", .groups = {"dev"}, .extra = {{"scopes", {"a", "b"}}}};
};

TEST_F(DelegationTest, ATokenIsWhoseTheServerSays) {
  reviewer_.status = R"({"authenticated":true,"user":{"username":"bob","uid":"7",)"
                     R"("groups":["dev"],"extra":{"scopes":["a","b"]}}})";
  const serving::Authentication found = Know("secret");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found.user.name, "bob");
  EXPECT_EQ(found.user.uid, "7");
  EXPECT_TRUE(found.user.IsIn("dev"));
  ASSERT_EQ(found.user.extra.size(), 1u);
  EXPECT_EQ(found.user.extra[0].second, (std::vector<std::string>{"a", "b"}));
  EXPECT_NE(reviewer_.asked.at(0).find(R"("spec":{"token":"secret"})"), std::string::npos);
}

TEST_F(DelegationTest, WithoutAnAnswerNobodyIsKnown) {
  EXPECT_EQ(Know("secret").outcome, serving::Authentication::Outcome::kRefused);
  reviewer_.status = R"({"authenticated":false})";
  EXPECT_EQ(Know("secret").outcome, serving::Authentication::Outcome::kNoCredentials);
}

TEST_F(DelegationTest, TheServerDecidesWithAllThatIsKnownOfTheUser) {
  reviewer_.status = R"({"allowed":true})";
  EXPECT_EQ(May(bob_, "/metrics").decision, serving::Decision::kAllow);
  const std::string& asked = reviewer_.asked.at(0);
  for (const std::string_view part :
       {R"("nonResourceAttributes":{"path":"/metrics","verb":"get"})", R"("user":"bob")",
        R"("groups":["dev"])", R"("extra":{"scopes":["a","b"]})", R"("uid":"7")"}) {
    EXPECT_NE(asked.find(part), std::string::npos) << part << " in " << asked;
  }
}

TEST_F(DelegationTest, WhatWasDecidedIsRememberedForSomeSeconds) {
  reviewer_.status = R"({"allowed":true})";
  EXPECT_EQ(May(bob_, "/metrics").decision, serving::Decision::kAllow);
  reviewer_.status = R"({"allowed":false,"reason":"no"})";
  EXPECT_EQ(May(bob_, "/metrics").decision, serving::Decision::kAllow);
  EXPECT_EQ(May(bob_, "/configz").decision, serving::Decision::kNoOpinion);
  executor_.Advance(seconds(11));
  const serving::AuthorizationResult answer = May(bob_, "/metrics");
  EXPECT_EQ(answer.decision, serving::Decision::kNoOpinion);
  EXPECT_EQ(answer.reason, "no");
  EXPECT_EQ(reviewer_.asked.size(), 3u);
}

TEST_F(DelegationTest, AServerThatIsAwayIsAnErrorAndNotRemembered) {
  EXPECT_NE(May(bob_, "/metrics").evaluation_error, "");
  reviewer_.status = R"({"allowed":true})";
  EXPECT_EQ(May(bob_, "/metrics").decision, serving::Decision::kAllow);
}

TEST_F(DelegationTest, SomePathsAreForAllAndMastersMayEverything) {
  const serving::UserInfo nobody{.name = "system:anonymous", .uid = {}, .groups = {}, .extra = {}};
  EXPECT_EQ(May(nobody, "/healthz").decision, serving::Decision::kAllow);
  EXPECT_EQ(May(nobody, "/open/door").decision, serving::Decision::kAllow);
  const serving::UserInfo master{
      .name = "root", .uid = {}, .groups = {serving::kMastersGroup}, .extra = {}};
  EXPECT_EQ(May(master, "/metrics").decision, serving::Decision::kAllow);
  EXPECT_TRUE(reviewer_.asked.empty());
  EXPECT_NE(May(nobody, "/healthz/ping").decision, serving::Decision::kAllow);
}

TEST_F(DelegationTest, WithoutAServerToAskOnlyThoseAreLetIn) {
  DelegatedAuthorizer alone({}, nullptr, executor_.clock());
  std::optional<serving::AuthorizationResult> answer;
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
                  [&](serving::AuthorizationResult a) { answer = std::move(a); });
  EXPECT_EQ(answer.value().decision, serving::Decision::kNoOpinion);
}

}  // namespace
}  // namespace skiff::component
