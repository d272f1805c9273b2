#include "apiserver/listener_options.h"

#include <algorithm>
#include <utility>

#include "apiserver/security.h"
#include "base/limits.h"

namespace skiff::apiserver {
namespace {

net::TlsOptions TlsOptionsOf(const ApiServerOptions& options) {
  net::TlsOptions tls;
  tls.certificate = {options.tls.cert_file, options.tls.private_key_file, {}};
  tls.by_name = options.tls.sni_cert_keys;
  tls.client_ca_files = ClientCaFilesOf(options).files;
  tls.cipher_suites = options.tls.cipher_suites;
  tls.curve_preferences.assign(options.tls.curve_preferences.begin(),
                               options.tls.curve_preferences.end());
  tls.min_version =
      options.tls.min_version == MinTlsVersion::kTls13 ? "VersionTLS13" : "VersionTLS12";
  tls.http2 = !options.disable_http2_serving;
  return tls;
}

}  // namespace

net::HttpServerOptions ListenerOptions(const ApiServerOptions& options, uint64_t memory_bytes) {
  net::HttpServerOptions http;
  http.addresses = {options.bind_address.WithPort(options.secure_port)};
  http.share_port = options.permit_port_sharing;
  http.limits.body_timeout = options.requests.request_timeout;
  // Requests on their way may have a quarter of the memory, and so may connections that are idle.
  const uint64_t quarter = memory_bytes / 4;
  http.limits.memory_bytes = std::min<uint64_t>(http.limits.memory_bytes, quarter);
  http.limits.max_connections =
      std::min<uint64_t>(http.limits.max_connections, quarter / limits::kHttpIdleConnectionBytes);
  if (options.requests.http2_max_streams_per_connection > 0) {
    http.limits.max_streams =
        static_cast<uint32_t>(options.requests.http2_max_streams_per_connection);
  }
  http.tls = TlsOptionsOf(options);
  return http;
}

}  // namespace skiff::apiserver
