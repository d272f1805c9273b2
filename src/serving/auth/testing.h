// Answers at once, for tests of tokens.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "serving/auth/authenticator.h"

namespace skiff::testing {

inline serving::Authentication AskToken(serving::TokenAuthenticator& tokens, std::string_view token,
                                        serving::WantedAudiences audiences = nullptr) {
  std::optional<serving::Authentication> answer;
  tokens.AuthenticateToken(token, audiences,
                           [&](serving::Authentication a) { answer = std::move(a); });
  EXPECT_TRUE(answer.has_value());
  return answer ? *answer : serving::Authentication{};
}

}  // namespace skiff::testing
