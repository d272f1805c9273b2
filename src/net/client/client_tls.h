// How a client speaks TLS: whom it believes, and what it shows of itself.
//
// Certificates and keys are PEM texts, since kubeconfigs carry them inside. A server must show a
// certificate of one of the CAs, valid now, and for the name or address that is asked for.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <openssl/ssl.h>

#include "base/clock.h"
#include "base/status.h"
#include "crypto/openssl.h"
#include "net/client/endpoint.h"

namespace skiff::net {

struct ClientTlsOptions {
  std::string ca_pem;           // certificates; empty: those that the system trusts
  std::string certificate_pem;  // of the client, with its chain; empty: none
  std::string key_pem;          // of that certificate
  std::string server_name;      // instead of the endpoint's host; empty: that
  bool insecure = false;        // believe any server
  bool only_http1 = false;      // offer nothing but HTTP/1.1
};

// Immutable; any thread. Shared by all connections to a server.
class ClientTls {
 public:
  static Result<std::shared_ptr<const ClientTls>> Make(const ClientTlsOptions& options);
  ClientTls(const ClientTls&) = delete;
  ClientTls& operator=(const ClientTls&) = delete;

  // For one connection; null when there is no memory.
  SSL* NewSession(const ClientEndpoint& endpoint) const;
  // Until when the client's certificate is valid, as Clock::Wall() counts; nothing without one.
  std::optional<Duration> certificate_not_after() const;

 private:
  ClientTls(crypto::openssl::SslContextPtr ctx, std::string server_name)
      : ctx_(std::move(ctx)), server_name_(std::move(server_name)) {}

  const crypto::openssl::SslContextPtr ctx_;
  const std::string server_name_;
};

}  // namespace skiff::net
