// How a pod reaches the API server of its cluster: the address is in its environment, and the token
// and the CA of its service account are files, which are renewed while it runs.
#pragma once

#include <string>

#include "base/status.h"
#include "client/https/rest_config.h"

namespace skiff::client {

struct InClusterFiles {
  std::string host = {};  // $KUBERNETES_SERVICE_HOST
  std::string port = {};  // $KUBERNETES_SERVICE_PORT
  std::string folder = "/var/run/secrets/kubernetes.io/serviceaccount";

  static InClusterFiles OfEnvironment();
  bool is_pod() const { return !host.empty() && !port.empty(); }
};

Result<RestConfig> InClusterConfig(const InClusterFiles& place);

}  // namespace skiff::client
