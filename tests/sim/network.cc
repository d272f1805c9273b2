#include "tests/sim/network.h"

#include <algorithm>
#include <deque>
#include <utility>

namespace skiff::sim {
namespace {

// What a caller waits for an answer that does not come.
constexpr Duration kPatience = std::chrono::seconds(10);

Status Lost(StatusReason reason, const char* why) { return Status(reason, why); }

bool Writes(const client::ClientCall& call) {
  return call.verb == client::ClientVerb::kCreate || call.verb == client::ClientVerb::kUpdate;
}

// What only some of the objects come by says nothing about the others.
template <typename Call>
bool IsObserved(const Call& call) {
  return call.metadata_only && call.label_selector.empty() && call.field_selector.empty();
}

}  // namespace

// A watch on its way: the inner sink of the server's transport, the outer handle of the client.
class SimWatch final : public client::ClientWatch, public client::ClientWatchSink {
 public:
  SimWatch(SimTransport& transport, client::WatchCall call, ClientWatchSink* sink)
      : transport_(&transport),
        sink_(sink),
        observed_(IsObserved(call)),
        initial_(call.send_initial_events) {
    transport.watches_.push_back(this);
    Later(transport.network_.DrawDelay(), [this, call = std::move(call)] { Start(call); });
  }
  ~SimWatch() override {
    if (transport_ != nullptr) std::erase(transport_->watches_, this);
  }

  void OnEvents(std::span<const client::ClientEvent> events) override {
    SimNetwork& network = transport_->network_;
    const Duration now = network.loop_.now();
    last_delivery_ = std::max(last_delivery_, now + network.DrawDelay());
    Later(last_delivery_ - now,
          [this, copy = std::vector(events.begin(), events.end())] { Deliver(copy); });
  }

  void OnEnd(std::optional<Status> why) override {
    const Duration now = transport_->network_.loop_.now();
    last_delivery_ = std::max(last_delivery_, now + transport_->network_.DrawDelay());
    Later(last_delivery_ - now, [this, why = std::move(why)] { End(why); });
  }

  // Nothing comes any more but the end, after some time.
  void Break(Duration after, StatusReason reason, const char* why) {
    if (broken_) return;
    broken_ = true;
    inner_.reset();
    // What was under way does not arrive: it holds the old token.
    alive_ = std::make_shared<bool>(true);
    Later(after, [this, reason, why] { End(Lost(reason, why)); });
  }
  void OnTransportGone() {
    transport_ = nullptr;
    inner_.reset();
    alive_.reset();
  }

 private:
  template <typename Work>
  void Later(Duration delay, Work work) {
    transport_->executor_.After(delay,
                                [alive = std::weak_ptr(alive_), work = std::move(work)]() mutable {
                                  if (alive.lock() != nullptr) work();
                                });
  }

  void Start(const client::WatchCall& call) {
    if (transport_->network_.Away(transport_->process_)) {
      return Break(kPatience, StatusReason::kServerTimeout, "the network is down");
    }
    client::ClientTransport* inner = transport_->Inner();
    if (inner == nullptr) {
      return Break(Duration::zero(), StatusReason::kServiceUnavailable, "connection refused");
    }
    inner_ = inner->Watch(call, this);
  }

  void Deliver(const std::vector<client::ClientEvent>& events) {
    SimNetwork& network = transport_->network_;
    if (network.Away(transport_->process_)) {
      return Break(kPatience, StatusReason::kServiceUnavailable, "the connection is lost");
    }
    if (network.OneIn(network.trouble_.cut_watch_one_in)) {
      network.counters_.Count("fault: watch cut");
      return Break(Duration::zero(), StatusReason::kServiceUnavailable, "the connection is lost");
    }
    if (observed_) Observe(events);
    sink_->OnEvents(events);
  }

  // Initial events count when the last of them has come.
  void Observe(const std::vector<client::ClientEvent>& events) {
    for (const client::ClientEvent& event : events) {
      if (event.type != client::ClientEvent::Type::kBookmark) untold_.push_back(event.object);
      if (event.initial_end) initial_ = false;
    }
    if (initial_) return;
    for (const client::ObjectPtr& object : std::exchange(untold_, {})) {
      transport_->network_.Tell(transport_->process_, object);
    }
  }

  // The sink may destroy this.
  void End(const std::optional<Status>& why) {
    inner_.reset();
    alive_.reset();
    sink_->OnEnd(why);
  }

  friend class SimTransport;
  SimTransport* transport_;
  ClientWatchSink* const sink_;
  const bool observed_;
  bool initial_;
  std::vector<client::ObjectPtr> untold_;
  std::unique_ptr<ClientWatch> inner_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  Duration last_delivery_{0};
  bool broken_ = false;
};

Duration SimNetwork::DrawDelay() {
  if (OneIn(trouble_.slow_one_in)) {
    counters_.Count("fault: slow message");
    return Duration(random_.Uniform(static_cast<uint64_t>(trouble_.slow_delay.count()) + 1));
  }
  return Duration(random_.Uniform(static_cast<uint64_t>(trouble_.longest_delay.count()) + 1));
}

void SimNetwork::Tell(const std::string& process, const client::ObjectPtr& object) {
  for (CallObserver* observer : observers_) observer->OnTold(process, *object);
}

void SimNetwork::Partition(const std::string& process, bool away) {
  if (away) {
    away_.insert(process);
    counters_.Count("fault: partition");
  } else {
    away_.erase(process);
  }
}

void SimNetwork::HealAll() {
  away_.clear();
  trouble_ = {};
}

void SimNetwork::ServerUp(Connect connect) {
  connect_ = std::move(connect);
  ++epoch_;
}

void SimNetwork::ServerDown() {
  connect_ = nullptr;
  for (SimTransport* transport : transports_) transport->OnServerDown();
}

std::unique_ptr<SimTransport> SimNetwork::MakeTransport(std::string process, serving::UserInfo user,
                                                        Executor& executor) {
  return std::make_unique<SimTransport>(*this, std::move(process), std::move(user), executor);
}

SimTransport::SimTransport(SimNetwork& network, std::string process, serving::UserInfo user,
                           Executor& executor)
    : network_(network), process_(std::move(process)), user_(std::move(user)), executor_(executor) {
  network_.transports_.push_back(this);
}

SimTransport::~SimTransport() {
  std::erase(network_.transports_, this);
  for (SimWatch* watch : watches_) watch->OnTransportGone();
  DropInner();
}

client::ClientTransport* SimTransport::Inner() {
  if (closed_ || network_.connect_ == nullptr) return nullptr;
  if (inner_ == nullptr || inner_epoch_ != network_.epoch_) {
    inner_ = network_.connect_(user_, executor_);
    inner_epoch_ = network_.epoch_;
  }
  return inner_.get();
}

Executor::TimerId SimTransport::Later(Duration delay, Executor::Work work) {
  return executor_.After(delay, [alive = std::weak_ptr(alive_), work = std::move(work)]() mutable {
    if (alive.lock() != nullptr) work();
  });
}

void SimTransport::DropInner() {
  if (inner_ == nullptr) return;
  inner_->Close();
  inner_.reset();
}

uint64_t SimTransport::Begin(std::move_only_function<void(Status)> fail) {
  const uint64_t id = next_call_++;
  OpenCall& call = calls_[id];
  call.fail = std::move(fail);
  call.patience =
      Later(kPatience, [this, id] { Fail(id, StatusReason::kServerTimeout, "no answer in time"); });
  return id;
}

bool SimTransport::End(uint64_t id) {
  const auto at = calls_.find(id);
  if (at == calls_.end()) return false;
  executor_.Cancel(at->second.patience);
  calls_.erase(at);
  return true;
}

void SimTransport::Fail(uint64_t id, StatusReason reason, const char* why) {
  const auto at = calls_.find(id);
  if (at == calls_.end()) return;
  auto fail = std::move(at->second.fail);
  End(id);
  fail(Lost(reason, why));
}

client::ClientTransport* SimTransport::Arrive(uint64_t id) {
  const auto at = calls_.find(id);
  if (at == calls_.end() || network_.Away(process_)) return nullptr;
  if (network_.OneIn(network_.trouble_.lose_request_one_in)) {
    network_.counters_.Count("fault: request lost");
    return nullptr;
  }
  ClientTransport* inner = Inner();
  if (inner == nullptr) {
    Fail(id, StatusReason::kServiceUnavailable, "connection refused");
    return nullptr;
  }
  at->second.epoch = network_.epoch_;
  return inner;
}

void SimTransport::Deliver(uint64_t id, Executor::Work answer) {
  if (!calls_.contains(id)) return;
  if (network_.OneIn(network_.trouble_.lose_answer_one_in)) {
    network_.counters_.Count("fault: answer lost");
    return;
  }
  Later(network_.DrawDelay(), [this, id, answer = std::move(answer)]() mutable {
    if (!network_.Away(process_) && End(id)) answer();
  });
}

void SimTransport::Forward(
    uint64_t id, client::ClientCall call,
    std::shared_ptr<std::move_only_function<void(Result<client::ClientReply>)>> done) {
  ClientTransport* inner = Arrive(id);
  if (inner == nullptr) return;
  if (process_ == network_.pretend_process_ && Writes(call) &&
      network_.OneIn(network_.pretend_one_in_)) {
    return Deliver(id, [done, body = call.body] { (*done)(client::ClientReply{.object = body}); });
  }
  const bool observed = call.verb == client::ClientVerb::kList && IsObserved(call);
  inner->Send(std::move(call), [this, id, done, observed](Result<client::ClientReply> reply) {
    Deliver(id, [this, done, observed, reply = std::move(reply)]() mutable {
      if (observed && reply) {
        for (const client::ObjectPtr& item : reply->items) network_.Tell(process_, item);
      }
      (*done)(std::move(reply));
    });
  });
}

void SimTransport::Send(client::ClientCall call,
                        std::move_only_function<void(Result<client::ClientReply>)> done) {
  auto shared =
      std::make_shared<std::move_only_function<void(Result<client::ClientReply>)>>(std::move(done));
  if (closed_) {
    return executor_.Post([shared] {
      (*shared)(std::unexpected(Lost(StatusReason::kServiceUnavailable, "closed")));
    });
  }
  if (std::optional<Status> lie = lie_ ? lie_(call) : std::nullopt) {
    return executor_.Post([shared, lie = std::move(*lie)] { (*shared)(std::unexpected(lie)); });
  }
  for (CallObserver* observer : network_.observers_) observer->OnSend(process_, call);
  network_.counters_.Count("calls");
  const uint64_t id = Begin([shared](Status why) { (*shared)(std::unexpected(std::move(why))); });
  Later(network_.DrawDelay(), [this, id, call = std::move(call), shared]() mutable {
    Forward(id, std::move(call), shared);
  });
}

std::unique_ptr<client::ClientWatch> SimTransport::Watch(client::WatchCall call,
                                                         client::ClientWatchSink* sink) {
  auto watch = std::make_unique<SimWatch>(*this, std::move(call), sink);
  network_.counters_.Count("watches");
  if (closed_) {
    watch->Break(Duration::zero(), StatusReason::kServiceUnavailable, "closed");
  }
  return watch;
}

void SimTransport::Discover(std::move_only_function<void(Result<client::ServedApi>)> done) {
  auto shared =
      std::make_shared<std::move_only_function<void(Result<client::ServedApi>)>>(std::move(done));
  if (closed_) {
    return executor_.Post([shared] {
      (*shared)(std::unexpected(Lost(StatusReason::kServiceUnavailable, "closed")));
    });
  }
  const uint64_t id = Begin([shared](Status why) { (*shared)(std::unexpected(std::move(why))); });
  Later(network_.DrawDelay(), [this, id, shared] {
    ClientTransport* inner = Arrive(id);
    if (inner == nullptr) return;
    inner->Discover([this, id, shared](Result<client::ServedApi> reply) {
      Deliver(id, [shared, reply = std::move(reply)]() mutable { (*shared)(std::move(reply)); });
    });
  });
}

void SimTransport::OnServerDown() {
  DropInner();
  std::vector<uint64_t> open;
  for (const auto& [id, call] : calls_) {
    if (call.epoch != 0) open.push_back(id);
  }
  for (const uint64_t id : open) {
    Later(network_.DrawDelay(),
          [this, id] { Fail(id, StatusReason::kServerTimeout, "the connection is lost"); });
  }
  for (SimWatch* watch : std::vector(watches_)) {
    if (watch->inner_ == nullptr) continue;
    watch->Break(network_.DrawDelay(), StatusReason::kServiceUnavailable, "the connection is lost");
  }
}

void SimTransport::Close() {
  if (std::exchange(closed_, true)) return;
  DropInner();
  std::vector<uint64_t> open;
  for (const auto& [id, call] : calls_) open.push_back(id);
  for (const uint64_t id : open) {
    Later(Duration::zero(), [this, id] { Fail(id, StatusReason::kServiceUnavailable, "closed"); });
  }
  for (SimWatch* watch : std::vector(watches_)) {
    watch->Break(Duration::zero(), StatusReason::kServiceUnavailable, "closed");
  }
}

}  // namespace skiff::sim
