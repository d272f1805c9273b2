// The members of the cluster as seen from here: which are connected, which one serves the next
// request, and what is known of them. Internal to store/etcd.
//
// Every endpoint has a connection of its own, made when the store is opened and made anew, after a
// growing back-off, whenever it is found broken. A member is used once it has answered a status
// request; that also tells its version and its cluster. Requests go to one member as long as it
// serves them, so that reads which may be stale do not jump between members, and move to another
// when it does not.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <etcd_rpc.pb.h>

#include "base/thread.h"
#include "base/timers.h"
#include "store/etcd/connection.h"
#include "store/etcd/errors.h"
#include "store/store.h"

namespace skiff::store {

// Owned by the store's core. Thread-safe. Close() before destruction.
class EtcdMembers : public std::enable_shared_from_this<EtcdMembers> {
 public:
  // Gets a connection, or null when waiting has ended without one.
  using Waiter = std::move_only_function<void(std::shared_ptr<EtcdConnection>)>;

  // `on_replaced` hears that what answers at the endpoints is another cluster than before,
  // `on_trouble` that a member failed a request, or lost its connection.
  EtcdMembers(const EtcdOptions& options, std::vector<EtcdEndpoint> endpoints,
              grpc::GrpcClient& client, Timers& timers,
              std::function<void(const Status&)> on_replaced, std::function<void()> on_trouble);

  void Start();
  // Waiters get null, status requests are cancelled; returns when none is under way.
  void Close();

  // A connection that is ready now and, if possible, not to an endpoint of `avoid` (a bit each).
  std::shared_ptr<EtcdConnection> Choose(uint32_t avoid = 0);
  // Answers with Choose() once there is one, or with null after `timeout` (kForever: never).
  // Refuses with null, at once, when too many wait.
  void Wait(Duration timeout, Waiter waiter);

  // The connection failed a request in a way that speaks against it or its member.
  void Report(const EtcdConnection& connection, const EtcdFailure& failure);
  // Asks every connected member for its status, and connects those that have lost theirs.
  void Refresh();

  // Checks the cluster that an answer comes from. An error tells that it is another one than
  // before, whose revisions mean nothing here; the member is not used any more.
  Result<void> CheckCluster(const EtcdConnection& connection, uint64_t cluster_id);

  bool HasReliableProgress();
  // Why no member serves, for people: each endpoint with its last error. Empty if all serve.
  std::string ErrorSummary();
  // The alarms that members told of last, such as "alarm:NOSPACE".
  std::string Alarms();
  // The first member that has told of itself.
  std::optional<etcdserverpb::StatusResponse> AnyStatus();

  // The back-off before attempt number `failures` (from 1), half of it at random.
  Duration Backoff(int failures);

 private:
  enum class State : uint8_t { kDown, kConnecting, kUp };
  struct Member {
    EtcdEndpoint endpoint;
    State state = State::kDown;
    uint64_t foreign = 0;  // the other cluster that it belongs to
    int failures = 0;
    Duration avoid_until{0};
    std::shared_ptr<EtcdConnection> connection;
    std::optional<etcdserverpb::StatusResponse> status;
    std::string error;
    std::unique_ptr<Thread> resolver;  // asks for the addresses of a host that has a name
  };
  struct StatusCall;

  void Connect(size_t index);
  void ConnectNow(size_t index);
  void AskStatus(size_t index, std::shared_ptr<EtcdConnection> connection, Duration timeout);
  void OnStatus(StatusCall& call, grpc::GrpcResult<etcdserverpb::StatusResponse> status);
  void MarkDown(std::unique_lock<std::mutex>& lock, size_t index, std::string why);
  void ServeWaiters();
  Duration BackoffLocked(int failures);
  std::shared_ptr<EtcdConnection> ChooseLocked(uint32_t avoid, std::vector<size_t>& lost);
  std::vector<Waiter> TakeWaitersLocked();

  const EtcdOptions& options_;
  grpc::GrpcClient& client_;
  Timers& timers_;
  const std::function<void(const Status&)> on_replaced_;
  const std::function<void()> on_trouble_;
  std::mutex mutex_;
  std::condition_variable idle_;
  std::vector<Member> members_;
  size_t preferred_ = 0;
  uint64_t cluster_id_ = 0;
  bool closing_ = false;
  uint64_t next_waiter_ = 0;
  std::map<uint64_t, Waiter> waiters_;
  std::map<StatusCall*, std::shared_ptr<StatusCall>> status_calls_;
};

}  // namespace skiff::store
