// Transports of control loops: each has a rate limit of its own, and speaks as a service account of
// its own, whose tokens come from the TokenRequest API, or as all the others do.
//
// A token is asked for when it is first needed, and again when 80 % of its life is over; while the
// new one is on its way the old one serves. A service account that is missing is created. All of it
// belongs to the executor.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "client/client.h"
#include "client/https/https_transport.h"
#include "client/https/token_source.h"

namespace skiff::client {

class ServiceAccountToken final : public TokenSource,
                                  public std::enable_shared_from_this<ServiceAccountToken> {
 public:
  // `root` may make tokens and service accounts, and must outlive this, or be closed before.
  ServiceAccountToken(ClientTransport& root, ObjectName account);

  void Get(Done done) override;
  bool Refuse(const std::string& token) override;
  std::string Advice() const override;

 private:
  void Ask();
  void OnAnswer(Result<ClientReply> answer);
  void CreateAccount();
  void Retry(Status why);
  void End(Result<std::string> token);

  ClientTransport& root_;
  const ObjectName account_;
  std::string token_;
  Duration renew_at_{};
  Duration expires_at_{};
  bool asking_ = false;
  int tries_ = 0;
  std::vector<Done> waiting_;
};

// A transport for each name, with a rate limit of its own, over the same connections.
class NamedTransports {
 public:
  // By what the limits of the configuration are multiplied.
  struct Rate {
    double qps_factor = 1;
    double burst_factor = 1;
  };
  using Rates = std::map<std::string, Rate, std::less<>>;  // of names that have more than others

  // Each speaks as the service account of its name. `config` is that of the root; its credentials
  // are used by the root alone.
  static Result<std::unique_ptr<NamedTransports>> OpenServiceAccounts(
      const HttpsEnvironment& environment, const RestConfig& config, ClientTransport& root,
      Rates rates = {}, std::string name_space = "kube-system");
  // All speak with the credentials of the configuration.
  static Result<std::unique_ptr<NamedTransports>> OpenSameIdentity(
      const HttpsEnvironment& environment, const RestConfig& config, Rates rates = {});
  // As for transports.
  ~NamedTransports() = default;

  // The same for a name each time. Lives as long as this does.
  ClientTransport& Of(std::string_view name);
  void Close();

 private:
  using TokensOf = std::function<std::shared_ptr<TokenSource>(std::string_view name)>;

  NamedTransports(const HttpsEnvironment& environment, RestConfig config, Rates rates,
                  std::string agent_prefix, TokensOf tokens)
      : environment_(environment),
        config_(std::move(config)),
        rates_(std::move(rates)),
        agent_prefix_(std::move(agent_prefix)),
        tokens_(std::move(tokens)) {}
  Result<void> Connect();

  const HttpsEnvironment environment_;
  const RestConfig config_;
  const Rates rates_;
  const std::string agent_prefix_;
  const TokensOf tokens_;
  std::shared_ptr<HttpsConnections> connections_;
  std::map<std::string, std::unique_ptr<HttpsTransport>, std::less<>> transports_;
};

}  // namespace skiff::client
