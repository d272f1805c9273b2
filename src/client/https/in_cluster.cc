#include "client/https/in_cluster.h"

#include <cstdlib>

#include "base/strings.h"

namespace skiff::client {

InClusterFiles InClusterFiles::OfEnvironment() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  InClusterFiles place;
  place.host = variable("KUBERNETES_SERVICE_HOST");
  place.port = variable("KUBERNETES_SERVICE_PORT");
  return place;
}

Result<RestConfig> InClusterConfig(const InClusterFiles& place) {
  if (!place.is_pod())
    return BadRequest(
        "this is no pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set; name a "
        "kubeconfig");
  RestConfig config;
  const bool is_v6 = place.host.find(':') != std::string::npos;
  config.server = "https://" + (is_v6 ? "[" + place.host + "]" : place.host) + ":" + place.port;
  config.token.file = place.folder + "/token";
  config.ca.file = place.folder + "/ca.crt";
  SKIFF_RETURN_IF_ERROR(LoadToken(config));
  SKIFF_RETURN_IF_ERROR(ReadCredentialFile(config.ca.file));
  if (const auto name_space = ReadCredentialFile(place.folder + "/namespace"))
    config.name_space = std::string(TrimSpace(*name_space));
  return config;
}

}  // namespace skiff::client
