#include "serving/auth/bearer_token.h"

#include <algorithm>
#include <cctype>
#include <memory>

#include "base/limits.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "object/json/text.h"
#include "object/scalar/base64url.h"

namespace skiff::serving {
namespace {

constexpr char kInvalidToken[] = "invalid bearer token";
constexpr char kExtraSpaceWarning[] =
    "the provided Authorization header contains extra space before the bearer token, and is "
    "ignored";

bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(a))) == b;
  });
}

std::string_view FirstHeader(const net::HttpRequest& request, std::string_view name) {
  for (const auto& field : request.headers.fields()) {
    if (field.name == name) return field.value;
  }
  return {};
}

// Calls visit(part) for each non-empty part of all headers of that name.
template <typename Visit>
void ForEachListed(const net::HttpRequest& request, std::string_view name, Visit visit) {
  for (const auto& field : request.headers.fields()) {
    if (field.name != name) continue;
    std::string_view rest = field.value;
    while (!rest.empty()) {
      const size_t comma = std::min(rest.find(','), rest.size());
      if (const std::string_view part = TrimSpace(rest.substr(0, comma)); !part.empty()) {
        visit(part);
      }
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
}

bool WantsWebSocket(const net::HttpRequest& request) {
  bool upgrades = false;
  ForEachListed(request, "connection",
                [&](std::string_view part) { upgrades |= EqualsIgnoringCase(part, "upgrade"); });
  return upgrades && EqualsIgnoringCase(FirstHeader(request, "upgrade"), "websocket");
}

void AskTokens(TokenAuthenticator& tokens, std::shared_ptr<const std::string> token,
               AuthenticationCallback done) {
  if (token->size() > limits::kMaxTokenBytes) {
    done(Authentication::Refused(kInvalidToken));
    return;
  }
  const std::string_view text = *token;
  tokens.AuthenticateToken(
      text, nullptr,
      [token = std::move(token), done = std::move(done)](Authentication found) mutable {
        if (found.outcome == Authentication::Outcome::kNoCredentials) {
          found = Authentication::Refused(kInvalidToken);
        }
        done(std::move(found));
      });
}

}  // namespace

void BearerTokenAuthenticator::Authenticate(const net::HttpRequest& request,
                                            AuthenticationCallback done) {
  const std::string_view header = TrimSpace(FirstHeader(request, "authorization"));
  const size_t space = header.find(' ');
  if (space == header.npos || !EqualsIgnoringCase(header.substr(0, space), "bearer")) {
    done({});
    return;
  }
  // What follows a second space is ignored, and so a token behind two spaces is none.
  std::string_view token = header.substr(space + 1);
  token = token.substr(0, token.find(' '));
  if (token.empty()) {
    Authentication none;
    none.warnings.emplace_back(kExtraSpaceWarning);
    done(std::move(none));
    return;
  }
  AskTokens(tokens_, std::make_shared<const std::string>(token), std::move(done));
}

void WebSocketTokenAuthenticator::Authenticate(const net::HttpRequest& request,
                                               AuthenticationCallback done) {
  if (!WantsWebSocket(request)) {
    done({});
    return;
  }
  size_t others = 0;
  std::vector<std::string_view> encoded;
  ForEachListed(request, "sec-websocket-protocol", [&](std::string_view protocol) {
    if (protocol.starts_with(kWebSocketTokenPrefix)) {
      encoded.push_back(protocol.substr(kWebSocketTokenPrefix.size()));
    } else {
      ++others;
    }
  });
  if (encoded.empty()) {
    done({});
    return;
  }
  if (encoded.size() > 1) {
    done(Authentication::Refused("several bearer tokens in the WebSocket protocols"));
    return;
  }
  auto token = object::DecodeBase64Url(encoded.front());
  if (!token || !IsValidUtf8(*token)) {
    done(Authentication::Refused("the bearer token in the WebSocket protocols is not base64url"));
  } else if (token->empty()) {
    done({});
  } else if (others == 0) {
    done(Authentication::Refused("no other WebSocket protocol beside the bearer token"));
  } else {
    AskTokens(tokens_, std::make_shared<const std::string>(*std::move(token)), std::move(done));
  }
}

}  // namespace skiff::serving
