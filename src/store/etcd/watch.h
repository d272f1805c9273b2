// A watch on etcd that outlives its connections. Internal to store/etcd.
//
// Each watch has a gRPC stream of its own: progress in etcd is told for a stream as a whole, and a
// slow sink holds up nobody else. The server runs about a hundred of them. When the stream breaks,
// another is begun at the next revision that has not been told of.
//
// What arrives is not trusted blindly. All events of a revision are gathered, also from fragments,
// before they are passed on; events that were passed on before are dropped; an event that should
// have come earlier, after its revision had been told complete, ends the watch, because whoever
// follows it has already drawn conclusions.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "store/etcd/core.h"
#include "store/store.h"

namespace skiff::store {

// Shared by its handle (an EtcdWatch), its stream and its timers.
class EtcdWatchSession final : public EtcdFollower,
                               public std::enable_shared_from_this<EtcdWatchSession> {
 public:
  EtcdWatchSession(std::shared_ptr<EtcdCore> core, WatchRequest request, WatchSink* sink);

  void Start(Revision from);
  // Begins with the revision that follows the cluster's at the time of the call. `known` is called
  // when that is known, or cannot be found out soon.
  void StartAtNext(std::move_only_function<void()> known);
  // No call of the sink is under way or will come when this returns.
  void Stop();
  void RequestProgress();
  // Ends the watch from the side of the store.
  void End(Status why);
  void OnHistoryLost(const Status& why) override { End(why); }

 private:
  friend class EtcdWatchStream;
  struct Outcome {  // what a message leads to, beside calls of the sink
    bool restart = false;
    bool at_once = false;  // nobody is to blame
    std::optional<Status> end;
  };

  void Connect();
  void Open(std::shared_ptr<EtcdConnection> connection);
  void Fill(etcdserverpb::WatchCreateRequest& create);
  // From the stream; `stream` tells whether it is still the current one.
  bool OnMessage(class EtcdWatchStream* stream, etcdserverpb::WatchResponse& message);
  void OnStreamEnd(class EtcdWatchStream* stream, const EtcdFailure& failure);

  Outcome HandleLocked(etcdserverpb::WatchResponse& message);
  std::optional<Status> TakeEventsLocked(etcdserverpb::WatchResponse& message);
  std::optional<Status> CheckOrderLocked(int64_t revision, bool& repeated);
  bool IsPendingLocked(const Event& event) const;
  void DeliverLocked(bool all);
  void ProgressLocked(int64_t revision);
  void EndLocked(Status why);
  void OnProgressTarget(Result<Revision> revision);
  void AskProgressLocked();

  const std::shared_ptr<EtcdCore> core_;
  const WatchRequest request_;
  WatchSink* const sink_;

  // Held while the sink is called, so that Stop() can wait for it. Taken before state_.
  std::mutex delivery_;
  bool over_ = false;         // stopped or ended: the sink is not called any more
  int64_t from_ = 0;          // the first revision to tell of
  int64_t next_ = 0;          // the first that has not been told of
  int64_t complete_ = 0;      // all up to here has been told, as etcd itself said
  bool early_ = false;        // the stream begins one revision before next_
  std::deque<int64_t> told_;  // recent revisions with events, ascending
  std::vector<Event> pending_;

  std::mutex state_;
  bool stopped_ = false;
  class EtcdWatchStream* stream_ = nullptr;  // alive while it stands here
  bool opened_ = false;                      // the stream has answered
  bool restart_at_once_ = false;
  int failures_ = 0;
  int64_t progress_target_ = 0;  // somebody waits for progress up to here
  bool asking_target_ = false;
  bool ask_target_again_ = false;
};

class EtcdWatch final : public Watch {
 public:
  explicit EtcdWatch(std::shared_ptr<EtcdWatchSession> session) : session_(std::move(session)) {}
  ~EtcdWatch() override { session_->Stop(); }
  void RequestProgress() override { session_->RequestProgress(); }

 private:
  const std::shared_ptr<EtcdWatchSession> session_;
};

}  // namespace skiff::store
