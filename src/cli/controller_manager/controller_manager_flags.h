// The flags of kube-controller-manager, all of v1.36; see server_flags.h. Those of loops that are
// not there yet are ignored.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/ip_address.h"
#include "base/status.h"
#include "cli/common/server_flags.h"
#include "client/object.h"
#include "component/delegation.h"
#include "controllers/manager.h"
#include "net/tls_options.h"

namespace skiff::cli {

// What a command line of kube-controller-manager says.
struct ControllerManagerCommandLine : ServerCommandLine {
  controllers::ManagerOptions manager;
  std::string root_ca_file;
  std::string service_account_key_file;

  std::string kubeconfig;
  std::string master;
  double kube_api_qps = 20;
  int32_t kube_api_burst = 30;
  std::string kube_api_content_type = "application/vnd.kubernetes.protobuf";
  bool use_service_account_credentials = false;
  Duration shutdown_timeout = std::chrono::seconds(10);

  bool leader_elect = true;
  client::ObjectName lease = {"kube-system", "kube-controller-manager"};
  Duration lease_duration = std::chrono::seconds(15);
  Duration renew_deadline = std::chrono::seconds(10);
  Duration retry_period = std::chrono::seconds(2);

  IpAddress bind_address = IpAddress::AnyV4();
  uint16_t secure_port = 10257;  // 0: nothing is served
  std::string cert_dir;
  net::TlsOptions tls;
  bool disable_http2 = false;
  uint32_t http2_max_streams = 0;
  bool permit_port_sharing = false;
  bool profiling = true;

  component::DelegationOptions delegation;
  std::string authentication_kubeconfig;
  std::string authorization_kubeconfig;
  bool authentication_skip_lookup = false;
  bool authentication_tolerate_lookup_failure = false;
  std::string client_ca_file;

  std::map<std::string, bool, std::less<>> feature_gates;
  int log_level = 0;
};

using ControllerManagerFlag = ServerFlag<ControllerManagerCommandLine>;

// In the order of the help: by section, then by name.
std::vector<ControllerManagerFlag> AllControllerManagerFlags();

Result<void> ParseControllerManagerFlags(std::span<const std::string_view> words,
                                         ControllerManagerCommandLine& line);
// What contradicts itself, each fault in a line.
Result<void> Validate(const ControllerManagerCommandLine& line);

}  // namespace skiff::cli
