// Bootstrap tokens: secrets of their type in kube-system, with which nodes join a cluster.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "client/informer.h"
#include "object/scalar/time.h"

namespace skiff::controllers {

// Those of their type in kube-system and no others.
client::Informer& BootstrapTokens(client::InformerSet& informers);

// How long the token is good for: zero when it has expired, which one with an unreadable time has;
// nothing when it never does.
std::optional<Duration> TokenTimeLeft(const object::Document& secret, object::Timestamp now);

struct SigningToken {
  std::string_view id;
  std::string_view secret;
};
// Nothing when the token is malformed, has expired or is not meant for signing.
std::optional<SigningToken> ReadSigningToken(const object::Document& secret, object::Timestamp now);

// HEADER..SIGNATURE: a JSON web signature (HS256) over a content that is not in it.
std::string DetachedSignature(std::string_view content, const SigningToken& token);

}  // namespace skiff::controllers
