#include "store/embedded/embedded_store.h"

#include <string>
#include <utility>

#include "base/limits.h"
#include "store/embedded/lease_tasks.h"
#include "store/embedded/meta.h"

namespace skiff::store {

Result<std::unique_ptr<EmbeddedStore>> EmbeddedStore::Open(EmbeddedOptions options) {
  SKIFF_ASSIGN_OR_RETURN(std::unique_ptr<Engine> engine, options.open_engine());
  SKIFF_ASSIGN_OR_RETURN(const StoreMeta meta, LoadOrCreateMeta(*engine, *options.random));
  Engine* const opened = engine.get();
  std::unique_ptr<EmbeddedStore> store(
      new EmbeddedStore(std::move(options), std::move(engine), meta));
  StoreState& state = store->state_;
  if (const std::string damage = opened->Damage(); !damage.empty()) {
    state.RecordDamage("files", damage);
  }
  SKIFF_RETURN_IF_ERROR(store->leases_.Load(
      *opened, [&state](const Status& why) { state.RecordDamage("leases", why.message()); }));
  store->committer_.emplace(
      CommitterParts{&store->gate_, &store->state_, &store->reader_, store->hub_.get(),
                     &store->leases_, store->options_.clock},
      EngineRecovery{store->options_.open_engine, store->options_.probe, store->options_.random,
                     meta.cluster});
  store->maintenance_.emplace(
      StoreMaintenanceParts{&store->gate_, &store->state_, &store->reader_, &store->leases_,
                            &*store->committer_, store->options_.clock},
      StoreMaintenancePolicy{store->options_.compaction_interval, store->options_.retention,
                             store->options_.forget_early, store->options_.scrub_interval});
  store->committer_->OnLowDiskSpace([raw = store.get()] { raw->maintenance_->Wake(); });
  return store;
}

EmbeddedStore::EmbeddedStore(EmbeddedOptions options, std::unique_ptr<Engine> engine,
                             const StoreMeta& meta)
    : options_(std::move(options)),
      cluster_(meta.cluster),
      state_(meta.revision, meta.compacted, meta.keys),
      gate_(std::move(engine)),
      reader_(&gate_, &state_),
      leases_(options_.clock),
      hub_(std::make_shared<WatchHub>(&reader_, &state_, options_.clock)),
      evaluations_(&reader_, &state_, &leases_) {}

EmbeddedStore::~EmbeddedStore() {
  if (maintenance_) maintenance_->Stop();
  if (committer_) committer_->Stop();
  hub_->Stop();
}

StoreHealth EmbeddedStore::Health() {
  StoreHealth health = state_.Health();
  const Duration since(state_.writing_since.load());
  if (since > Duration(0) &&
      options_.clock->Monotonic() - since > Duration(limits::kStoreStuckAfter)) {
    health.writable = false;
    health.reason += (health.reason.empty() ? "" : "; ") +
                     std::string("the disk has not answered a write for more than ") +
                     std::to_string(limits::kStoreStuckAfter.count()) +
                     " s; see the kernel's log and what the disk is attached to";
  }
  return health;
}

void EmbeddedStore::Range(RangeRequest request, StoreCallback<RangeReply> done) {
  done(reader_.Range(request));
}

void EmbeddedStore::Commit(Transaction transaction, StoreCallback<CommitReply> done) {
  committer_->Commit(std::move(transaction), std::move(done));
}

void EmbeddedStore::Scan(KeyRange range, ScanSink* sink, StoreCallback<Revision> done) {
  done(reader_.Scan(range, sink));
}

std::unique_ptr<Watch> EmbeddedStore::StartWatch(WatchRequest request, WatchSink* sink) {
  return hub_->Start(std::move(request), sink);
}

void EmbeddedStore::GrantLease(std::chrono::seconds ttl, LeaseId id,
                               StoreCallback<LeaseInfo> done) {
  if (ttl.count() <= 0 || ttl.count() > limits::kMaxLeaseSeconds) {
    return done(BadRequest("a lease must last from 1 to " +
                           std::to_string(limits::kMaxLeaseSeconds) + " seconds"));
  }
  committer_->Submit(GrantTask(&leases_, options_.clock, options_.random, ttl, id,
                               [this, done = std::move(done)](Result<LeaseInfo> info) mutable {
                                 maintenance_->Wake();
                                 done(std::move(info));
                               }));
}

void EmbeddedStore::RenewLease(LeaseId id, StoreCallback<LeaseInfo> done) {
  const Result<LeaseRow> row = leases_.Row(id);
  if (!row) return done(std::unexpected(row.error()));
  if (row->renewed) return done(leases_.Renew(id));
  committer_->Submit(FirstRenewalTask(&leases_, id, std::move(done)));
}

void EmbeddedStore::RevokeLease(LeaseId id, StoreCallback<Revision> done) {
  committer_->Submit(RevokeTask(&leases_, id, std::move(done)));
}

void EmbeddedStore::FindLease(LeaseId id, StoreCallback<LeaseInfo> done) { done(leases_.Find(id)); }

void EmbeddedStore::Compact(Revision revision, StoreCallback<Revision> done) {
  maintenance_->Compact(revision, std::move(done));
}

void EmbeddedStore::CurrentRevision(StoreCallback<Revision> done) {
  done(Revision{state_.revision.load()});
}

Result<std::vector<std::string>> EmbeddedStore::LeaseKeys(LeaseId id) {
  SKIFF_ASSIGN_OR_RETURN(const EngineGate::Reader engine, gate_.Enter());
  const auto snapshot = engine->NewSnapshot();
  const auto cursor = snapshot->NewCursor(Family::kLease);
  const std::string prefix = AttachmentPrefix(id);
  std::vector<std::string> keys;
  for (cursor->Seek(prefix); cursor->Valid() && cursor->key().starts_with(prefix); cursor->Next()) {
    keys.emplace_back(cursor->key().substr(prefix.size()));
  }
  SKIFF_RETURN_IF_ERROR(cursor->status());
  return keys;
}

Result<LogBounds> EmbeddedStore::ScanLog(Revision through, RecordSink* sink) {
  SKIFF_ASSIGN_OR_RETURN(const EngineGate::Reader engine, gate_.Enter());
  LogBounds bounds;
  bounds.revision.value = state_.revision.load();
  if (through.value > bounds.revision.value)
    return std::unexpected(FutureError(through.value, bounds.revision.value));
  if (through.value != 0) bounds.revision = through;
  const auto snapshot = engine->NewSnapshot();
  bounds.compacted.value = state_.compacted.load();
  if (bounds.revision < bounds.compacted)
    return std::unexpected(CompactedError(bounds.revision.value, bounds.compacted.value));
  const auto cursor = snapshot->NewCursor(Family::kLog);
  int64_t last = 0;
  for (cursor->Seek(""); cursor->Valid(); cursor->Next()) {
    SKIFF_ASSIGN_OR_RETURN(const LogPosition position, DecodeLogKey(cursor->key()));
    if (position.revision > bounds.revision.value) break;
    last = position.revision;
    const Result<LogRecord> record = DecodeRecord(position, cursor->value());
    if (!record) return std::unexpected(reader_.Damaged(record.error(), "", position.revision));
    SKIFF_RETURN_IF_ERROR(sink->OnRecord(position, *record));
  }
  if (const Result<void> read = cursor->status(); !read) {
    return std::unexpected(reader_.Damaged(read.error(), "", last + 1));
  }
  return bounds;
}

Result<void> EmbeddedStore::Defragment() {
  SKIFF_ASSIGN_OR_RETURN(const EngineGate::Reader engine, gate_.Enter());
  return engine->Defragment();
}

void EmbeddedStore::Figures(StoreCallback<StoreFigures> done) {
  const Result<EngineGate::Reader> engine = gate_.Enter();
  if (!engine) return done(std::unexpected(engine.error()));
  const EngineFigures of_engine = (*engine)->Figures();
  StoreFigures figures;
  figures.engine = "embedded";
  figures.revision.value = state_.revision.load();
  figures.compacted.value = state_.compacted.load();
  figures.keys = state_.keys.load();
  figures.bytes_on_disk = of_engine.bytes_on_disk;
  figures.bytes_in_use = of_engine.bytes_in_use;
  figures.commits = state_.commits.load();
  figures.syncs = of_engine.syncs;
  done(std::move(figures));
}

}  // namespace skiff::store
