// Who may ask a component that knows no users itself: it asks the API server, whose tokens they
// are (TokenReview) and whether they may (SubjectAccessReview), and remembers for some seconds what
// it was told.
//
// Any thread may ask. Reviews go through a client of some executor; answers that are not at hand
// come on it.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "client/client.h"
#include "client/lru_map.h"
#include "serving/auth/authenticator.h"
#include "serving/auth/authorizer.h"

namespace skiff::component {

struct DelegationOptions {
  Duration token_ttl = std::chrono::seconds(10);
  Duration allowed_ttl = std::chrono::seconds(10);
  Duration denied_ttl = std::chrono::seconds(10);
  // What everybody may ask for; one that ends in '*' stands for all that begin so.
  std::vector<std::string> always_allow_paths = {"/healthz", "/readyz", "/livez"};
};

// The transport outlives it, or is closed before. Nothing is remembered: see TokenCache.
class DelegatedTokens final : public serving::TokenAuthenticator {
 public:
  explicit DelegatedTokens(client::ClientTransport& transport) : transport_(transport) {}
  void AuthenticateToken(std::string_view token, serving::WantedAudiences audiences,
                         serving::AuthenticationCallback done) override;

 private:
  client::ClientTransport& transport_;
};

// Lets system:masters do everything, as API servers do.
class DelegatedAuthorizer final : public serving::Authorizer {
 public:
  // Without a transport nobody else is let in but where everybody is.
  DelegatedAuthorizer(DelegationOptions options, client::ClientTransport* transport, Clock& clock);
  void Authorize(const serving::AccessAttributes& attributes,
                 std::move_only_function<void(serving::AuthorizationResult)> done) override;

 private:
  struct Remembered {
    serving::AuthorizationResult answer;
    Duration until{};
  };
  // Outlives the authorizer while reviews are under way.
  struct Memory {
    std::mutex mutex;
    client::LruMap<Remembered> answers;
  };

  bool IsForAll(const serving::AccessAttributes& attributes) const;

  const DelegationOptions options_;
  client::ClientTransport* const transport_;
  Clock& clock_;
  const std::shared_ptr<Memory> memory_;
};

}  // namespace skiff::component
