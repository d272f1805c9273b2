// The connections to one API server under one TLS configuration, shared by all clients that use it.
//
// Certificates that come from files are looked at now and then while there are requests, and when a
// server did not accept this client; when they have changed, new requests go over new connections,
// and the old ones end with their last request (watches end by themselves within minutes). A server
// with a name that cannot be reached is looked up again, on a thread, since resolvers let one wait.
//
// All calls belong to the loop's thread, but for Open().
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/status.h"
#include "base/thread.h"
#include "client/https/rest_config.h"
#include "net/client/http_client.h"
#include "net/event_loop.h"

namespace skiff::client {

struct ConnectionOptions {
  Duration check_interval = limits::kCredentialCheckInterval;
  Log* log = nullptr;  // null: nobody wants to know; else it outlives the connections
};

class HttpsConnections : public std::enable_shared_from_this<HttpsConnections> {
 public:
  struct Ticket {
    uint64_t generation = 0;
    net::HttpClient::RequestId id = 0;
  };

  // Any thread. Reads the files and waits for the resolver.
  static Result<std::shared_ptr<HttpsConnections>> Open(std::shared_ptr<net::EventLoop> loop,
                                                        const RestConfig& config,
                                                        ConnectionOptions options = {});
  // On the loop's thread, or once it has stopped.
  ~HttpsConnections();

  // As HttpClient does.
  Ticket Send(net::ClientRequest request, net::ResponseHandler* handler);
  void Cancel(Ticket ticket);

  // The server could not be reached.
  void OnUnreachable();
  // The server did not accept the client's certificate. Whether there is another one by now.
  bool RenewCertificate();
  // What is wrong with the client's certificate, for a message; mostly empty.
  std::string CertificateFault() const;

  const net::ClientEndpoint& endpoint() const { return endpoint_; }
  size_t generations() const { return clients_.size(); }

 private:
  struct Generation {
    uint64_t number;
    std::unique_ptr<net::HttpClient> client;
  };

  HttpsConnections(std::shared_ptr<net::EventLoop> loop, const RestConfig& config,
                   ConnectionOptions options);
  net::HttpClient& Current();
  // Whether anything has changed.
  bool CheckFiles();
  void Replace();
  void DropIdle();

  const std::shared_ptr<net::EventLoop> loop_;
  const RestConfig config_;
  const ConnectionOptions options_;
  net::ClientEndpoint endpoint_;
  net::ClientTlsOptions tls_options_;
  std::shared_ptr<const net::ClientTls> tls_;
  std::vector<Generation> clients_;  // the last one is in use
  uint64_t last_generation_ = 0;
  Duration checked_{};
  Duration resolved_{};
  std::unique_ptr<Thread> resolver_;
  bool resolving_ = false;
};

}  // namespace skiff::client
