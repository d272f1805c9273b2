#include "apiserver/authn/bootstrap_token.h"

#include <gtest/gtest.h>

#include "apiserver/authn/testing.h"

namespace skiff::apiserver {
namespace {

using Outcome = serving::Authentication::Outcome;

class BootstrapTokenTest : public ::testing::Test {
 protected:
  BootstrapTokenTest() {
    secret().bootstrap_data = {{"token-id", "abcdef"},
                               {"token-secret", "0123456789abcdef"},
                               {"usage-bootstrap-authentication", "true"}};
  }
  BoundObject& secret() {
    return lookup_.objects[{BoundKind::kSecret, "kube-system", "bootstrap-token-abcdef"}];
  }
  std::string& data(const std::string& key) { return secret().bootstrap_data[key]; }
  serving::Authentication Ask(std::string_view token = "abcdef.0123456789abcdef") {
    serving::Authentication out;
    tokens_.AuthenticateToken(token, nullptr, [&](serving::Authentication found) { out = found; });
    return out;
  }
  bool IsKnown() { return Ask().ok(); }

  ManualClock clock_;
  testing::FakeLookup lookup_;
  BootstrapTokenAuthenticator tokens_{lookup_, clock_};
};

TEST_F(BootstrapTokenTest, IsAUserInTheGroupOfBootstrappersAndInThoseOfTheToken) {
  const serving::Authentication found = Ask();
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found.user.name, "system:bootstrap:abcdef");
  EXPECT_EQ(found.user.groups, std::vector<std::string>{"system:bootstrappers"});
  data("auth-extra-groups") = "system:bootstrappers:z,system:bootstrappers:a:b";
  EXPECT_EQ(Ask().user.groups,
            (std::vector<std::string>{"system:bootstrappers", "system:bootstrappers:a:b",
                                      "system:bootstrappers:z"}));
}

TEST_F(BootstrapTokenTest, OtherTokensAreNobodys) {
  for (const char* token : {"abcdef.0123456789abcdee", "abcdee.0123456789abcdef", "abcdef",
                            "abcdef.0123456789abcdef0", "ABCDEF.0123456789abcdef", ""}) {
    EXPECT_EQ(Ask(token).outcome, Outcome::kNoCredentials) << token;
  }
}

TEST_F(BootstrapTokenTest, AnExpiredTokenIsNobodys) {
  data("expiration") = "2023-11-14T22:13:21Z";  // in a second
  EXPECT_TRUE(IsKnown());
  clock_.Advance(std::chrono::seconds(1));
  EXPECT_FALSE(IsKnown());
  data("expiration") = "soon";
  EXPECT_FALSE(IsKnown());
}

TEST_F(BootstrapTokenTest, WhatIsNotMeantForAuthenticationIsNobodys) {
  data("usage-bootstrap-authentication") = "false";
  EXPECT_FALSE(IsKnown());
  data("usage-bootstrap-authentication") = "true";
  data("token-id") = "other0";
  EXPECT_FALSE(IsKnown());
  data("token-id") = "abcdef";
  for (const char* groups : {"system:masters", "system:bootstrappers:", "system:bootstrappers:A",
                             "system:bootstrappers:a,", "system:bootstrappers:a:"}) {
    data("auth-extra-groups") = groups;
    EXPECT_FALSE(IsKnown()) << groups;
  }
  data("auth-extra-groups") = "";
  EXPECT_TRUE(IsKnown());
  secret().deletion = object::Timestamp{};
  EXPECT_FALSE(IsKnown());
}

}  // namespace
}  // namespace skiff::apiserver
