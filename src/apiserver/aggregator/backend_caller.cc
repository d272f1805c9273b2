#include "apiserver/aggregator/backend_caller.h"

#include <algorithm>
#include <condition_variable>
#include <utility>

#include "apiserver/webhook/webhook_fault.h"
#include "base/aggregation_limits.h"
#include "crypto/digest.h"

namespace skiff::apiserver {
namespace {

Status Stopping() {
  return Status(StatusReason::kServiceUnavailable, "the server is shutting down");
}

std::string HostAndPort(const std::string& host, uint16_t port) {
  const bool is_v6 = host.find(':') != std::string::npos;
  return (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

}  // namespace

// One request and its answer.
class BackendCaller::Call final : public net::ResponseHandler {
 public:
  Call(BackendCaller& owner, CallId number, RemoteBackendPtr whom, net::ResponseHandler* told)
      : id(number), backend(std::move(whom)), handler(told), owner_(owner) {}

  void OnHead(int code, const net::HttpHeaders& headers) override {
    handler->OnHead(code, headers);
  }
  void OnBody(std::string_view bytes) override { handler->OnBody(bytes); }
  void OnTrailers(const net::HttpHeaders& trailers) override { handler->OnTrailers(trailers); }
  void OnBodyTaken() override { handler->OnBodyTaken(); }
  void OnEnd(Result<void> outcome) override {
    const net::ClientEndpoint& endpoint = client->endpoint();
    if (!outcome) {
      outcome = Fail(outcome.error().reason(), ConnectionFault(outcome.error(), endpoint));
    }
    client = nullptr;
    owner_.End(id, std::move(outcome));
  }

  const CallId id;
  const RemoteBackendPtr backend;
  net::ResponseHandler* const handler;
  CalledAddress at;
  net::ClientRequest request;  // until it is sent
  Duration deadline = Clock::kForever;
  std::optional<net::EventLoop::TimerId> timer;
  net::HttpClient* client = nullptr;  // null: it is not sent yet
  net::HttpClient::RequestId sent = 0;
  bool held = false;

 private:
  BackendCaller& owner_;
};

BackendCaller::BackendCaller(Clock& clock, ResolveService resolve,
                             const ProxyCertificate& certificate, OnLoopStart on_loop_start)
    : clock_(clock),
      resolve_(std::move(resolve)),
      certificate_(certificate),
      on_loop_start_(std::move(on_loop_start)) {}

BackendCaller::~BackendCaller() { Stop(); }

Result<void> BackendCaller::Start() {
  SKIFF_ASSIGN_OR_RETURN(loop_, net::EventLoop::Create(clock_));
  executor_.emplace(loop_);
  return {};
}

void BackendCaller::Stop() {
  bool was_running = false;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(stopped_, true) || loop_ == nullptr) return;
    was_running = running_;
  }
  if (was_running) {
    // Behind what was posted before.
    std::mutex mutex;
    std::condition_variable ended;
    bool has_ended = false;
    loop_->Post([&] {
      Close();
      const std::lock_guard lock(mutex);
      has_ended = true;
      ended.notify_all();
    });
    {
      std::unique_lock lock(mutex);
      ended.wait(lock, [&] { return has_ended; });
    }
    loop_->Stop();
  }
  channels_.clear();
  hosts_.reset();
  executor_.reset();
}

Result<CalledAddress> BackendCaller::Resolve(const BackendService& service) const {
  return resolve_(CalledService{
      .name_space = service.name_space, .name = service.name, .path = {}, .port = service.port});
}

bool BackendCaller::Post(Executor::Work work) {
  const std::lock_guard lock(mutex_);
  if (stopped_ || loop_ == nullptr) return false;
  if (!std::exchange(running_, true)) {
    loop_->Start("aggregator");
    if (on_loop_start_) on_loop_start_(loop_);
  }
  loop_->Post(std::move(work));
  return true;
}

bool BackendCaller::is_running() {
  const std::lock_guard lock(mutex_);
  return running_ && !stopped_;
}

BackendCaller::CallId BackendCaller::Send(RemoteBackendPtr backend, CalledAddress at,
                                          net::ClientRequest request,
                                          net::ResponseHandler* handler) {
  const CallId id = next_id_++;
  auto made = std::make_unique<Call>(*this, id, std::move(backend), handler);
  Call& call = *made;
  calls_.emplace(id, std::move(made));
  call.at = std::move(at);
  call.request = std::move(request);
  if (call.request.timeout != Clock::kForever) {
    call.deadline = clock_.Monotonic() + call.request.timeout;
  }
  if (closed_) {
    FailLater(id, Stopping());
    return id;
  }
  if (const Result<IpAddress> address = IpAddress::Parse(call.at.host); address) {
    SendTo(call, {*address});
    return id;
  }
  if (call.deadline != Clock::kForever) {
    call.timer = loop_->AddTimer(call.deadline, [this, id] {
      const auto found = calls_.find(id);
      if (found == calls_.end()) return;
      found->second->timer.reset();
      if (found->second->client == nullptr)
        End(id, Fail(StatusReason::kTimeout, "context deadline exceeded"));
    });
  }
  if (hosts_ == nullptr) hosts_ = std::make_unique<HostResolver>(loop_);
  // What is known already must not fail the call from within.
  loop_->Post([this, id, host = call.at.host] {
    if (closed_) return;
    hosts_->Find(
        host, [this, id](const Result<HostResolver::Addresses>& found) { OnAddresses(id, found); });
  });
  return id;
}

void BackendCaller::OnAddresses(CallId id, const Result<HostResolver::Addresses>& found) {
  const auto waiting = calls_.find(id);
  if (waiting == calls_.end()) return;
  Call& call = *waiting->second;
  if (found) return SendTo(call, *found);
  End(id, Fail(StatusReason::kServiceUnavailable,
               "dial tcp: lookup " + call.at.host + ": no such host"));
}

void BackendCaller::SendTo(Call& call, HostResolver::Addresses addresses) {
  if (call.timer) loop_->CancelTimer(*call.timer);
  call.timer.reset();
  const Result<Channel*> channel = ChannelFor(call, addresses);
  if (!channel) return FailLater(call.id, channel.error());
  if (call.deadline != Clock::kForever) {
    call.request.timeout = std::max(call.deadline - clock_.Monotonic(), Duration(1));
  }
  (*channel)->used = loop_->now();
  call.client = (*channel)->client.get();
  call.sent = call.client->Send(std::exchange(call.request, {}), &call);
  if (call.held) call.client->Hold(call.sent);
}

Result<BackendCaller::Channel*> BackendCaller::ChannelFor(
    const Call& call, const HostResolver::Addresses& addresses) {
  const RemoteBackend& backend = *call.backend;
  const bool only_http1 = call.request.asks_upgrade;
  const std::shared_ptr<const CertificatePair> pair = certificate_.current();
  if (pair != shown_) {
    // Those that are being used end with their last request.
    shown_ = pair;
    system_tls_[0] = system_tls_[1] = nullptr;
  }
  std::string key = backend.trust_key() + (only_http1 ? "1" : "2");
  for (const IpAddress& address : addresses) key += address.WithPort(call.at.port);
  key += crypto::AsBytes(crypto::Sha256(pair->certificate_pem));
  const auto found = channels_.find(key);
  if (found != channels_.end()) return &found->second;
  net::HttpClientOptions options;
  options.endpoint.host = backend.spec().service.HostName();
  options.endpoint.port = call.at.port;
  options.endpoint.authority = HostAndPort(call.at.host, call.at.port);
  options.endpoint.addresses = addresses;
  SKIFF_ASSIGN_OR_RETURN(options.tls, TlsFor(backend, *pair, only_http1));
  options.connections = limits::kMaxBackendConnections;
  options.stream_window_bytes = limits::kForwardedWindowBytes;
  options.only_http1 = only_http1;
  // A client may be calling at the moment.
  if (channels_.size() >= limits::kMaxBackendChannels) loop_->Post([this] { DropIdle(); });
  Channel& channel = channels_[key];
  channel.client = std::make_unique<net::HttpClient>(loop_, std::move(options));
  if (!idle_timer_) {
    idle_timer_ = loop_->AddTimer(loop_->now() + limits::kBackendChannelIdle, [this] {
      idle_timer_.reset();
      DropIdle();
    });
  }
  return &channel;
}

Result<std::shared_ptr<const net::ClientTls>> BackendCaller::TlsFor(const RemoteBackend& backend,
                                                                    const CertificatePair& pair,
                                                                    bool only_http1) {
  net::ClientTlsOptions options;
  options.ca_pem = backend.spec().ca_pem;
  options.insecure = backend.spec().insecure;
  options.certificate_pem = pair.certificate_pem;
  options.key_pem = pair.key_pem;
  options.only_http1 = only_http1;
  // The certificates that the system trusts are many. Names are those of the endpoint.
  const bool is_system = options.ca_pem.empty() && !options.insecure;
  if (is_system && system_tls_[only_http1] != nullptr) return system_tls_[only_http1];
  Result<std::shared_ptr<const net::ClientTls>> made = net::ClientTls::Make(options);
  if (!made) {
    return Fail(StatusReason::kInternalError,
                "unable to load root certificates: " + made.error().message());
  }
  if (is_system) system_tls_[only_http1] = *made;
  return made;
}

void BackendCaller::FailLater(CallId id, Status why) {
  loop_->Post([this, id, why = std::move(why)] { End(id, std::unexpected(why)); });
}

void BackendCaller::SendMore(CallId id, SharedBytes bytes) {
  const auto found = calls_.find(id);
  if (found == calls_.end() || found->second->client == nullptr) return;
  found->second->client->SendMore(found->second->sent, std::move(bytes));
}

void BackendCaller::EndBody(CallId id) {
  const auto found = calls_.find(id);
  if (found == calls_.end() || found->second->client == nullptr) return;
  found->second->client->EndBody(found->second->sent);
}

void BackendCaller::Hold(CallId id, bool held) {
  const auto found = calls_.find(id);
  if (found == calls_.end()) return;
  Call& call = *found->second;
  call.held = held;
  if (call.client == nullptr) return;
  if (held) {
    call.client->Hold(call.sent);
  } else {
    call.client->LetGoOn(call.sent);
  }
}

void BackendCaller::Cancel(CallId id) {
  const auto ended = calls_.extract(id);
  if (ended.empty()) return;
  Call& call = *ended.mapped();
  if (call.timer) loop_->CancelTimer(*call.timer);
  if (call.client != nullptr) call.client->Cancel(call.sent);
}

void BackendCaller::End(CallId id, Result<void> outcome) {
  const auto ended = calls_.extract(id);
  if (ended.empty()) return;
  Call& call = *ended.mapped();
  if (call.timer) loop_->CancelTimer(*call.timer);
  call.handler->OnEnd(std::move(outcome));
}

// Not from within a call of a client.
void BackendCaller::DropIdle() {
  const Duration now = loop_->now();
  const bool is_full = channels_.size() >= limits::kMaxBackendChannels;
  for (auto at = channels_.begin(); at != channels_.end();) {
    Channel& channel = at->second;
    const bool is_idle = channel.client->open() == 0 &&
                         (is_full || now - channel.used >= limits::kBackendChannelIdle);
    if (is_idle) channel.client->Close();
    at = is_idle ? channels_.erase(at) : std::next(at);
  }
  if (channels_.empty() || idle_timer_) return;
  idle_timer_ = loop_->AddTimer(now + limits::kBackendChannelIdle, [this] {
    idle_timer_.reset();
    DropIdle();
  });
}

void BackendCaller::Close() {
  closed_ = true;
  if (idle_timer_) loop_->CancelTimer(*idle_timer_);
  idle_timer_.reset();
  while (!calls_.empty()) {
    Call& call = *calls_.begin()->second;
    if (net::HttpClient* client = std::exchange(call.client, nullptr); client != nullptr) {
      client->Cancel(call.sent);
    }
    End(call.id, std::unexpected(Stopping()));
  }
  for (auto& [key, channel] : channels_) channel.client->Close();
}

}  // namespace skiff::apiserver
