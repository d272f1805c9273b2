// What the requests and watches of one etcd store share: its members, its timers, what is under
// way, and what has been seen of the cluster's history. Internal to store/etcd.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <etcd_rpc.pb.h>

#include "store/etcd/members.h"
#include "store/etcd/options.h"
#include "store/store.h"

namespace skiff::store {

// Something under way that closing the store must end and wait for.
class EtcdTask {
 public:
  virtual ~EtcdTask() = default;
  // The store is closing: end soon. Called once at most, from the closing thread.
  virtual void Cancel() = 0;
};

// Told when the history that a watch was following is gone.
class EtcdFollower {
 public:
  virtual ~EtcdFollower() = default;
  virtual void OnHistoryLost(const Status& why) = 0;
};

// Shared by the store and all that is under way, so that callbacks find it alive; the store closes
// it. Thread-safe.
class EtcdCore : public std::enable_shared_from_this<EtcdCore> {
 public:
  EtcdCore(EtcdOptions options, std::vector<EtcdEndpoint> endpoints,
           std::unique_ptr<grpc::GrpcClient> client);
  void Start();
  // Ends everything, answers everything, and returns when nothing is under way any more.
  void Close();

  const EtcdOptions& options() const { return options_; }
  Clock& clock() { return *options_.clock; }
  Timers& timers() { return timers_; }
  EtcdMembers& members() { return *members_; }
  bool closing() const { return closing_.load(); }
  static Status ClosingStatus();

  // Registers until Remove(). An error when the store is closing or too much is under way.
  Result<void> Add(std::shared_ptr<EtcdTask> task);
  void Remove(EtcdTask* task);
  void AddFollower(std::weak_ptr<EtcdFollower> follower);

  // The highest revision that any answer has shown.
  int64_t seen_revision() const { return seen_revision_.load(); }
  // Notes the header of an answer. If the answer was sure to be current (`not_before` is
  // seen_revision() from before the request) and is older, or comes from another cluster, the
  // history that was seen is gone: all watches end, and the error says so.
  Result<void> Observe(const EtcdConnection& connection, const etcdserverpb::ResponseHeader& header,
                       int64_t not_before);

  // Why what was seen before counts no more, for people; "" a minute after that was noticed.
  std::string HistoryLost();

  // Called when a member has failed a request, from any thread. Set before Start().
  std::function<void()> on_trouble;

  // A request that needs a leader has been served since the last health check failed.
  std::atomic<bool> served{false};
  // etcd refuses writes until an operator acts.
  std::atomic<bool> out_of_space{false};
  std::atomic<bool> checking_history{false};
  std::atomic<uint64_t> commits{0};
  std::atomic<size_t> commit_bytes{0};  // of commits under way
  // The highest revision that is known to be compacted.
  std::atomic<int64_t> compacted{0};

 private:
  void LoseHistory(const Status& why);

  const EtcdOptions options_;
  const std::unique_ptr<grpc::GrpcClient> client_;
  Timers timers_;
  std::shared_ptr<EtcdMembers> members_;
  std::atomic<bool> closing_{false};
  std::atomic<int64_t> seen_revision_{0};

  std::mutex mutex_;
  std::condition_variable idle_;
  std::map<EtcdTask*, std::shared_ptr<EtcdTask>> tasks_;
  std::vector<std::weak_ptr<EtcdFollower>> followers_;
  std::string history_lost_;
  Duration history_lost_at_{0};
};

// Raises `value` to at least `to`.
inline void RaiseTo(std::atomic<int64_t>& value, int64_t to) {
  int64_t now = value.load();
  while (now < to && !value.compare_exchange_weak(now, to)) {
  }
}

}  // namespace skiff::store
