// Transports for other identities: each control loop speaks as a service account of its own, whose
// tokens come from the TokenRequest API.
//
// A token is asked for when it is first needed, and again when 80 % of its life is over; while the
// new one is on its way the old one serves. A service account that is missing is created. All of it
// belongs to the executor.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "client/client.h"
#include "client/https/https_transport.h"
#include "client/https/token_source.h"

namespace skiff {

class ServiceAccountToken final : public TokenSource,
                                  public std::enable_shared_from_this<ServiceAccountToken> {
 public:
  // `root` may make tokens and service accounts, and must outlive this, or be closed before.
  ServiceAccountToken(ClientTransport& root, ObjectName account);

  void Get(Done done) override;
  bool Refuse(const std::string& token) override;

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

class ServiceAccountTransports {
 public:
  // `config` is that of the root; its credentials are used by the root alone.
  static Result<std::unique_ptr<ServiceAccountTransports>> Open(
      const HttpsSurroundings& surroundings, const RestConfig& config, ClientTransport& root,
      std::string name_space = "kube-system");
  // As for transports.
  ~ServiceAccountTransports() = default;

  // Of the account with that name; the same each time. Lives as long as this does.
  ClientTransport& Of(std::string_view name);
  void Close();

 private:
  ServiceAccountTransports(const HttpsSurroundings& surroundings, RestConfig config,
                           ClientTransport& root, std::string name_space)
      : surroundings_(surroundings),
        config_(std::move(config)),
        root_(root),
        name_space_(std::move(name_space)) {}

  const HttpsSurroundings surroundings_;
  const RestConfig config_;  // without credentials
  ClientTransport& root_;
  const std::string name_space_;
  std::shared_ptr<HttpsConnections> connections_;
  std::map<std::string, std::unique_ptr<HttpsTransport>, std::less<>> transports_;
};

}  // namespace skiff
