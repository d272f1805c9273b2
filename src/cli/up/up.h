// What `skiff up` does, apart from its flags and from how it is detached.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/server.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "base/status.h"
#include "cli/apiserver/apiserver_flags.h"
#include "cli/common/stop_signals.h"
#include "cli/up/up_controllers.h"
#include "cli/up/up_directory.h"

namespace skiff::cli {

struct UpOptions {
  std::string data_dir;
  int64_t port = 6443;
  std::string bind_address = "127.0.0.1";
  std::vector<std::string> tls_sans;             // more names and addresses of the server
  std::string kubeconfig;                        // where a copy goes
  std::vector<std::string> controllers = {"*"};  // as kube-controller-manager's flag; "none"
  std::vector<std::string> apiserver_flags;      // what follows "--"
};

// A cluster on its way up. The steps are taken in this order.
class ClusterStart {
 public:
  // All outlive it. What people should know is passed to `tell`, one line at a time.
  ClusterStart(const UpOptions& options, UpDirectory place, Clock& clock, Random& random, Log& log,
               std::function<void(const std::string& line)> tell);

  // Reads the flags, makes and renews certificates, looks whether the port is free.
  Result<void> Prepare();
  // Starts the server and waits until it is ready; null when a signal came meanwhile.
  Result<std::unique_ptr<apiserver::ApiServer>> Start(StopSignals& signals);
  // Starts the control loops that are asked for; null if there are none.
  Result<std::unique_ptr<UpControllers>> StartLoops(apiserver::ApiServer& server);
  // Renews what ends soon, for a cluster that has been running for long.
  Result<void> Renew();

  const std::string& server_url() const { return server_url_; }

 private:
  Result<void> ReadFlags();
  Result<void> EnsureCertificates();
  Result<void> WriteKubeconfigs();
  Result<void> Announce(const apiserver::ApiServer& server);

  const UpOptions& options_;
  const UpDirectory place_;
  Clock& clock_;
  Random& random_;
  Log& log_;
  const std::function<void(const std::string&)> tell_;
  ApiServerCommandLine line_;
  pki::ServerNames names_;
  std::string server_url_;
};

// kInvalid for a control loop that there is not.
Result<void> CheckLoops(const UpOptions& options);

// How to connect, for people.
std::string ConnectText(const UpOptions& options, const UpDirectory& place,
                        const std::string& server_url);

}  // namespace skiff::cli
