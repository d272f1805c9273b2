#include "tests/store/tampering_store.h"

#include <utility>
#include <vector>

namespace skiff::testing {
namespace {

constexpr int64_t kRevisionsLost = 5;
constexpr int64_t kFarAway = 1000;

}  // namespace

class TamperingStore::Sink final : public store::WatchSink {
 public:
  Sink(TamperingStore& store, WatchSink& outer, store::Revision from)
      : store_(store), outer_(outer), from_(from) {}

  void OnEvents(std::span<const store::Event> events) override {
    std::vector<store::Event> passed;
    for (const store::Event& event : events) {
      bool deletion = event.kind == store::Event::Kind::kDelete;
      if (deletion ? store_.Strike(Tampering::kLoseDeletion) : store_.Strike(Tampering::kLoseEvent))
        continue;
      passed.push_back(event);
    }
    if (passed.empty()) return;
    if (store_.Strike(Tampering::kProgressAhead)) outer_.OnProgress(passed.back().revision());
    if (store_.Strike(Tampering::kEventFromThePast)) Fabricate(passed[0], from_.value - 1);
    outer_.OnEvents(passed);
    if (store_.Strike(Tampering::kDuplicateEvent)) outer_.OnEvents(passed);
    if (store_.Strike(Tampering::kEventFromTheFuture))
      Fabricate(passed[0], passed.back().revision().value + kFarAway);
  }
  void OnProgress(store::Revision revision) override { outer_.OnProgress(revision); }
  void OnEnd(Status why) override { outer_.OnEnd(std::move(why)); }

 private:
  void Fabricate(store::Event event, int64_t revision) {
    event.entry.mod_revision = {revision};
    outer_.OnEvents({&event, 1});
  }

  TamperingStore& store_;
  WatchSink& outer_;
  const store::Revision from_;
};

class TamperingStore::TamperedWatch final : public store::Watch {
 public:
  TamperedWatch(TamperingStore& store, store::WatchRequest request, store::WatchSink& outer)
      : sink_(store, outer, request.from),
        inner_(store.inner_.StartWatch(std::move(request), &sink_)) {}
  void RequestProgress() override { inner_->RequestProgress(); }

 private:
  Sink sink_;
  std::unique_ptr<Watch> inner_;
};

bool TamperingStore::Strike(Tampering fault) {
  return fault == fault_ && loose_ && !happened_.exchange(true);
}

store::Revision TamperingStore::Tamper(store::Revision revision) {
  if (fault_ != Tampering::kRevisionsGoBack || !loose_) return revision;
  happened_ = true;
  return store::Revision{revision.value - kRevisionsLost};
}

void TamperingStore::Range(store::RangeRequest request,
                           store::StoreCallback<store::RangeReply> done) {
  inner_.Range(std::move(request),
               [this, done = std::move(done)](Result<store::RangeReply> reply) mutable {
                 if (reply) reply->revision = Tamper(reply->revision);
                 done(std::move(reply));
               });
}

void TamperingStore::Commit(store::Transaction transaction,
                            store::StoreCallback<store::CommitReply> done) {
  bool lose = Strike(Tampering::kLoseWrite);
  if (lose) transaction.writes.clear();
  inner_.Commit(std::move(transaction),
                [this, lose, done = std::move(done)](Result<store::CommitReply> reply) mutable {
                  if (reply) reply->revision = Tamper(reply->revision);
                  if (reply && lose) {
                    reply->succeeded = true;
                    reply->revision.value++;
                  }
                  done(std::move(reply));
                });
}

void TamperingStore::Scan(store::KeyRange range, store::ScanSink* sink,
                          store::StoreCallback<store::Revision> done) {
  inner_.Scan(std::move(range), sink, std::move(done));
}

std::unique_ptr<store::Watch> TamperingStore::StartWatch(store::WatchRequest request,
                                                         store::WatchSink* sink) {
  return std::make_unique<TamperedWatch>(*this, std::move(request), *sink);
}

void TamperingStore::GrantLease(std::chrono::seconds ttl, store::LeaseId id,
                                store::StoreCallback<store::LeaseInfo> done) {
  inner_.GrantLease(ttl, id, std::move(done));
}

void TamperingStore::RenewLease(store::LeaseId id, store::StoreCallback<store::LeaseInfo> done) {
  inner_.RenewLease(id, std::move(done));
}

void TamperingStore::RevokeLease(store::LeaseId id, store::StoreCallback<store::Revision> done) {
  inner_.RevokeLease(id, std::move(done));
}

void TamperingStore::FindLease(store::LeaseId id, store::StoreCallback<store::LeaseInfo> done) {
  inner_.FindLease(id, std::move(done));
}

void TamperingStore::Compact(store::Revision revision, store::StoreCallback<store::Revision> done) {
  inner_.Compact(revision, std::move(done));
}

void TamperingStore::CurrentRevision(store::StoreCallback<store::Revision> done) {
  inner_.CurrentRevision([this, done = std::move(done)](Result<store::Revision> revision) mutable {
    if (revision) revision = Tamper(*revision);
    done(std::move(revision));
  });
}

void TamperingStore::Figures(store::StoreCallback<store::StoreFigures> done) {
  inner_.Figures(std::move(done));
}

}  // namespace skiff::testing
