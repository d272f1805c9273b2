// As whom webhooks are called: users of a kubeconfig that are named after hosts
// (kubeConfigFile of a WebhookAdmissionConfiguration).
//
// For "name.ns.svc:443" or "host:8443" that is the user "host:8443", or else the first of
// "*.example.org:8443", "*.org:8443" and so on that there is; for port 443 the same without the
// port; or else the user "*", or else that of the current context. Nobody without any of these.
// Read once; immutable.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/status.h"
#include "client/https/rest_config.h"

namespace skiff::apiserver {

class WebhookCredentials {
 public:
  static Result<WebhookCredentials> Read(const std::string& kubeconfig);

  // Null: nobody.
  const client::RestConfig* For(std::string_view host_and_port) const;

 private:
  const client::RestConfig* FindExactOrStarred(std::string_view target) const;

  std::map<std::string, client::RestConfig, std::less<>> users_;
  std::string current_;
};

}  // namespace skiff::apiserver
