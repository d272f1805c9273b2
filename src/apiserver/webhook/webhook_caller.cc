#include "apiserver/webhook/webhook_caller.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "apiserver/webhook/webhook_fault.h"
#include "base/webhook_limits.h"
#include "base/limits.h"
#include "base/strings.h"
#include "object/scalar/base64.h"

namespace skiff::apiserver {
namespace {

Status Unusable(std::string why) {
  Status out(StatusReason::kInternalError, why);
  out.AddCause({std::string(kWebhookUnusable), std::move(why), ""});
  return out;
}

bool IsUnusable(const Status& fault) {
  return !fault.causes().empty() && fault.causes().front().reason == kWebhookUnusable;
}

// "10s", the next whole second.
std::string SecondsText(Duration timeout) {
  return std::to_string(std::chrono::ceil<std::chrono::seconds>(timeout).count()) + "s";
}

// What a user shows of itself in headers.
Result<void> AddUser(const client::RestConfig& user, net::HttpHeaders& headers) {
  SKIFF_ASSIGN_OR_RETURN(const std::string token, client::LoadToken(user));
  if (!token.empty()) {
    headers.Add("authorization", "Bearer " + token);
  } else if (!user.user.empty() || !user.password.empty()) {
    const std::string shown = user.user + ":" + user.password;
    std::string encoded(object::Base64EncodedSize(shown.size()), '\0');
    object::EncodeBase64(shown, encoded.data());
    headers.Add("authorization", "Basic " + encoded);
  }
  const client::ImpersonatedUser& as = user.impersonation;
  if (!as.user.empty()) headers.Add("impersonate-user", as.user);
  if (!as.uid.empty()) headers.Add("impersonate-uid", as.uid);
  for (const std::string& group : as.groups) headers.Add("impersonate-group", group);
  return {};
}

}  // namespace

// One request and its answer.
class WebhookCaller::Call final : public net::ResponseHandler {
 public:
  Call(WebhookCaller& owner, std::shared_ptr<const WebhookTarget> of,
       const WebhookCredentials* shown, Duration until)
      : target(std::move(of)), credentials(shown), deadline(until), owner_(owner) {}

  void OnHead(int code, const net::HttpHeaders& headers) override {
    reply_.code = code;
    reply_.content_type = headers.Get("content-type");
    const std::string_view retry = headers.Get("retry-after");
    std::from_chars(retry.data(), retry.data() + retry.size(), reply_.retry_after_seconds);
  }
  void OnBody(std::string_view bytes) override {
    if (too_large_) return;
    owner_.reply_bytes_ += bytes.size();
    if (reply_.body.size() + bytes.size() > limits::kMaxWebhookReplyBytes ||
        owner_.reply_bytes_ > limits::kMaxWebhookRepliesBytes) {
      // Not from within a call of the client.
      too_large_ = true;
      owner_.loop_->Post([&owner = owner_, alive = std::weak_ptr(alive_), id = id] {
        if (alive.expired()) return;
        owner.Abort(id, Status(StatusReason::kServiceUnavailable, "its answer is too large"));
      });
    }
    if (too_large_) {
      owner_.reply_bytes_ -= bytes.size();
    } else {
      reply_.body += bytes;
    }
  }
  void OnEnd(Result<void> outcome) override {
    sent.reset();
    if (!outcome) return owner_.End(id, std::unexpected(outcome.error()));
    owner_.End(id, std::move(reply_));
  }
  size_t reply_size() const { return reply_.body.size(); }

  uint64_t id = 0;
  const std::shared_ptr<const WebhookTarget> target;
  const WebhookCredentials* const credentials;
  const Duration deadline;
  std::string timeout_text;
  SharedBytes body;
  net::ClientEndpoint endpoint;  // with the addresses
  std::string looked_up;         // the host whose addresses these are
  Done done;
  std::optional<net::EventLoop::TimerId> timer;
  std::optional<std::pair<net::HttpClient*, net::HttpClient::RequestId>> sent;
  Channel* channel = nullptr;
  bool is_counted = false;  // among those of the channel

  std::string path() const { return target->path() + "?timeout=" + timeout_text; }

 private:
  WebhookCaller& owner_;
  WebhookReply reply_;
  bool too_large_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

WebhookCaller::WebhookCaller(Clock& clock, ResolveService resolve, OnLoopStart on_loop_start)
    : clock_(clock), resolve_(std::move(resolve)), on_loop_start_(std::move(on_loop_start)) {}

WebhookCaller::~WebhookCaller() { Stop(); }

std::shared_ptr<net::EventLoop> WebhookCaller::Loop() {
  const std::lock_guard lock(mutex_);
  if (stopped_ || loop_ != nullptr) return stopped_ ? nullptr : loop_;
  Result<std::shared_ptr<net::EventLoop>> made = net::EventLoop::Create(clock_);
  if (!made) return nullptr;
  loop_ = std::move(*made);
  loop_->Start("webhooks");
  if (on_loop_start_) on_loop_start_(loop_);
  return loop_;
}

void WebhookCaller::Post(std::shared_ptr<const WebhookTarget> target,
                         const WebhookCredentials* credentials, SharedBytes body, Duration timeout,
                         Done done) {
  if (!target->endpoint()) {
    return done(std::unexpected(Unusable(target->endpoint().error().message())));
  }
  auto call =
      std::make_unique<Call>(*this, std::move(target), credentials, clock_.Monotonic() + timeout);
  call->timeout_text = SecondsText(timeout);
  call->body = std::move(body);
  call->endpoint = *call->target->endpoint();
  call->looked_up = call->endpoint.host;
  const auto fail = [&](const std::string& why) {
    done(Fail(
        StatusReason::kServiceUnavailable,
        "Post " + InQuotes(call->target->url() + "?timeout=" + call->timeout_text) + ": " + why));
  };
  if (const std::optional<CalledService>& service = call->target->service(); service) {
    const Result<CalledAddress> found = resolve_(*service);
    if (!found) return fail(found.error().message());
    call->looked_up = found->host;
    call->endpoint.port = found->port;
  }
  const std::shared_ptr<net::EventLoop> loop = Loop();
  if (loop == nullptr) return fail("the server is shutting down");
  call->done = std::move(done);
  loop->Post([this, call = std::move(call)]() mutable { Begin(std::move(call)); });
}

void WebhookCaller::Stop() {
  std::shared_ptr<net::EventLoop> loop;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(stopped_, true)) return;
    loop = loop_;
  }
  if (loop == nullptr) return;
  // In the order in which they were asked, behind those that are about to begin.
  std::mutex mutex;
  std::condition_variable ended;
  bool has_ended = false;
  loop->Post([&] {
    while (!calls_.empty()) {
      Abort(calls_.begin()->first,
            Status(StatusReason::kServiceUnavailable, "the server is shutting down"));
    }
    for (auto& [key, channel] : channels_) channel.client->Close();
    const std::lock_guard lock(mutex);
    has_ended = true;
    ended.notify_all();
  });
  {
    std::unique_lock lock(mutex);
    ended.wait(lock, [&] { return has_ended; });
  }
  loop->Stop();
  channels_.clear();
  hosts_.reset();
}

void WebhookCaller::Begin(std::unique_ptr<Call> begun) {
  Call& call = *begun;
  call.id = next_id_++;
  const uint64_t id = call.id;
  calls_.emplace(id, std::move(begun));
  call.timer = loop_->AddTimer(call.deadline, [this, id] {
    const auto found = calls_.find(id);
    if (found == calls_.end()) return;
    found->second->timer.reset();
    Abort(id, Status(StatusReason::kTimeout, "context deadline exceeded"));
  });
  if (const Result<IpAddress> address = IpAddress::Parse(call.looked_up); address) {
    call.endpoint.addresses = {*address};
    return Send(call);
  }
  if (hosts_ == nullptr) hosts_ = std::make_unique<HostResolver>(loop_);
  hosts_->Find(call.looked_up, [this, id](const Result<HostResolver::Addresses>& found) {
    OnAddresses(id, found);
  });
}

void WebhookCaller::OnAddresses(uint64_t id, const Result<HostResolver::Addresses>& found) {
  const auto waiting = calls_.find(id);
  if (waiting == calls_.end()) return;
  Call& call = *waiting->second;
  if (!found) {
    return End(id, Fail(StatusReason::kServiceUnavailable,
                        "dial tcp: lookup " + call.looked_up + ": no such host"));
  }
  call.endpoint.addresses = *found;
  Send(call);
}

void WebhookCaller::Send(Call& call) {
  const Result<Channel*> channel = ChannelFor(call);
  if (!channel) return End(call.id, std::unexpected(channel.error()));
  call.channel = *channel;
  if (call.channel->calls >= limits::kMaxWebhookConnections) {
    call.channel->waiting.push_back(call.id);
    return;
  }
  SendNow(call);
}

void WebhookCaller::SendNow(Call& call) {
  net::ClientRequest request;
  request.method = "POST";
  request.path = call.path();
  request.body = std::exchange(call.body, {});
  request.timeout = Clock::kForever;  // the call has a timer of its own
  net::HttpClient& client = *call.channel->client;
  ++call.channel->calls;
  call.sent.emplace(&client, client.Send(std::move(request), &call));
  call.is_counted = true;
}

// Those whose time was over while they waited are not there any more.
void WebhookCaller::Leave(Channel& channel) {
  --channel.calls;
  while (!channel.waiting.empty()) {
    const auto next = calls_.find(channel.waiting.front());
    channel.waiting.pop_front();
    if (next != calls_.end()) return SendNow(*next->second);
  }
}

Result<WebhookCaller::Channel*> WebhookCaller::ChannelFor(const Call& call) {
  const WebhookTarget& target = *call.target;
  const net::ClientEndpoint& endpoint = call.endpoint;
  const client::RestConfig* user =
      call.credentials == nullptr ? nullptr
                                  : call.credentials->For(target.endpoint()->host + ":" +
                                                          std::to_string(target.endpoint()->port));
  std::string key = target.key();
  for (const IpAddress& address : endpoint.addresses) key += address.WithPort(endpoint.port);
  key.append(reinterpret_cast<const char*>(&user), sizeof(user));
  const auto found = channels_.find(key);
  if (found != channels_.end()) {
    found->second.used = loop_->now();
    return &found->second;
  }
  net::HttpClientOptions options;
  options.endpoint = endpoint;
  SKIFF_ASSIGN_OR_RETURN(options.tls, TlsFor(target, user));
  options.headers.Add("accept", "application/json, */*");
  options.headers.Add("content-type", "application/json");
  options.headers.Add("user-agent", "kube-apiserver-admission");
  if (user != nullptr) {
    if (const Result<void> added = AddUser(*user, options.headers); !added) {
      return std::unexpected(Unusable(added.error().message()));
    }
  }
  if (channels_.size() >= limits::kMaxWebhookChannels) DropIdleChannel();
  Channel& channel = channels_[key];
  channel.client = std::make_unique<net::HttpClient>(loop_, std::move(options));
  channel.used = loop_->now();
  return &channel;
}

Result<std::shared_ptr<const net::ClientTls>> WebhookCaller::TlsFor(
    const WebhookTarget& target, const client::RestConfig* user) {
  net::ClientTlsOptions options;
  options.ca_pem = target.ca_pem();
  // What services run on are many, and connections of HTTP/2 would keep to one of them.
  const net::ClientEndpoint& endpoint = *target.endpoint();
  const bool is_local = endpoint.host == "localhost" ||
                        (!endpoint.addresses.empty() && endpoint.addresses.front().IsLoopback());
  options.only_http1 = !is_local;
  bool is_plain = options.ca_pem.empty() && options.only_http1;
  if (user != nullptr) {
    const Result<net::ClientTlsOptions> shown = client::LoadTls(*user);
    if (!shown) return std::unexpected(Unusable(shown.error().message()));
    options.certificate_pem = shown->certificate_pem;
    options.key_pem = shown->key_pem;
    is_plain = is_plain && options.certificate_pem.empty();
  }
  // The certificates that the system trusts are many.
  if (is_plain && system_tls_ != nullptr) return system_tls_;
  Result<std::shared_ptr<const net::ClientTls>> made = net::ClientTls::Make(options);
  if (!made) {
    return std::unexpected(Unusable("unable to load root certificates: " + made.error().message()));
  }
  if (is_plain) system_tls_ = *made;
  return made;
}

// The one that has not been used for the longest time; none if all are being used.
void WebhookCaller::DropIdleChannel() {
  auto oldest = channels_.end();
  for (auto at = channels_.begin(); at != channels_.end(); ++at) {
    if (at->second.calls != 0 || at->second.client->open() != 0) continue;
    if (oldest == channels_.end() || at->second.used < oldest->second.used) oldest = at;
  }
  if (oldest == channels_.end()) return;
  oldest->second.client->Close();
  channels_.erase(oldest);
}

void WebhookCaller::Abort(uint64_t id, const Status& why) {
  const auto found = calls_.find(id);
  if (found == calls_.end()) return;
  if (const auto sent = std::exchange(found->second->sent, std::nullopt); sent) {
    sent->first->Cancel(sent->second);
  }
  End(id, std::unexpected(why));
}

void WebhookCaller::End(uint64_t id, Result<WebhookReply> reply) {
  const auto ended = calls_.extract(id);
  if (ended.empty()) return;
  Call& call = *ended.mapped();
  if (call.timer) loop_->CancelTimer(*call.timer);
  reply_bytes_ -= reply ? reply->body.size() : call.reply_size();
  if (!reply && !IsUnusable(reply.error())) {
    reply = Fail(reply.error().reason(),
                 "Post " + InQuotes(call.target->url() + "?timeout=" + call.timeout_text) + ": " +
                     ConnectionFault(reply.error(), call.endpoint));
  }
  // No call begins from within what ends another: the client is not done yet.
  if (call.is_counted) {
    loop_->Post([this, channel = call.channel] { Leave(*channel); });
  }
  Done done = std::move(call.done);
  done(std::move(reply));
}

}  // namespace skiff::apiserver
