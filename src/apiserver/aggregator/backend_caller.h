// Sends requests to extension API servers, over HTTP/2 where they offer it.
//
// All of it happens on one event loop, whose thread begins with the first request that is sent: no
// thread waits for a server. Connections are shared by all who ask the same place with the same
// trust, and go when nobody has asked for a while; a certificate of the front proxy that changes
// makes new ones. Nothing is sent twice, and no redirect is followed.
//
// Owner: the aggregator. Stop() before what handlers refer to: whoever waits then hears that the
// server ends.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "apiserver/aggregator/proxy_certificate.h"
#include "apiserver/aggregator/remote_backend.h"
#include "apiserver/webhook/host_resolver.h"
#include "apiserver/webhook/webhook_caller.h"
#include "base/clock.h"
#include "base/status.h"
#include "net/client/client_request.h"
#include "net/client/client_tls.h"
#include "net/client/http_client.h"
#include "net/event_loop.h"
#include "net/loop_executor.h"

namespace skiff::apiserver {

class BackendCaller {
 public:
  using CallId = uint64_t;

  // `resolve` may be asked on any thread and does not wait; it and the certificate outlive the
  // caller.
  BackendCaller(Clock& clock, ResolveService resolve, const ProxyCertificate& certificate,
                OnLoopStart on_loop_start = {});
  ~BackendCaller();
  BackendCaller(const BackendCaller&) = delete;
  BackendCaller& operator=(const BackendCaller&) = delete;

  // Once, before all else: makes the loop.
  Result<void> Start();
  // Any thread, except for the loop. What is sent later fails.
  void Stop();

  // Any thread, as those that follow. Where the service is reached now.
  Result<CalledAddress> Resolve(const BackendService& service) const;
  // Has the loop do something, soon. False: it was stopped, and the work is dropped.
  bool Post(Executor::Work work);
  // Whether its thread has begun, and has not ended.
  bool is_running();
  Executor& executor() { return *executor_; }
  const std::shared_ptr<net::EventLoop>& loop() const { return loop_; }

  // On the loop, as all that follows. The handler hears all that net::ResponseHandler says; it
  // lives until its OnEnd() or Cancel(), and is not called during this call. Faults are told in the
  // words of Go's client; kInternalError is one of the APIService: of a CA that cannot be read.
  CallId Send(RemoteBackendPtr backend, CalledAddress at, net::ClientRequest request,
              net::ResponseHandler* handler);
  void SendMore(CallId id, SharedBytes bytes);
  void EndBody(CallId id);
  void Hold(CallId id, bool held);
  // Without a further word to the handler. Also from within a call of it.
  void Cancel(CallId id);
  size_t calls() const { return calls_.size(); }
  // Of answers that are collected (RemoteBackend::Get()), at the moment.
  size_t collected_bytes = 0;

 private:
  class Call;
  struct Channel {
    std::unique_ptr<net::HttpClient> client;
    Duration used{0};
  };

  void OnAddresses(CallId id, const Result<HostResolver::Addresses>& found);
  void SendTo(Call& call, HostResolver::Addresses addresses);
  Result<Channel*> ChannelFor(const Call& call, const HostResolver::Addresses& addresses);
  Result<std::shared_ptr<const net::ClientTls>> TlsFor(const RemoteBackend& backend,
                                                       const CertificatePair& pair,
                                                       bool only_http1);
  // On a later turn, since nobody hears of the end while sending.
  void FailLater(CallId id, Status why);
  void End(CallId id, Result<void> outcome);
  void DropIdle();
  void Close();

  Clock& clock_;
  const ResolveService resolve_;
  const ProxyCertificate& certificate_;
  const OnLoopStart on_loop_start_;
  std::shared_ptr<net::EventLoop> loop_;
  std::optional<net::LoopExecutor> executor_;
  std::mutex mutex_;  // guards these two
  bool running_ = false;
  bool stopped_ = false;

  // Of the loop.
  bool closed_ = false;
  std::unique_ptr<HostResolver> hosts_;
  std::map<std::string, Channel> channels_;
  std::map<CallId, std::unique_ptr<Call>> calls_;
  std::shared_ptr<const CertificatePair> shown_;         // by the connections of channels_
  std::shared_ptr<const net::ClientTls> system_tls_[2];  // for who names no CA, by only_http1
  std::optional<net::EventLoop::TimerId> idle_timer_;
  CallId next_id_ = 1;
};

}  // namespace skiff::apiserver
