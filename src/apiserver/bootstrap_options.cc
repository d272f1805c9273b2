#include "apiserver/bootstrap_options.h"

#include <unistd.h>

#include <climits>

#include "base/read_file.h"

namespace skiff::apiserver {
namespace {

// A configmap takes no more.
constexpr size_t kMaxCaBytes = size_t{1024} * 1024;

std::string HostName() {
  char name[HOST_NAME_MAX + 1] = {};
  return ::gethostname(name, HOST_NAME_MAX) == 0 ? name : "localhost";
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
  if (!options.client_ca_file.empty()) {
    SKIFF_ASSIGN_OR_RETURN(out.authentication.client_ca_pem,
                           ReadFileUpTo(options.client_ca_file, kMaxCaBytes));
  }
  const RequestHeaderOptions& header = options.request_header;
  if (!header.client_ca_file.empty()) {
    SKIFF_ASSIGN_OR_RETURN(out.authentication.request_header_ca_pem,
                           ReadFileUpTo(header.client_ca_file, kMaxCaBytes));
    out.authentication.allowed_names = header.allowed_names;
    out.authentication.username_headers = header.username_headers;
    out.authentication.uid_headers = header.uid_headers;
    out.authentication.group_headers = header.group_headers;
    out.authentication.extra_headers_prefix = header.extra_headers_prefix;
  }
  return out;
}

}  // namespace skiff::apiserver
