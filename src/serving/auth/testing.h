// Answers at once, for tests of tokens.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "serving/auth/authenticator.h"

namespace skiff::testing {

inline Authentication AskToken(TokenAuthenticator& tokens, std::string_view token,
                               WantedAudiences audiences = nullptr) {
  std::optional<Authentication> answer;
  tokens.AuthenticateToken(token, audiences, [&](Authentication a) { answer = std::move(a); });
  EXPECT_TRUE(answer.has_value());
  return answer ? *answer : Authentication{};
}

}  // namespace skiff::testing
