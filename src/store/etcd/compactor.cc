#include "store/etcd/compactor.h"

#include <charconv>
#include <mutex>
#include <utility>

#include "base/timers.h"

namespace skiff::store {
namespace {

Revision ParseRevision(std::string_view text) {
  Revision out;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out.value);
  return error == std::errc() && end == text.data() + text.size() ? out : Revision();
}

}  // namespace

// Shared with the requests that are under way. One round at a time.
struct EtcdCompactor::Rounds : std::enable_shared_from_this<Rounds> {
  Rounds(Store& s, Clock& clock, Duration i)
      : store(s), interval(i), timers("etcd-compact", clock, Timers::AtStop::kRun) {}

  void Schedule() {
    timers.After(interval, [self = weak_from_this()] {
      if (const auto rounds = self.lock()) rounds->Begin();
    });
  }

  void Begin() {
    Transaction claim;
    {
      std::unique_lock lock(mutex);
      if (stopped) return;
      claim.conditions.push_back({kKey, last_write});
      claim.writes.push_back(
          {Write::Kind::kPut, kKey, SharedBytes(std::to_string(seen.value)), LeaseId()});
    }
    store.Commit(std::move(claim), [self = shared_from_this()](Result<CommitReply> reply) {
      self->OnClaimed(std::move(reply));
    });
  }

  void OnClaimed(Result<CommitReply> reply) {
    std::unique_lock lock(mutex);
    // Where the outcome is not known the next round finds out: if the write was done, it looks
    // like that of another server.
    if (!reply) return EndLocked(lock, reply.error().message());
    const Revision target = std::exchange(seen, reply->revision);
    if (!reply->succeeded) {
      const auto& current = reply->current.at(0);
      last_write = current ? current->mod_revision : Revision();
      if (current) RaiseLocked(ParseRevision(current->value.view()));
      return EndLocked(lock, "");
    }
    last_write = reply->revision;
    ++state.won;
    if (target == Revision() || stopped) return EndLocked(lock, "");
    lock.unlock();
    store.Compact(target, [self = shared_from_this(), target](Result<Revision> done) {
      std::unique_lock relock(self->mutex);
      // An operator may have gone further by hand.
      const bool is_done = done || done.error().reason() == StatusReason::kExpired;
      if (is_done) self->RaiseLocked(target);
      self->EndLocked(relock, is_done ? std::string() : done.error().message());
    });
  }

  void RaiseLocked(Revision revision) { state.compacted = std::max(state.compacted, revision); }

  void EndLocked(std::unique_lock<std::mutex>& lock, std::string error) {
    ++state.rounds;
    state.error = std::move(error);
    const bool go_on = !stopped;
    lock.unlock();
    if (go_on) Schedule();
  }

  Store& store;
  const Duration interval;
  mutable std::mutex mutex;
  bool stopped = false;
  Revision last_write;  // of the key, as far as this server knows
  Revision seen;        // the store's revision at the last round
  State state;
  Timers timers;
};

EtcdCompactor::EtcdCompactor(Store& store, Clock& clock, Duration interval)
    : rounds_(std::make_shared<Rounds>(store, clock, interval)) {
  if (interval > Duration(0)) rounds_->Schedule();
}

EtcdCompactor::~EtcdCompactor() {
  {
    std::unique_lock lock(rounds_->mutex);
    rounds_->stopped = true;
  }
  rounds_->timers.Stop();
}

EtcdCompactor::State EtcdCompactor::state() const {
  std::unique_lock lock(rounds_->mutex);
  return rounds_->state;
}

}  // namespace skiff::store
