// A store that passes everything on to another and does one thing wrong: for tests that show that a
// check can fail. Each fault is one that etcd has had.
//
// Watches that are begun through it misbehave once, with the first event that fits after the fault
// has been let loose; so do its answers. Thread-safe, as stores are.
#pragma once

#include <atomic>
#include <memory>
#include <string_view>

#include "store/store.h"

namespace skiff::testing {

enum class Tampering : uint8_t {
  kNone,
  kLoseEvent,  // one that is not a deletion
  kLoseDeletion,
  kDuplicateEvent,
  kProgressAhead,       // a mark comes before the events that it covers
  kEventFromTheFuture,  // an event of a revision that has not been
  kEventFromThePast,    // an event from before the start of the watch
  kRevisionsGoBack,     // all answers from then on
  kLoseWrite,           // a write is acknowledged and not done
};

class TamperingStore final : public Store {
 public:
  TamperingStore(Store& inner, Tampering fault) : inner_(inner), fault_(fault) {}

  // The fault may happen from now on.
  void LetLoose() { loose_ = true; }
  // Whether it has happened.
  bool happened() const { return happened_; }

  void Range(RangeRequest request, StoreCallback<RangeReply> done) override;
  void Commit(Transaction transaction, StoreCallback<CommitReply> done) override;
  void Scan(KeyRange range, ScanSink* sink, StoreCallback<Revision> done) override;
  std::unique_ptr<Watch> StartWatch(WatchRequest request, WatchSink* sink) override;
  void GrantLease(std::chrono::seconds ttl, LeaseId id, StoreCallback<LeaseInfo> done) override;
  void RenewLease(LeaseId id, StoreCallback<LeaseInfo> done) override;
  void RevokeLease(LeaseId id, StoreCallback<Revision> done) override;
  void FindLease(LeaseId id, StoreCallback<LeaseInfo> done) override;
  void Compact(Revision revision, StoreCallback<Revision> done) override;
  void CurrentRevision(StoreCallback<Revision> done) override;
  bool HasReliableProgress() override { return inner_.HasReliableProgress(); }
  StoreHealth Health() override { return inner_.Health(); }
  void Figures(StoreCallback<StoreFigures> done) override;

 private:
  class Sink;
  class TamperedWatch;

  // True once, when the fault is `fault` and loose.
  bool Strike(Tampering fault);
  Revision Tamper(Revision revision);

  Store& inner_;
  const Tampering fault_;
  std::atomic<bool> loose_ = false;
  std::atomic<bool> happened_ = false;
};

}  // namespace skiff::testing
