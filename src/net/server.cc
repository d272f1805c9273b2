#include "net/server.h"

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/descriptors.h"
#include "base/limits.h"
#include "net/connection.h"
#include "net/listener.h"
#include "net/tls_context.h"

namespace skiff::net {
namespace {

// Told when a connection ends, so that draining can wait for the last.
class Gate {
 public:
  void Notify() {
    std::lock_guard lock(mutex_);
    wake_.notify_all();
  }
  template <typename Condition>
  void WaitUntil(Clock& clock, Duration deadline, Condition condition) {
    std::unique_lock lock(mutex_);
    while (!condition() && clock.Monotonic() < deadline) clock.WaitUntil(wake_, lock, deadline);
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
};

// The connections of one loop.
class LoopServer final : public ConnectionOwner {
 public:
  LoopServer(std::shared_ptr<EventLoop> loop, HttpService& service, const TlsContext* tls,
             Gate& gate)
      : serving_(std::move(loop), service), tls_(tls), gate_(gate) {}

  // Before the loop starts.
  void AddListener(std::unique_ptr<Listener> listener) {
    listeners_.push_back(std::move(listener));
  }

  // On the loop, as all below but for the count.
  void Listen(const Listener::OnAccept& on_accept, const Listener::OnError& on_error) {
    for (auto& listener : listeners_) listener->Start(loop(), on_accept, on_error);
  }
  void CloseListeners() {
    for (auto& listener : listeners_) listener->Close();
  }

  void Accept(UniqueFd fd, std::string address) {
    std::unique_ptr<TlsSession> session;
    if (tls_ != nullptr) {
      SSL* ssl = tls_->NewSession();
      if (ssl == nullptr) return Forget();
      session = std::make_unique<TlsSession>(ssl);
    }
    auto made = std::make_unique<Connection>(serving_, *this, std::move(fd), std::move(address),
                                             std::move(session));
    Connection* connection = made.get();
    connections_.emplace(connection, std::move(made));
    connection->Start();
    if (draining_) connection->Drain();
  }

  void Drain() {
    draining_ = true;
    for (Connection* connection : All()) connection->Drain();
  }

  void RereadPeers() {
    for (Connection* connection : All()) connection->RereadPeer();
  }

  void CloseAll() {
    for (Connection* connection : All()) connection->Close();
  }

  void OnClosed(Connection* connection) override {
    const auto found = connections_.find(connection);
    if (found == connections_.end()) return;
    serving_.loop->Retire(std::move(found->second));
    connections_.erase(found);
    Forget();
  }

  bool ReadPeer(SSL* ssl, ConnectionPeer& peer) override {
    tls_->ReadPeer(ssl, peer);
    return peer.certificate != nullptr || !tls_->requires_client_certificate();
  }

  // Any thread: a connection is counted from the moment when it is meant for this loop.
  void Expect() { count_.fetch_add(1, std::memory_order_relaxed); }
  void Unexpect() { count_.fetch_sub(1, std::memory_order_relaxed); }
  // The less the better. Connections of HTTP/2 are few, long and busy, so that chance would not
  // spread them well. A loop that is late, or has not looked yet at those that it was given, is
  // the last to be given more.
  std::pair<bool, int64_t> Load(Duration now) const {
    const bool is_late = waiting.load(std::memory_order_relaxed) > 0 ||
                         serving_.loop->busy_for(now) >= limits::kLateLoop;
    return {is_late, count_.load(std::memory_order_relaxed)};
  }
  EventLoop& loop() { return *serving_.loop; }
  const std::shared_ptr<EventLoop>& shared_loop() const { return serving_.loop; }

  std::atomic<int> waiting = 0;  // connections that were posted to the loop and not seen there

 private:
  void Forget() {
    count_.fetch_sub(1, std::memory_order_relaxed);
    if (serving_.service.connections.fetch_sub(1) == 1) gate_.Notify();
  }

  std::vector<Connection*> All() const {
    std::vector<Connection*> all;
    for (const auto& entry : connections_) all.push_back(entry.first);
    return all;
  }

  ServingLoop serving_;
  const TlsContext* tls_;
  Gate& gate_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::unordered_map<Connection*, std::unique_ptr<Connection>> connections_;
  std::atomic<int64_t> count_ = 0;
  bool draining_ = false;
};

}  // namespace

class HttpServer::Impl {
 public:
  Result<void> Start(HttpServerOptions options);
  void Drain(Duration grace);
  void Stop();

  std::vector<std::string> addresses;
  HttpService service;
  std::vector<std::function<void()>> on_drain;

 private:
  Result<void> MakeLoops();
  void Accept(LoopServer& here, UniqueFd fd, std::string address);
  void HandOver(LoopServer& here, LoopServer& chosen, UniqueFd fd, std::string address);
  void CheckTlsFiles();
  // Waits until it has been done, but no longer than that for loops that do not turn.
  void OnEveryLoop(std::function<void(LoopServer&)> body);

  HttpServerOptions options_;
  std::unique_ptr<TlsContext> tls_;
  Gate gate_;
  std::vector<std::unique_ptr<LoopServer>> loops_;
  bool stopped_ = false;
};

Result<void> HttpServer::Impl::Start(HttpServerOptions options) {
  options_ = std::move(options);
  options_.limits.max_connections =
      std::min(options_.limits.max_connections, DescriptorsForConnections());
  if (!options_.on_error) options_.on_error = [](std::string_view) {};
  service.handler = options_.handler;
  service.SetLimits(options_.limits);
  if (options_.tls) {
    SKIFF_ASSIGN_OR_RETURN(tls_, TlsContext::Load(*options_.tls, *options_.clock));
  }
  SKIFF_RETURN_IF_ERROR(MakeLoops());
  for (auto& server : loops_) {
    server->loop().Post([this, &server = *server] {
      server.Listen(
          [this, &server](UniqueFd fd, std::string address) {
            Accept(server, std::move(fd), std::move(address));
          },
          options_.on_error);
      if (tls_ != nullptr && &server == loops_.front().get()) CheckTlsFiles();
    });
  }
  for (size_t i = 0; i < loops_.size(); ++i) {
    loops_[i]->loop().Start("http-" + std::to_string(i));
    if (options_.watchdog != nullptr) options_.watchdog->Watch(loops_[i]->shared_loop());
  }
  return {};
}

Result<void> HttpServer::Impl::MakeLoops() {
  std::vector<std::unique_ptr<Listener>> opened;
  for (const std::string& address : options_.addresses) {
    SKIFF_ASSIGN_OR_RETURN(auto listener, Listener::Open(address, options_.share_port));
    addresses.push_back(listener->address());
    opened.push_back(std::move(listener));
  }
  int count = options_.loops;
  if (count == 0) count = std::max(2, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
  for (int i = 0; i < count; ++i) {
    SKIFF_ASSIGN_OR_RETURN(auto loop, EventLoop::Create(*options_.clock));
    auto server = std::make_unique<LoopServer>(std::move(loop), service, tls_.get(), gate_);
    for (const auto& listener : opened) {
      SKIFF_ASSIGN_OR_RETURN(auto shared, listener->Share());
      server->AddListener(std::move(shared));
    }
    loops_.push_back(std::move(server));
  }
  return {};
}

// On the loop of `here`.
void HttpServer::Impl::Accept(LoopServer& here, UniqueFd fd, std::string address) {
  if (service.connections.fetch_add(1) >= static_cast<int64_t>(service.limits.max_connections)) {
    service.connections.fetch_sub(1);
    return;
  }
  const Duration now = options_.clock->Monotonic();
  LoopServer& chosen =
      **std::ranges::min_element(loops_, {}, [&](const auto& server) { return server->Load(now); });
  if (&chosen != &here && chosen.Load(now) < here.Load(now))
    return HandOver(here, chosen, std::move(fd), std::move(address));
  here.Expect();
  here.Accept(std::move(fd), std::move(address));
}

// A loop may have few connections and be busy with one of them. Then this one, which had the time
// to accept, takes the connection back after a moment.
void HttpServer::Impl::HandOver(LoopServer& here, LoopServer& chosen, UniqueFd fd,
                                std::string address) {
  struct Newcomer {
    UniqueFd fd;
    std::string address;
    std::atomic<bool> is_taken = false;
  };
  auto newcomer = std::make_shared<Newcomer>();
  newcomer->fd = std::move(fd);
  newcomer->address = std::move(address);
  const auto take = [newcomer](LoopServer& server) {
    if (newcomer->is_taken.exchange(true)) return false;
    server.Accept(std::move(newcomer->fd), std::move(newcomer->address));
    return true;
  };
  chosen.Expect();
  ++chosen.waiting;
  chosen.loop().Post([&chosen, take] {
    --chosen.waiting;
    take(chosen);
  });
  EventLoop& loop = here.loop();
  loop.AddTimer(loop.now() + limits::kHttpHandOverTime, [&here, &chosen, newcomer, take] {
    if (newcomer->is_taken) return;
    here.Expect();
    if (take(here)) {
      chosen.Unexpect();
    } else {
      here.Unexpect();
    }
  });
}

void HttpServer::Impl::CheckTlsFiles() {
  EventLoop& loop = loops_.front()->loop();
  const auto has_other_cas = tls_->Check();
  if (!has_other_cas)
    options_.on_error("certificates stay as they were: " + has_other_cas.error().message());
  else if (*has_other_cas)
    for (auto& server : loops_)
      server->loop().Post([&connections = *server] { connections.RereadPeers(); });
  loop.AddTimer(loop.now() + limits::kTlsFileCheckInterval, [this] { CheckTlsFiles(); });
}

void HttpServer::Impl::OnEveryLoop(std::function<void(LoopServer&)> body) {
  struct Round {
    std::function<void(LoopServer&)> body;
    std::atomic<size_t> left;
  };
  const auto round = std::make_shared<Round>(std::move(body), loops_.size());
  for (auto& server : loops_)
    server->loop().Post([this, round, &server = *server] {
      round->body(server);
      round->left.fetch_sub(1);
      gate_.Notify();
    });
  const Duration deadline = options_.clock->Monotonic() + limits::kStuckLoop;
  gate_.WaitUntil(*options_.clock, deadline, [&] { return round->left.load() == 0; });
}

void HttpServer::Impl::Drain(Duration grace) {
  if (stopped_) return;
  const Duration deadline = options_.clock->Monotonic() + grace;
  OnEveryLoop([](LoopServer& server) { server.CloseListeners(); });
  for (const auto& callback : std::exchange(on_drain, {})) callback();
  OnEveryLoop([](LoopServer& server) { server.Drain(); });
  gate_.WaitUntil(*options_.clock, deadline, [&] { return service.connections.load() == 0; });
  Stop();
}

void HttpServer::Impl::Stop() {
  if (std::exchange(stopped_, true) || loops_.empty()) return;
  OnEveryLoop([](LoopServer& server) {
    server.CloseListeners();
    server.CloseAll();
  });
  for (auto& server : loops_) server->loop().Stop();
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpServer::~HttpServer() { impl_->Stop(); }

Result<std::unique_ptr<HttpServer>> HttpServer::Start(HttpServerOptions options) {
  auto impl = std::make_unique<Impl>();
  SKIFF_RETURN_IF_ERROR(impl->Start(std::move(options)));
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

const std::vector<std::string>& HttpServer::addresses() const { return impl_->addresses; }

HttpServerFigures HttpServer::figures() const {
  const HttpService& service = impl_->service;
  return {service.connections.load(), service.requests_in_flight.load(), service.requests.load()};
}

void HttpServer::OnDrain(std::function<void()> callback) {
  impl_->on_drain.push_back(std::move(callback));
}

void HttpServer::Drain(Duration grace) { impl_->Drain(grace); }

void HttpServer::Stop() { impl_->Stop(); }

}  // namespace skiff::net
