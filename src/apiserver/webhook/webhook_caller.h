// Calls webhooks over HTTPS: posts a review, hands back the answer.
//
// All calls are made on one event loop of its own, which is started by the first of them, so that
// no thread waits for a webhook, however slow it is and however many there are; a server that calls
// nobody has no such thread. Connections are kept and used again, by the webhooks that say the same
// about where and whom to believe; how many there are of them, and how long answers may be, is
// bounded (limits::kMaxWebhook…). Redirects are answers like others, and never followed. Nothing is
// sent twice.
//
// Owner: the server. Stop() before what answers are for; then everything still under way ends with
// an error, and so does everything asked later.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "apiserver/webhook/host_resolver.h"
#include "apiserver/webhook/webhook_credentials.h"
#include "apiserver/webhook/webhook_target.h"
#include "base/clock.h"
#include "base/shared_bytes.h"
#include "base/status.h"
#include "net/client/client_tls.h"
#include "net/client/http_client.h"
#include "net/event_loop.h"

namespace skiff::apiserver {

// Where a service is reached now.
struct CalledAddress {
  std::string host;  // an address, or a name
  uint16_t port = 443;
};
using ResolveService = std::function<Result<CalledAddress>(const CalledService& service)>;
// Hears of a loop when it has been started, for whoever watches over loops.
using OnLoopStart = std::function<void(const std::shared_ptr<net::EventLoop>& loop)>;

class WebhookCaller {
 public:
  using Done = std::move_only_function<void(Result<WebhookReply>)>;

  // `resolve` is asked on the thread of the caller and does not wait.
  WebhookCaller(Clock& clock, ResolveService resolve, OnLoopStart on_loop_start = {});
  ~WebhookCaller();
  WebhookCaller(const WebhookCaller&) = delete;
  WebhookCaller& operator=(const WebhookCaller&) = delete;

  // Any thread. `done` is called once: on the loop of the calls, where it must be quick, or before
  // this returns. Errors tell why there is no answer, as messages have it: `Post "https://…":
  // context deadline exceeded`; one with the cause kWebhookUnusable, why nobody could be asked.
  // The credentials outlive the caller; null: none.
  void Post(std::shared_ptr<const WebhookTarget> target, const WebhookCredentials* credentials,
            SharedBytes body, Duration timeout, Done done);
  void Stop();

 private:
  class Call;
  // Connections to one place.
  struct Channel {
    std::unique_ptr<net::HttpClient> client;
    Duration used{0};
    size_t calls = 0;              // under way
    std::deque<uint64_t> waiting;  // until there are fewer of them
  };

  // Null once it has been stopped.
  std::shared_ptr<net::EventLoop> Loop();
  // What follows is done on the loop.
  void Begin(std::unique_ptr<Call> call);
  void OnAddresses(uint64_t id, const Result<HostResolver::Addresses>& found);
  void Send(Call& call);
  void SendNow(Call& call);
  Result<Channel*> ChannelFor(const Call& call);
  // One call less.
  void Leave(Channel& channel);
  Result<std::shared_ptr<const net::ClientTls>> TlsFor(const WebhookTarget& target,
                                                       const client::RestConfig* user);
  void DropIdleChannel();
  void End(uint64_t id, Result<WebhookReply> reply);
  void Abort(uint64_t id, const Status& why);

  Clock& clock_;
  const ResolveService resolve_;
  const OnLoopStart on_loop_start_;
  std::mutex mutex_;  // guards these two
  std::shared_ptr<net::EventLoop> loop_;
  bool stopped_ = false;

  // Of the loop.
  std::unique_ptr<HostResolver> hosts_;
  std::map<std::string, Channel> channels_;
  std::map<uint64_t, std::unique_ptr<Call>> calls_;
  std::shared_ptr<const net::ClientTls> system_tls_;  // for who names no CA; made when needed
  uint64_t next_id_ = 1;
  size_t reply_bytes_ = 0;  // of answers that are coming in
};

}  // namespace skiff::apiserver
