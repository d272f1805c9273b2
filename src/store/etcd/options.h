// How the etcd cluster is reached: the endpoints, TLS files and times of the --etcd-* flags.
//
// An endpoint is http://host[:port] or https://host[:port]; the scheme decides about TLS, the port
// is 2379 unless given, IPv6 addresses stand in brackets. Paths, users and queries have no meaning
// here and are refused. One to five endpoints may be given, which should be members of one cluster.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/status.h"

namespace skiff::store {

struct EtcdOptions {
  std::vector<std::string> endpoints;  // --etcd-servers
  // PEM files, read anew for every connection. Without a CA file https trusts the system's roots.
  std::string ca_file;    // --etcd-cafile
  std::string cert_file;  // --etcd-certfile
  std::string key_file;   // --etcd-keyfile

  Duration dial_timeout = std::chrono::seconds(20);
  Duration keepalive_time = std::chrono::seconds(30);
  Duration keepalive_timeout = std::chrono::seconds(10);
  // One attempt of a request. etcd itself gives up after 7 s by default, and says why.
  Duration attempt_timeout = std::chrono::seconds(10);
  // All attempts of a request.
  Duration request_timeout = std::chrono::seconds(30);
  // Between attempts, doubled with each failure.
  Duration min_backoff = std::chrono::milliseconds(50);
  Duration max_backoff = std::chrono::seconds(5);
  // The background check that Health() tells of: a read of this key.
  std::string health_key = "/registry/health";
  Duration health_interval = std::chrono::seconds(2);
  Duration health_timeout = std::chrono::seconds(2);  // --etcd-healthcheck-timeout

  Clock* clock = nullptr;    // must outlive the store
  Random* random = nullptr;  // likewise; the store serialises its use
};

struct EtcdEndpoint {
  std::string url;   // as given
  std::string host;  // without brackets
  uint16_t port = 0;
  bool tls = false;

  // "host:2379", "[::1]:2379"
  std::string Authority() const;
};

Result<EtcdEndpoint> ParseEtcdEndpoint(std::string_view url);
// All endpoints, or what is wrong with the options, named by their flags.
Result<std::vector<EtcdEndpoint>> CheckEtcdOptions(const EtcdOptions& options);

}  // namespace skiff::store
