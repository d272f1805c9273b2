// The cluster store: a revisioned map from keys to bytes. It is the only stateful part of Skiff.
//
// Every transaction that changes something gets the next revision: one counter for the whole store,
// which starts at 1 (an empty store; the first write is 2, as in etcd) and never repeats or goes
// back, through crashes and restores too. The store remembers old revisions until they are
// compacted; until then a range can be read, and a watch begun, at any of them.
//
// Two engines implement it and pass the same tests (tests/store): embedded/ keeps the data in a
// local directory, etcd/ talks to an etcd cluster. What they promise alike:
//
// - A commit that is answered with success is on disk and survives any crash. Its effect is visible
//   to every read that begins after the answer, and watches of an embedded store have seen its
//   events before the answer. Operations are linearizable.
// - An error tells whether something happened. kServerTimeout means that the outcome of a commit is
//   not known: it may have happened or may happen yet. After any other error nothing was changed.
//   kServiceUnavailable means that the store cannot serve that now (it is closing, read-only after
//   an I/O error, or etcd has no leader); kExpired that a revision has been compacted;
//   kRequestEntityTooLarge that a bound of limits.h was passed.
// - A revision that lies in the future is kTimeout for reads; a watch of it simply waits.
//
// Threads: everything may be called from any thread. Answers and events come on threads of the
// store, or on the caller's before the call returns; whoever receives them must be quick, must not
// block, and must not destroy the store or the watch that it is called for. Every callback is
// called exactly once; destroying the store answers what is still open with kServiceUnavailable.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/shared_bytes.h"
#include "base/status.h"

namespace skiff::store {

// A point in the store's history. Zero is none.
struct Revision {
  int64_t value = 0;
  friend auto operator<=>(Revision, Revision) = default;
};

struct LeaseId {
  int64_t value = 0;
  friend auto operator<=>(LeaseId, LeaseId) = default;
};

struct KeyValue {
  std::string key;
  SharedBytes value;
  Revision create_revision;  // of the write that made the key, since it was last absent
  Revision mod_revision;     // of the last write
  int64_t version = 0;       // writes since the key was made; 1 for the first
  LeaseId lease;             // ends the key's life when it ends; zero: none
  friend bool operator==(const KeyValue&, const KeyValue&) = default;
};

// Keys from `start` on and before `end`, in the order of their bytes. An empty end is no bound.
struct KeyRange {
  std::string start;
  std::string end;

  static KeyRange Prefix(std::string_view prefix);
  static KeyRange Single(std::string_view key);
  static KeyRange All() { return {}; }
  bool Contains(std::string_view key) const {
    return key >= start && (end.empty() || key < std::string_view(end));
  }
};

struct RangeRequest {
  KeyRange range;
  Revision at = {};   // zero: the newest
  int64_t limit = 0;  // entries; zero: all
  bool count_only = false;
  bool keys_only = false;
  // The newest state that is at hand will do, even if it is not the newest that there is. Spares
  // etcd a round of agreement; an embedded store is always current.
  bool may_be_stale = false;
};

struct RangeReply {
  Revision revision;              // the store's, when the range was read
  std::vector<KeyValue> entries;  // ascending by key
  int64_t count = 0;              // keys in the range, whatever the limit
  bool more = false;              // the limit cut entries off
};

// Holds when the last write of the key was at `expected`, or, if that is zero, when there is no
// such key.
struct Condition {
  std::string key;
  Revision expected;
};

struct Write {
  enum class Kind : uint8_t { kPut, kDelete };
  Kind kind = Kind::kPut;
  std::string key;
  SharedBytes value;
  LeaseId lease;
};

// The writes happen, all at one revision, if all conditions hold. A key may be written once.
struct Transaction {
  std::vector<Condition> conditions;
  std::vector<Write> writes;

  static Transaction CreateIfAbsent(std::string key, SharedBytes value, LeaseId lease = {});
  static Transaction UpdateIfRevision(std::string key, Revision expected, SharedBytes value,
                                      LeaseId lease = {});
  static Transaction DeleteIfRevision(std::string key, Revision expected);
};

struct CommitReply {
  bool succeeded = false;
  // Of the commit, if it changed something; otherwise the store's. Deleting absent keys changes
  // nothing and succeeds.
  Revision revision;
  // If a condition failed: what the key of each condition holds, in their order.
  std::vector<std::optional<KeyValue>> current;
};

struct Event {
  enum class Kind : uint8_t { kPut, kDelete };
  Kind kind = Kind::kPut;
  // Of a deletion: the key and, as mod_revision, the revision of the deletion.
  KeyValue entry;
  // The state before, if the watch asked for it and there was one that is not compacted.
  std::optional<KeyValue> previous;

  bool created() const { return kind == Kind::kPut && entry.create_revision == entry.mod_revision; }
  Revision revision() const { return entry.mod_revision; }
};

struct WatchRequest {
  KeyRange range;
  Revision from;  // the first revision to be told of; zero: the next
  bool previous_values = false;
};

// Receives what a watch sees. Calls come one at a time and in order of revision; all events of a
// revision come in one call; none is left out or repeated, through reconnects too.
class WatchSink {
 public:
  virtual ~WatchSink() = default;
  virtual void OnEvents(std::span<const Event> events) = 0;
  // Every event up to and including this revision has been passed to OnEvents, and every later one
  // will have a greater revision.
  virtual void OnProgress(Revision revision) = 0;
  // The last call: kExpired when the next revision has been compacted, kServiceUnavailable when the
  // store closes. Interruptions that the engine can bridge do not end a watch.
  virtual void OnEnd(Status why) = 0;
};

// Destroying it stops the watch: when the destructor returns, no call is under way and none will
// come. It must not be destroyed from within its sink.
class Watch {
 public:
  virtual ~Watch() = default;
  // Asks for an OnProgress with a revision not below the store's at the time of this call.
  virtual void RequestProgress() = 0;
};

// Receives a scan in pieces, one call at a time.
class ScanSink {
 public:
  virtual ~ScanSink() = default;
  virtual void OnEntries(std::vector<KeyValue> entries) = 0;
  // The stored bytes of a key cannot be read, or in a stretch of keys it is not even known which
  // there are (some of them may come as entries). True goes on with the rest; by default the scan
  // ends with that error, since what is left out is easily taken for what does not exist.
  virtual bool OnDamage(const KeyRange& /*where*/, const Status& /*why*/) { return false; }
};

struct LeaseInfo {
  LeaseId id;
  std::chrono::seconds granted{0};
  std::chrono::seconds remaining{0};
};

struct StoreHealth {
  bool readable = false;
  bool writable = false;
  std::string reason;  // for people: what is wrong, where, what to do; empty when all is well
  // What of the stored data cannot be read, for people; empty when there is nothing of the kind.
  // All else is served, and written.
  std::string damage = {};
  uint64_t damaged = 0;  // keys, stretches of keys and files that this speaks of
};

struct StoreFigures {
  std::string engine;  // "embedded", "etcd"
  Revision revision;
  Revision compacted;  // the oldest state that can be read is the one at this revision
  int64_t keys = 0;    // -1: not known without counting
  uint64_t bytes_on_disk = 0;
  uint64_t bytes_in_use = 0;  // what would be left after a defragmentation, as estimated
  uint64_t commits = 0;       // transactions since the start that changed something
  uint64_t syncs = 0;         // of the disk since the start; zero: not ours to count
};

template <typename T>
using StoreCallback = std::move_only_function<void(Result<T>)>;

class Store {
 public:
  virtual ~Store() = default;

  virtual void Range(RangeRequest request, StoreCallback<RangeReply> done) = 0;
  virtual void Commit(Transaction transaction, StoreCallback<CommitReply> done) = 0;

  // Every entry of the range at one revision, in pieces of bounded size and in any order: the fast
  // way to read much. `done` gets that revision after the last piece. The sink must live until
  // then.
  virtual void Scan(KeyRange range, ScanSink* sink, StoreCallback<Revision> done) = 0;

  // The sink must outlive the watch. A revision that is compacted is told through OnEnd.
  virtual std::unique_ptr<Watch> StartWatch(WatchRequest request, WatchSink* sink) = 0;

  // A lease ends, and its keys are deleted at one revision, when its time has passed without a
  // renewal, never earlier. Zero lets the store choose the id.
  virtual void GrantLease(std::chrono::seconds ttl, LeaseId id, StoreCallback<LeaseInfo> done) = 0;
  virtual void RenewLease(LeaseId id, StoreCallback<LeaseInfo> done) = 0;
  virtual void RevokeLease(LeaseId id, StoreCallback<Revision> done) = 0;
  virtual void FindLease(LeaseId id, StoreCallback<LeaseInfo> done) = 0;

  // Forgets the states before `revision`, which must not lie in the future or before the last one.
  virtual void Compact(Revision revision, StoreCallback<Revision> done) = 0;

  virtual void CurrentRevision(StoreCallback<Revision> done) = 0;
  // Whether progress marks can be believed. etcd before 3.4.31 and 3.5.13 may tell of a revision
  // whose events are still to come; with such a server RequestProgress is not answered.
  virtual bool HasReliableProgress() = 0;
  // Cheap, and answered from what is known: for health checks and metrics.
  virtual StoreHealth Health() = 0;
  virtual void Figures(StoreCallback<StoreFigures> done) = 0;
};

}  // namespace skiff::store
