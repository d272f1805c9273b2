#include "apiserver/webhook/webhook_credentials.h"

#include <utility>

#include "client/https/kubeconfig.h"

namespace skiff::apiserver {

Result<WebhookCredentials> WebhookCredentials::Read(const std::string& kubeconfig) {
  WebhookCredentials out;
  SKIFF_ASSIGN_OR_RETURN(client::KubeconfigUsers read, client::ReadKubeconfigUsers(kubeconfig));
  out.users_ = std::move(read.users);
  out.current_ = std::move(read.current);
  return out;
}

const client::RestConfig* WebhookCredentials::FindExactOrStarred(std::string_view target) const {
  if (const auto found = users_.find(target); found != users_.end()) return &found->second;
  for (size_t dot = target.find('.'); dot != target.npos; dot = target.find('.', dot + 1)) {
    const auto found = users_.find("*" + std::string(target.substr(dot)));
    if (found != users_.end()) return &found->second;
  }
  return nullptr;
}

const client::RestConfig* WebhookCredentials::For(std::string_view host_and_port) const {
  if (users_.empty()) return nullptr;
  constexpr std::string_view kHttpsPort = ":443";
  const client::RestConfig* found = FindExactOrStarred(host_and_port);
  if (found == nullptr && host_and_port.ends_with(kHttpsPort)) {
    found = FindExactOrStarred(host_and_port.substr(0, host_and_port.size() - kHttpsPort.size()));
  }
  if (found != nullptr) return found;
  for (const std::string_view name : {std::string_view("*"), std::string_view(current_)}) {
    const auto user = users_.find(name);
    if (!name.empty() && user != users_.end()) return &user->second;
  }
  return nullptr;
}

}  // namespace skiff::apiserver
