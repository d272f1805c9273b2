// A store for the tests of the cache: everything in memory, on the caller's thread, at once; and
// each kind of answer can be held back, so that a test decides the order of what the cache sees.
#pragma once

#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/store.h"

namespace skiff::store {

class ScriptedStore final : public Store {
 public:
  // --- the script
  int64_t Put(const std::string& key, std::string_view value) {
    return Write({{key, SharedBytes(value)}});
  }
  int64_t Delete(const std::string& key) { return Write({{key, SharedBytes()}}); }
  // All at one revision; an empty value deletes.
  int64_t Write(std::vector<std::pair<std::string, SharedBytes>> writes) {
    std::map<std::string, KeyValue> state = states_.rbegin()->second;
    const Revision revision{states_.rbegin()->first + 1};
    std::vector<Event> events;
    for (auto& [key, value] : writes) {
      const auto old = state.find(key);
      KeyValue entry{.key = key,
                     .value = value,
                     .create_revision = revision,
                     .mod_revision = revision,
                     .version = 1,
                     .lease = {}};
      if (old != state.end()) entry.create_revision = old->second.create_revision;
      if (value.empty()) {
        state.erase(key);
        events.push_back({Event::Kind::kDelete, entry, std::nullopt});
      } else {
        state[key] = entry;
        events.push_back({Event::Kind::kPut, entry, std::nullopt});
      }
    }
    states_[revision.value] = std::move(state);
    log_.push_back({revision, std::move(events)});
    if (!hold_events) Deliver();
    return revision.value;
  }

  bool hold_events = false;     // until Deliver()
  bool hold_progress = false;   // requests for it are counted, and not answered
  bool hold_scans = false;      // until ReleaseScans()
  bool hold_ranges = false;     // until ReleaseRanges()
  bool hold_revisions = false;  // until ReleaseRevisions()
  bool reliable = true;
  bool failing = false;           // ranges and scans
  std::set<std::string> damaged;  // keys whose bytes scans and ranges cannot read
  int progress_requests = 0;
  int ranges = 0;
  int scans = 0;

  // Tells the watches of the next events, up to a revision.
  void Deliver(int64_t through = INT64_MAX) {
    for (ScriptedWatch* watch : std::vector(watches_)) watch->Deliver(through);
  }
  void TellProgress(int64_t revision) {
    for (ScriptedWatch* watch : std::vector(watches_)) watch->sink->OnProgress({revision});
  }
  void EndWatches(const Status& why) {
    for (ScriptedWatch* watch : std::exchange(watches_, {})) watch->sink->OnEnd(why);
  }
  void ReleaseScans() { Release(held_scans_); }
  void ReleaseRanges() { Release(held_ranges_); }
  void ReleaseRevisions() { Release(held_revisions_); }
  void CompactTo(int64_t revision) { compacted_ = revision; }
  // As an etcd that was restored from a backup.
  void GoBackTo(int64_t revision) {
    states_.erase(states_.upper_bound(revision), states_.end());
    while (!log_.empty() && log_.back().revision.value > revision) log_.pop_back();
    EndWatches(Status(StatusReason::kExpired, "gone back"));
  }
  int64_t revision() const { return states_.rbegin()->first; }
  size_t watch_count() const { return watches_.size(); }

  // --- the store
  void Range(RangeRequest request, StoreCallback<RangeReply> done) override {
    ++ranges;
    if (failing) return done(Fail(StatusReason::kServiceUnavailable, "no leader"));
    const int64_t at = request.at == Revision{} ? revision() : request.at.value;
    if (at > revision()) return done(Fail(StatusReason::kTimeout, "a future revision"));
    if (at < compacted_) return done(Fail(StatusReason::kExpired, "compacted"));
    RangeReply reply{.revision = {revision()}, .entries = {}};
    for (const auto& [key, entry] : StateAt(at)) {
      if (!request.range.Contains(key)) continue;
      if (damaged.contains(key)) return done(std::unexpected(DamageOf(key)));
      ++reply.count;
      if (request.limit > 0 && std::ssize(reply.entries) == request.limit) {
        reply.more = true;
      } else {
        reply.entries.push_back(entry);
      }
    }
    Call(hold_ranges, held_ranges_, [reply = std::move(reply), done = std::move(done)]() mutable {
      done(std::move(reply));
    });
  }
  void Scan(KeyRange range, ScanSink* sink, StoreCallback<Revision> done) override {
    ++scans;
    if (failing) return done(Fail(StatusReason::kServiceUnavailable, "no leader"));
    const int64_t at = revision();
    auto scan = [this, at, range = std::move(range), sink, done = std::move(done)]() mutable {
      for (const auto& [key, entry] : StateAt(at)) {
        if (!range.Contains(key)) continue;
        if (!damaged.contains(key)) {
          sink->OnEntries({entry});
        } else if (!sink->OnDamage(KeyRange::Single(key), DamageOf(key))) {
          return done(std::unexpected(DamageOf(key)));
        }
      }
      done(Revision{at});
    };
    Call(hold_scans, held_scans_, std::move(scan));
  }
  std::unique_ptr<Watch> StartWatch(WatchRequest request, WatchSink* sink) override {
    auto watch = std::make_unique<ScriptedWatch>(this, std::move(request), sink);
    if (watch->request.from.value <= compacted_) {
      std::erase(watches_, watch.get());
      sink->OnEnd(Status(StatusReason::kExpired, "compacted"));
    } else if (!hold_events) {
      watch->Deliver(INT64_MAX);
    }
    return watch;
  }
  void CurrentRevision(StoreCallback<Revision> done) override {
    Call(hold_revisions, held_revisions_,
         [at = revision(), done = std::move(done)]() mutable { done(Revision{at}); });
  }
  bool HasReliableProgress() override { return reliable; }

  void Commit(Transaction, StoreCallback<CommitReply> done) override { done(NotScripted()); }
  void GrantLease(std::chrono::seconds, LeaseId, StoreCallback<LeaseInfo> done) override {
    done(NotScripted());
  }
  void RenewLease(LeaseId, StoreCallback<LeaseInfo> done) override { done(NotScripted()); }
  void RevokeLease(LeaseId, StoreCallback<Revision> done) override { done(NotScripted()); }
  void FindLease(LeaseId, StoreCallback<LeaseInfo> done) override { done(NotScripted()); }
  void Compact(Revision, StoreCallback<Revision> done) override { done(NotScripted()); }
  StoreHealth Health() override { return {true, true, ""}; }
  void Figures(StoreCallback<StoreFigures> done) override { done(NotScripted()); }

 private:
  using Held = std::vector<std::move_only_function<void()>>;
  struct Logged {
    Revision revision;
    std::vector<Event> events;
  };

  struct ScriptedWatch final : Watch {
    ScriptedWatch(ScriptedStore* owner, WatchRequest wanted, WatchSink* whom)
        : store(owner), request(std::move(wanted)), sink(whom) {
      store->watches_.push_back(this);
    }
    ~ScriptedWatch() override { std::erase(store->watches_, this); }
    void RequestProgress() override {
      ++store->progress_requests;
      if (!store->hold_progress && !store->hold_events) sink->OnProgress({store->revision()});
    }
    void Deliver(int64_t through) {
      for (; next < store->log_.size(); ++next) {
        const Logged& logged = store->log_[next];
        if (logged.revision.value > through) return;
        if (logged.revision < request.from) continue;
        std::vector<Event> events;
        for (const Event& event : logged.events) {
          if (request.range.Contains(event.entry.key)) events.push_back(event);
        }
        if (!events.empty()) sink->OnEvents(events);
      }
    }

    ScriptedStore* store;
    WatchRequest request;
    WatchSink* sink;
    size_t next = 0;  // in the log
  };

  static Status DamageOf(const std::string& key) {
    return Status(StatusReason::kInternalError, key + " is damaged");
  }
  static std::unexpected<Status> NotScripted() {
    return Fail(StatusReason::kInternalError, "not scripted");
  }
  static void Call(bool hold, Held& held, std::move_only_function<void()> call) {
    if (hold) {
      held.push_back(std::move(call));
    } else {
      call();
    }
  }
  static void Release(Held& held) {
    for (auto& call : std::exchange(held, {})) call();
  }
  const std::map<std::string, KeyValue>& StateAt(int64_t revision) const {
    return std::prev(states_.upper_bound(revision))->second;
  }

  std::map<int64_t, std::map<std::string, KeyValue>> states_{{1, {}}};
  std::vector<Logged> log_;
  std::vector<ScriptedWatch*> watches_;
  Held held_scans_;
  Held held_ranges_;
  Held held_revisions_;
  int64_t compacted_ = 0;
};

}  // namespace skiff::store
