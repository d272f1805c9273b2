// The watches of an embedded store.
//
// A watch is synced when it has been told of everything up to the newest revision: then the
// committer calls its sink right after the sync, in Publish(). A watch that starts in the past is
// caught up from the log by a thread of the hub, piece by piece, and then joins the synced ones.
// Nothing is queued for a watch: the log is the queue.
//
// Shared by the store, which stops it before the log goes away, and the handles of its watches,
// which may outlive the store. Publish() is for the committer; the rest may be called from any
// thread, also from within a sink. Locks are taken in this order: publishing_, Watcher::calling,
// mutex_. No sink is called under mutex_.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/thread.h"
#include "store/embedded/range_index.h"
#include "store/embedded/reader.h"
#include "store/embedded/store_state.h"
#include "store/store.h"

namespace skiff::store {

// The events of one commit, made when somebody wants them.
class EventSource {
 public:
  virtual ~EventSource() = default;
  // In order; the same at each call.
  virtual std::span<const Event> Plain() = 0;
  virtual Result<std::span<const Event>> WithPrevious() = 0;
};

class WatchHub : public std::enable_shared_from_this<WatchHub> {
 public:
  // Everything up to the state's revision counts as told.
  WatchHub(StoreReader* reader, StoreState* state, Clock* clock);
  ~WatchHub() { Stop(); }

  std::unique_ptr<Watch> Start(WatchRequest request, WatchSink* sink);

  // Makes `revision`, the last of the events' revisions, the store's, so that whoever is told of it
  // can read it, and tells the synced watches. The events begin with the revision after that of the
  // call before.
  void Publish(int64_t revision, EventSource& events);

  // Ends all watches with kServiceUnavailable, and the thread.
  void Stop();

 private:
  struct Watcher;
  class Handle;
  using WatcherPointer = std::shared_ptr<Watcher>;

  void Match(EventSource& events, std::vector<WatcherPointer>* touched);
  void Deliver(const WatcherPointer& watcher, EventSource& events);
  void DeliverRuns(Watcher& watcher, std::span<const Event> events);
  void Remove(const WatcherPointer& watcher);
  void End(const WatcherPointer& watcher, const Status& why);
  void Work();
  // Reads the next piece for a watch. False if that has to wait.
  bool CatchUp(const WatcherPointer& watcher);
  bool JoinIfCaughtUp(const WatcherPointer& watcher);
  void AnswerProgress(const WatcherPointer& watcher);

  StoreReader* const reader_;
  StoreState* const state_;
  Clock* const clock_;

  // Held while the events of a commit are being told, so that progress comes after them.
  std::mutex publishing_;

  std::mutex mutex_;
  std::condition_variable wake_;
  int64_t published_;
  std::list<WatcherPointer> synced_;
  std::list<WatcherPointer> behind_;
  std::vector<WatcherPointer> progress_wanted_;
  RangeIndex<const WatcherPointer*> index_;  // of synced_
  bool index_is_stale_ = false;
  bool stopping_ = false;

  std::optional<Thread> thread_;
};

}  // namespace skiff::store
