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

class TamperingStore final : public store::Store {
 public:
  TamperingStore(Store& inner, Tampering fault) : inner_(inner), fault_(fault) {}

  // The fault may happen from now on.
  void LetLoose() { loose_ = true; }
  // Whether it has happened.
  bool happened() const { return happened_; }

  void Range(store::RangeRequest request, store::StoreCallback<store::RangeReply> done) override;
  void Commit(store::Transaction transaction,
              store::StoreCallback<store::CommitReply> done) override;
  void Scan(store::KeyRange range, store::ScanSink* sink,
            store::StoreCallback<store::Revision> done) override;
  std::unique_ptr<store::Watch> StartWatch(store::WatchRequest request,
                                           store::WatchSink* sink) override;
  void GrantLease(std::chrono::seconds ttl, store::LeaseId id,
                  store::StoreCallback<store::LeaseInfo> done) override;
  void RenewLease(store::LeaseId id, store::StoreCallback<store::LeaseInfo> done) override;
  void RevokeLease(store::LeaseId id, store::StoreCallback<store::Revision> done) override;
  void FindLease(store::LeaseId id, store::StoreCallback<store::LeaseInfo> done) override;
  void Compact(store::Revision revision, store::StoreCallback<store::Revision> done) override;
  void CurrentRevision(store::StoreCallback<store::Revision> done) override;
  bool HasReliableProgress() override { return inner_.HasReliableProgress(); }
  store::StoreHealth Health() override { return inner_.Health(); }
  void Figures(store::StoreCallback<store::StoreFigures> done) override;

 private:
  class Sink;
  class TamperedWatch;

  // True once, when the fault is `fault` and loose.
  bool Strike(Tampering fault);
  store::Revision Tamper(store::Revision revision);

  Store& inner_;
  const Tampering fault_;
  std::atomic<bool> loose_ = false;
  std::atomic<bool> happened_ = false;
};

}  // namespace skiff::testing
