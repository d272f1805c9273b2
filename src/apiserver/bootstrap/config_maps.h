// The configmaps in kube-system by which the server tells others about itself: whom it trusts to
// authenticate, and since when it tracks the use of legacy service account tokens.
#pragma once

#include <string>
#include <vector>

#include "apiserver/bootstrap/system_writer.h"
#include "base/clock.h"

namespace skiff::apiserver {

// What extension API servers need to know to authenticate as this server does.
struct AuthenticationInfo {
  std::string client_ca_pem;  // empty: no client certificates
  // The front proxy; none of it counts without the CA.
  std::string request_header_ca_pem;
  std::vector<std::string> allowed_names;
  std::vector<std::string> username_headers;
  std::vector<std::string> uid_headers;
  std::vector<std::string> group_headers;
  std::vector<std::string> extra_headers_prefix;
};

// kube-system/extension-apiserver-authentication: what other servers have written there stays, and
// is added to. Nothing when there is nothing to tell.
std::vector<WantedObject> AuthenticationConfigMap(const AuthenticationInfo& info);

// kube-system/kube-apiserver-legacy-service-account-token-tracking.
WantedObject TokenTrackingConfigMap(object::Timestamp now);

}  // namespace skiff::apiserver
