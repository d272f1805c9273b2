#include "apiserver/webhook/host_resolver.h"

#include <utility>

#include "base/webhook_limits.h"
#include "base/limits.h"
#include "net/client/endpoint.h"

namespace skiff::apiserver {

HostResolver::HostResolver(std::shared_ptr<net::EventLoop> loop, Look look)
    : loop_(std::move(loop)), look_(std::move(look)) {}

HostResolver::~HostResolver() {
  *alive_ = false;
  {
    const std::lock_guard lock(shared_.mutex);
    shared_.stopping = true;
  }
  shared_.changed.notify_all();
}

Result<HostResolver::Addresses> HostResolver::LookUp(const std::string& host) {
  SKIFF_ASSIGN_OR_RETURN(net::ClientEndpoint endpoint, net::ResolveEndpoint("https://" + host));
  return std::move(endpoint.addresses);
}

void HostResolver::Find(const std::string& host, Done done) {
  const auto known = known_.find(host);
  if (known != known_.end() && known->second.until > loop_->clock().Monotonic()) {
    return done(known->second.addresses);
  }
  std::vector<Done>& waiting = waiting_[host];
  waiting.push_back(std::move(done));
  if (waiting.size() > 1) return;
  {
    const std::lock_guard lock(shared_.mutex);
    shared_.wanted.push_back(host);
  }
  if (thread_ == nullptr) thread_ = std::make_unique<Thread>("webhook names", [this] { Run(); });
  shared_.changed.notify_all();
}

void HostResolver::Run() {
  for (;;) {
    std::string host;
    {
      std::unique_lock lock(shared_.mutex);
      shared_.changed.wait(lock, [this] { return shared_.stopping || !shared_.wanted.empty(); });
      if (shared_.stopping) return;
      host = std::move(shared_.wanted.front());
      shared_.wanted.pop_front();
    }
    loop_->Post([this, alive = alive_, host, found = look_(host)] {
      if (*alive) OnFound(host, found);
    });
  }
}

void HostResolver::OnFound(const std::string& host, const Result<Addresses>& found) {
  if (found) {
    if (known_.size() >= limits::kMaxWebhookHosts) known_.clear();
    known_[host] = {*found, loop_->clock().Monotonic() + limits::kWebhookHostTtl};
  }
  const auto waiting = waiting_.extract(host);
  if (waiting.empty()) return;
  for (const Done& done : waiting.mapped()) done(found);
}

}  // namespace skiff::apiserver
