#include "apiserver/front_proxy.h"

#include <algorithm>
#include <map>

#include "base/strings.h"
#include "serving/request/query.h"

namespace skiff::apiserver {
namespace {

void Lower(std::vector<std::string>& names) {
  for (std::string& name : names) name = AsciiLower(name);
}

std::string_view FirstOf(const net::HttpRequest& request, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const std::string_view value = request.headers.Get(name);
    if (!value.empty()) return value;
  }
  return {};
}

}  // namespace

FrontProxyAuthenticator::FrontProxyAuthenticator(FrontProxyOptions options, Clock& clock)
    : options_(std::move(options)), clock_(clock) {
  Lower(options_.username_headers);
  Lower(options_.uid_headers);
  Lower(options_.group_headers);
  Lower(options_.extra_header_prefixes);
}

void FrontProxyAuthenticator::Authenticate(const net::HttpRequest& request,
                                           serving::AuthenticationCallback done) {
  done(Read(request));
}

serving::Authentication FrontProxyAuthenticator::Read(const net::HttpRequest& request) const {
  const net::PeerCertificate* peer = request.peer.get();
  if (peer == nullptr || (peer->verified_by & options_.verified_by) == 0) return {};
  const std::string_view name = FirstOf(request, options_.username_headers);
  if (name.empty()) return {};
  if (clock_.Wall() >= std::chrono::seconds(peer->not_after_seconds + 1)) {
    return serving::Authentication::Refused("the certificate of the front proxy has expired");
  }
  const auto& allowed = options_.allowed_names;
  if (!allowed.empty() && std::ranges::find(allowed, peer->common_name) == allowed.end()) {
    return serving::Authentication::Refused(
        "the certificate is not that of an allowed front proxy");
  }
  serving::UserInfo user;
  user.name = name;
  user.uid = FirstOf(request, options_.uid_headers);
  for (const std::string& header : options_.group_headers) {
    for (const auto& field : request.headers.fields()) {
      if (field.name == header && !field.value.empty()) user.groups.emplace_back(field.value);
    }
  }
  std::map<std::string, std::vector<std::string>> extra;
  for (const std::string& prefix : options_.extra_header_prefixes) {
    for (const auto& field : request.headers.fields()) {
      if (!field.name.starts_with(prefix)) continue;
      const std::string_view key = std::string_view(field.name).substr(prefix.size());
      extra[serving::PercentDecode(key, false).value_or(std::string(key))].emplace_back(
          field.value);
    }
  }
  user.extra.assign(extra.begin(), extra.end());
  return serving::Authentication::Of(std::move(user));
}

}  // namespace skiff::apiserver
