// An etcd of one member: the embedded store behind etcd's API, version 3, as etcd 3.6 answers it.
//
// gRPC comes over HTTP/2, with TLS or plain; over HTTP/1.1 and HTTP/2 alike there are the pages of
// http_pages.h on the same ports. Shows nothing of protobuf.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "base/status.h"
#include "net/tls_options.h"

namespace skiff::store {

struct EtcdServerOptions {
  std::string name = "default";
  std::string data_directory;
  std::vector<std::string> plain_addresses;  // "127.0.0.1:2379", "unix:/run/etcd.sock"
  std::vector<std::string> tls_addresses;
  // Only the pages, for those who scrape.
  std::vector<std::string> metrics_addresses;
  std::vector<std::string> tls_metrics_addresses;
  std::optional<net::TlsOptions> tls;  // for those with it in their name
  bool has_gateway = true;
  std::vector<std::string> client_urls;  // told to clients
  std::vector<std::string> peer_urls;
  int64_t max_txn_ops = 128;
  size_t max_request_bytes = 1536 * 1024;
  uint32_t max_streams = 0;  // of a connection; zero: as many as HTTP/2 can count here
  int64_t quota_bytes = 0;   // negative: none; zero: etcd's default
  bool sync = true;
  // What is older is compacted; one of them, or neither.
  Duration compaction_retention{0};
  int64_t compaction_revisions = 0;
  Duration progress_interval = std::chrono::minutes(10);
};

class EtcdServer {
 public:
  // Clock, random and log outlive the server.
  static Result<std::unique_ptr<EtcdServer>> Start(EtcdServerOptions options, Clock& clock,
                                                   Random& random, Log& log);
  // Stops at once.
  ~EtcdServer();

  // Of clients, with the ports that were taken.
  const std::vector<std::string>& addresses() const;
  // Ends watches, waits for requests that are under way, and stops.
  void Drain(Duration grace);

 private:
  class Impl;
  explicit EtcdServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace skiff::store
