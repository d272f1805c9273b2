#include "store/etcd/members.h"

#include <algorithm>
#include <utility>

#include "base/ip_address.h"
#include "base/limits.h"
#include "grpc/unary.h"
#include "store/etcd/version.h"

namespace skiff::store {

struct EtcdMembers::StatusCall {
  size_t index = 0;
  std::shared_ptr<EtcdConnection> connection;
  std::shared_ptr<grpc::GrpcCall> call;
};

EtcdMembers::EtcdMembers(const EtcdOptions& options, std::vector<EtcdEndpoint> endpoints,
                         grpc::GrpcClient& client, Timers& timers,
                         std::function<void(const Status&)> on_replaced,
                         std::function<void()> on_trouble)
    : options_(options),
      client_(client),
      timers_(timers),
      on_replaced_(std::move(on_replaced)),
      on_trouble_(std::move(on_trouble)) {
  for (EtcdEndpoint& endpoint : endpoints) members_.emplace_back().endpoint = std::move(endpoint);
  // Several servers of one cluster should not all burden the same member.
  preferred_ = options_.random->Uniform(members_.size());
}

void EtcdMembers::Start() {
  for (size_t index = 0; index < members_.size(); ++index) Connect(index);
}

void EtcdMembers::Close() {
  std::vector<Waiter> waiters;
  std::vector<std::unique_ptr<Thread>> resolvers;
  {
    std::unique_lock lock(mutex_);
    closing_ = true;
    waiters = TakeWaitersLocked();
    for (auto& [call, keep] : status_calls_) call->call->Cancel();
    for (Member& member : members_) resolvers.push_back(std::move(member.resolver));
  }
  for (Waiter& waiter : waiters) waiter(nullptr);
  resolvers.clear();
  std::unique_lock lock(mutex_);
  while (!status_calls_.empty()) idle_.wait(lock);
  for (Member& member : members_) member.connection = nullptr;
}

std::vector<EtcdMembers::Waiter> EtcdMembers::TakeWaitersLocked() {
  std::vector<Waiter> out;
  for (auto& [id, waiter] : waiters_) out.push_back(std::move(waiter));
  waiters_.clear();
  return out;
}

void EtcdMembers::Connect(size_t index) {
  std::unique_lock lock(mutex_);
  Member& member = members_[index];
  if (closing_ || member.state != State::kDown) return;
  member.state = State::kConnecting;
  if (IpAddress::Parse(member.endpoint.host)) {
    lock.unlock();
    return ConnectNow(index);
  }
  // A resolver may take its time, which belongs to nobody here. The last one has done its work.
  const std::unique_ptr<Thread> last = std::exchange(
      member.resolver,
      std::make_unique<Thread>("etcd-resolver", [this, index] { ConnectNow(index); }));
  lock.unlock();
}

void EtcdMembers::ConnectNow(size_t index) {
  auto connection = MakeEtcdConnection(client_, options_, members_[index].endpoint);
  if (!connection) {
    std::unique_lock lock(mutex_);
    MarkDown(lock, index, connection.error().message());
    return;
  }
  (*connection)->endpoint = index;
  AskStatus(index, std::move(*connection), options_.dial_timeout);
}

void EtcdMembers::AskStatus(size_t index, std::shared_ptr<EtcdConnection> connection,
                            Duration timeout) {
  auto call = std::make_shared<StatusCall>();
  call->index = index;
  call->connection = std::move(connection);
  std::unique_lock lock(mutex_);
  if (closing_) return;
  status_calls_.emplace(call.get(), call);
  call->call = grpc::CallUnary<etcdserverpb::StatusResponse>(
      *call->connection->channel, EtcdCallOptions(kEtcdStatus, timeout, false),
      grpc::FrameMessage(etcdserverpb::StatusRequest()),
      [this, raw = call.get()](auto status) { OnStatus(*raw, std::move(status)); });
}

void EtcdMembers::OnStatus(StatusCall& call,
                           grpc::GrpcResult<etcdserverpb::StatusResponse> status) {
  std::shared_ptr<StatusCall> keep;  // destroyed after the lock is given up
  std::unique_lock lock(mutex_);
  keep = std::move(status_calls_[&call]);
  status_calls_.erase(&call);
  if (closing_) {
    idle_.notify_all();
    return;
  }
  Member& member = members_[call.index];
  const bool is_new = member.state == State::kConnecting;
  if (!is_new && member.connection != call.connection) return;  // about an earlier connection
  if (!status) {
    MarkDown(lock, call.index, ClassifyEtcdError(status.error()).status.message());
    return;
  }
  const uint64_t cluster = status->header().cluster_id();
  if (cluster_id_ == 0) cluster_id_ = cluster;
  if (cluster != cluster_id_) {
    lock.unlock();
    (void)CheckCluster(*call.connection, cluster);
    return;
  }
  member.foreign = 0;
  member.state = State::kUp;
  member.failures = 0;
  member.error.clear();
  member.connection = call.connection;
  member.status = std::move(*status);
  if (is_new) member.avoid_until = Duration(0);
  if (member.status->leader() == 0) {
    member.error = "has no leader: it is cut off from most of its cluster, or an election is on";
    member.avoid_until = options_.clock->Monotonic() + options_.max_backoff;
  }
  lock.unlock();
  if (is_new) ServeWaiters();
}

void EtcdMembers::ServeWaiters() {
  const std::shared_ptr<EtcdConnection> connection = Choose();
  if (!connection) return;
  std::unique_lock lock(mutex_);
  std::vector<Waiter> waiters = TakeWaitersLocked();
  lock.unlock();
  for (Waiter& waiter : waiters) waiter(connection);
}

// Ends the use of a connection; a new one is made after a back-off.
void EtcdMembers::MarkDown(std::unique_lock<std::mutex>& lock, size_t index, std::string why) {
  Member& member = members_[index];
  const std::shared_ptr<EtcdConnection> gone = std::move(member.connection);
  member.connection = nullptr;
  member.state = State::kDown;
  member.error = std::move(why);
  const Duration pause = BackoffLocked(++member.failures);
  const bool closing = closing_;
  lock.unlock();
  if (closing) return;
  on_trouble_();
  if (gone) gone->CancelStreams();
  timers_.After(pause, [self = weak_from_this(), index] {
    if (const auto members = self.lock()) members->Connect(index);
  });
}

std::shared_ptr<EtcdConnection> EtcdMembers::ChooseLocked(uint32_t avoid,
                                                          std::vector<size_t>& lost) {
  const Duration now = options_.clock->Monotonic();
  std::optional<size_t> best;
  int best_rank = 0;
  for (size_t step = 0; step < members_.size(); ++step) {
    const size_t index = (preferred_ + step) % members_.size();
    Member& member = members_[index];
    if (member.state != State::kUp) continue;
    if (!member.connection->IsReady()) {
      lost.push_back(index);
      continue;
    }
    const int rank = ((avoid >> index) & 1U ? 2 : 0) + (member.avoid_until > now ? 1 : 0);
    if (best && rank >= best_rank) continue;
    best = index;
    best_rank = rank;
  }
  if (!best) return nullptr;
  if (best_rank == 0) preferred_ = *best;
  return members_[*best].connection;
}

std::shared_ptr<EtcdConnection> EtcdMembers::Choose(uint32_t avoid) {
  std::vector<size_t> lost;
  std::shared_ptr<EtcdConnection> out;
  std::unique_lock lock(mutex_);
  if (closing_) return nullptr;
  out = ChooseLocked(avoid, lost);
  for (const size_t index : lost) {
    if (!lock.owns_lock()) lock.lock();
    if (members_[index].state != State::kUp) continue;
    // Lost while nothing was under way, which speaks against nobody: connect without a pause.
    const auto gone = std::move(members_[index].connection);
    members_[index].connection = nullptr;
    members_[index].state = State::kDown;
    members_[index].error = "connection lost";
    lock.unlock();
    on_trouble_();
    Connect(index);
  }
  return out;
}

void EtcdMembers::Wait(Duration timeout, Waiter waiter) {
  if (auto connection = Choose()) {
    waiter(std::move(connection));
    return;
  }
  std::unique_lock lock(mutex_);
  if (closing_ || waiters_.size() >= limits::kMaxEtcdRequests) {
    lock.unlock();
    waiter(nullptr);
    return;
  }
  const uint64_t id = next_waiter_++;
  waiters_.emplace(id, std::move(waiter));
  lock.unlock();
  ServeWaiters();  // a member may have come up in between
  if (timeout == Clock::kForever) return;
  timers_.After(timeout, [self = weak_from_this(), id] {
    const auto members = self.lock();
    if (!members) return;
    std::unique_lock relock(members->mutex_);
    const auto found = members->waiters_.find(id);
    if (found == members->waiters_.end()) return;
    Waiter late = std::move(found->second);
    members->waiters_.erase(found);
    relock.unlock();
    late(nullptr);
  });
}

void EtcdMembers::Report(const EtcdConnection& connection, const EtcdFailure& failure) {
  if (failure.kind == EtcdFailure::Kind::kFinal) return;
  std::unique_lock lock(mutex_);
  Member& member = members_[connection.endpoint];
  if (closing_ || member.connection.get() != &connection) return;
  if (failure.kind == EtcdFailure::Kind::kConnectionLost) {
    MarkDown(lock, connection.endpoint, failure.status.message());
    return;
  }
  member.avoid_until = options_.clock->Monotonic() + options_.max_backoff;
  member.error = failure.status.message();
  const auto current = member.connection;
  lock.unlock();
  on_trouble_();
  if (failure.kind != EtcdFailure::Kind::kMaybeDone) return;
  // Slow, or cut off without notice. The status request finds out which.
  AskStatus(current->endpoint, current, options_.health_timeout);
}

void EtcdMembers::Refresh() {
  std::vector<std::shared_ptr<EtcdConnection>> connected;
  Choose();  // finds the connections that are lost
  {
    std::unique_lock lock(mutex_);
    if (closing_) return;
    for (const Member& member : members_) {
      if (member.state == State::kUp) connected.push_back(member.connection);
    }
  }
  for (auto& connection : connected)
    AskStatus(connection->endpoint, connection, options_.health_timeout);
}

Result<void> EtcdMembers::CheckCluster(const EtcdConnection& connection, uint64_t cluster_id) {
  std::unique_lock lock(mutex_);
  if (cluster_id == 0 || cluster_id == cluster_id_) return {};
  Member& member = members_[connection.endpoint];
  const Status status(
      StatusReason::kInternalError,
      "etcd endpoint " + member.endpoint.url +
          " belongs to another cluster than the one this server began with; give "
          "only members of one cluster. If it was replaced, this server follows the new one once "
          "every endpoint belongs to it");
  member.foreign = cluster_id;
  // As long as one endpoint may still be of the old cluster, this may be a mistake in the list of
  // endpoints, and nothing must be written there.
  const bool is_replaced = std::ranges::all_of(
      members_, [&](const Member& other) { return other.foreign == cluster_id; });
  if (is_replaced) {
    cluster_id_ = cluster_id;
    for (Member& each : members_) each.foreign = 0;
  }
  const bool none_left = std::none_of(members_.begin(), members_.end(), [](const Member& other) {
    return other.state == State::kUp && other.foreign == 0;
  });
  MarkDown(lock, connection.endpoint, status.message());
  if (is_replaced || none_left) on_replaced_(status);
  return std::unexpected(status);
}

bool EtcdMembers::HasReliableProgress() {
  std::unique_lock lock(mutex_);
  bool is_known = false;
  for (const Member& member : members_) {
    if (!member.status) continue;  // not used before it has told its version
    const auto version = ParseEtcdVersion(member.status->version());
    if (!version || !store::HasReliableProgress(*version)) return false;
    is_known = true;
  }
  return is_known;
}

std::string EtcdMembers::ErrorSummary() {
  std::unique_lock lock(mutex_);
  std::string out;
  for (const Member& member : members_) {
    if (member.state == State::kUp && member.error.empty()) continue;
    if (!out.empty()) out += "; ";
    out += member.endpoint.url + ": " +
           (member.error.empty() ? std::string("not connected yet") : member.error);
  }
  return out;
}

std::string EtcdMembers::Alarms() {
  std::unique_lock lock(mutex_);
  std::string out;
  for (const Member& member : members_) {
    if (!member.status) continue;
    for (const std::string& error : member.status->errors()) {
      if (out.find(error) != out.npos) continue;
      out += (out.empty() ? "" : "; ") + error;
    }
  }
  return out;
}

std::optional<etcdserverpb::StatusResponse> EtcdMembers::AnyStatus() {
  std::unique_lock lock(mutex_);
  for (size_t step = 0; step < members_.size(); ++step) {
    const Member& member = members_[(preferred_ + step) % members_.size()];
    if (member.state == State::kUp && member.status) return member.status;
  }
  return std::nullopt;
}

Duration EtcdMembers::Backoff(int failures) {
  std::unique_lock lock(mutex_);
  return BackoffLocked(failures);
}

Duration EtcdMembers::BackoffLocked(int failures) {
  const int doublings = std::clamp(failures - 1, 0, 20);
  const Duration full =
      std::min(options_.max_backoff, Duration(options_.min_backoff * (int64_t{1} << doublings)));
  const auto random = static_cast<uint64_t>(full.count() / 2) + 1;
  return full / 2 + Duration(static_cast<int64_t>(options_.random->Uniform(random)));
}

}  // namespace skiff::store
