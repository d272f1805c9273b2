#include "apiserver/bootstrap_options.h"

#include <unistd.h>

#include <climits>
#include <string>
#include <utility>

#include "base/read_file.h"

namespace skiff::apiserver {
namespace {

// A configmap takes no more.
constexpr size_t kMaxCaBytes = size_t{1024} * 1024;

std::string HostName() {
  char name[HOST_NAME_MAX + 1] = {};
  return ::gethostname(name, HOST_NAME_MAX) == 0 ? name : "localhost";
}

Result<AuthenticationInfo> ReadAuthentication(const std::string& client_ca_file,
                                              const RequestHeaderOptions& header) {
  AuthenticationInfo out;
  if (!client_ca_file.empty()) {
    SKIFF_ASSIGN_OR_RETURN(out.client_ca_pem, ReadFileUpTo(client_ca_file, kMaxCaBytes));
  }
  if (header.client_ca_file.empty()) return out;
  SKIFF_ASSIGN_OR_RETURN(out.request_header_ca_pem,
                         ReadFileUpTo(header.client_ca_file, kMaxCaBytes));
  out.allowed_names = header.allowed_names;
  out.username_headers = header.username_headers;
  out.uid_headers = header.uid_headers;
  out.group_headers = header.group_headers;
  out.extra_headers_prefix = header.extra_headers_prefix;
  return out;
}

}  // namespace

Result<BootstrapOptions> MakeBootstrapOptions(const ApiServerOptions& options) {
  BootstrapOptions out;
  out.prefix = options.storage.etcd_prefix;
  out.service_ranges = options.service.cluster_ip_ranges;
  if (out.service_ranges.empty()) {
    SKIFF_ASSIGN_OR_RETURN(const IpRange range, IpRange::Parse("10.0.0.0/24"));
    out.service_ranges.push_back(range);
  }
  out.kubernetes_service_node_port = options.service.kubernetes_service_node_port;
  out.reconcile_endpoints = options.service.reconcile_endpoints;
  out.advertise_address = options.advertise_address.value_or(IpAddress::LoopbackV4());
  out.host_name = HostName();
  SKIFF_ASSIGN_OR_RETURN(out.authentication,
                         ReadAuthentication(options.client_ca_file, options.request_header));
  // CAs are renewed while the server runs; what cannot be read meanwhile stays as it was.
  out.authentication_now = [file = options.client_ca_file, header = options.request_header,
                            last = out.authentication]() mutable {
    if (Result<AuthenticationInfo> read = ReadAuthentication(file, header); read) {
      last = std::move(*read);
    }
    return last;
  };
  return out;
}

}  // namespace skiff::apiserver
