// --requestheader-*: users whom a front proxy names in headers of the requests that it passes on.
// A proxy is who has a certificate of the CA of proxies, and one of the allowed names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "serving/auth/authenticator.h"

namespace skiff::apiserver {

struct FrontProxyOptions {
  uint32_t verified_by = 0;                // the bit of the proxies' CA (PeerCertificate)
  std::vector<std::string> allowed_names;  // common names; empty: any
  // Names of headers, the first that is there counts; of groups all count. In any case.
  std::vector<std::string> username_headers;
  std::vector<std::string> uid_headers;
  std::vector<std::string> group_headers;
  std::vector<std::string> extra_header_prefixes;
};

class FrontProxyAuthenticator final : public serving::Authenticator {
 public:
  FrontProxyAuthenticator(FrontProxyOptions options, Clock& clock);
  void Authenticate(const net::HttpRequest& request, serving::AuthenticationCallback done) override;

 private:
  serving::Authentication Read(const net::HttpRequest& request) const;

  FrontProxyOptions options_;
  Clock& clock_;
};

}  // namespace skiff::apiserver
