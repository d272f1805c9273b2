#include "store/etcd/core.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"

namespace skiff::store {
namespace {

// Long enough for whoever looks at the health of the store every now and then.
constexpr Duration kHistoryLostToldFor = std::chrono::minutes(1);

}  // namespace

EtcdCore::EtcdCore(EtcdOptions options, std::vector<EtcdEndpoint> endpoints,
                   std::unique_ptr<grpc::GrpcClient> client)
    : options_(std::move(options)),
      client_(std::move(client)),
      timers_("etcd-timers", *options_.clock, Timers::AtStop::kRun) {
  members_ = std::make_shared<EtcdMembers>(
      options_, std::move(endpoints), *client_, timers_,
      [this](const Status& why) {
        seen_revision_ = 0;
        LoseHistory(why);
      },
      [this] { on_trouble(); });
}

void EtcdCore::Start() { members_->Start(); }

Status EtcdCore::ClosingStatus() {
  return Status(StatusReason::kServiceUnavailable, "the etcd store is closing");
}

void EtcdCore::Close() {
  std::vector<std::shared_ptr<EtcdTask>> tasks;
  {
    std::unique_lock lock(mutex_);
    closing_ = true;
    for (auto& [raw, task] : tasks_) tasks.push_back(task);
  }
  for (const auto& task : tasks) task->Cancel();
  tasks.clear();
  // The members first: what waits for its time then finds everything closing, and does not wait
  // anew.
  members_->Close();
  timers_.Stop();
  std::unique_lock lock(mutex_);
  while (!tasks_.empty()) idle_.wait(lock);
  lock.unlock();
  client_->Stop();
}

Result<void> EtcdCore::Add(std::shared_ptr<EtcdTask> task) {
  std::unique_lock lock(mutex_);
  if (closing_) return std::unexpected(ClosingStatus());
  if (tasks_.size() >= limits::kMaxEtcdRequests)
    return Fail(StatusReason::kTooManyRequests,
                "too many requests to etcd are under way; try again later");
  EtcdTask* const raw = task.get();
  tasks_.emplace(raw, std::move(task));
  return {};
}

void EtcdCore::Remove(EtcdTask* task) {
  std::shared_ptr<EtcdTask> keep;  // destroyed after the lock is given up
  std::unique_lock lock(mutex_);
  const auto found = tasks_.find(task);
  if (found == tasks_.end()) return;
  keep = std::move(found->second);
  tasks_.erase(found);
  if (tasks_.empty()) idle_.notify_all();
}

void EtcdCore::AddFollower(std::weak_ptr<EtcdFollower> follower) {
  std::unique_lock lock(mutex_);
  std::erase_if(followers_, [](const auto& other) { return other.expired(); });
  followers_.push_back(std::move(follower));
}

Result<void> EtcdCore::Observe(const EtcdConnection& connection,
                               const etcdserverpb::ResponseHeader& header, int64_t not_before) {
  SKIFF_RETURN_IF_ERROR(members_->CheckCluster(connection, header.cluster_id()));
  if (header.revision() < not_before && header.revision() > 0) {
    const Status why(
        StatusReason::kInternalError,
        "etcd has gone back in time: it is at revision " + std::to_string(header.revision()) +
            " but was at " + std::to_string(not_before) +
            " before; it lost data or was restored from an older backup. Everything that was read "
            "from it must be read again");
    // From now on the shorter history is the one that counts.
    int64_t expected = seen_revision_.load();
    while (expected >= not_before &&
           !seen_revision_.compare_exchange_weak(expected, header.revision())) {
    }
    LoseHistory(why);
    return std::unexpected(why);
  }
  RaiseTo(seen_revision_, header.revision());
  return {};
}

// Whoever follows the store must read everything anew, as after a compaction.
void EtcdCore::LoseHistory(const Status& why) {
  compacted = 0;
  const Status lost(StatusReason::kExpired, why.message());
  std::vector<std::weak_ptr<EtcdFollower>> followers;
  {
    std::unique_lock lock(mutex_);
    followers = followers_;
    history_lost_ = why.message();
    history_lost_at_ = clock().Monotonic();
  }
  for (const auto& weak : followers) {
    if (const auto follower = weak.lock()) follower->OnHistoryLost(lost);
  }
}

std::string EtcdCore::HistoryLost() {
  const Duration now = clock().Monotonic();
  std::unique_lock lock(mutex_);
  if (now - history_lost_at_ >= kHistoryLostToldFor) history_lost_.clear();
  return history_lost_;
}

}  // namespace skiff::store
