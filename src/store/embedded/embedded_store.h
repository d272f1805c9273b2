// The cluster store in one process: revisions, transactions, watches and leases on a storage engine
// in a local directory. See record.h for what it writes and store.h for what it promises.
//
// Reads happen on the caller's thread. Answers to writes, and the events of watches that are up to
// date, come from one thread, the committer, which has a second one write to the disk meanwhile.
// Watches that begin in the past are caught up by a third; a fourth ends leases and compacts. After
// an error of the disk the store is read-only until it could open a new engine on the same
// directory; Health() says why.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/random.h"
#include "store/embedded/committer.h"
#include "store/embedded/engine.h"
#include "store/embedded/engine_gate.h"
#include "store/embedded/evaluation_queue.h"
#include "store/embedded/lease_table.h"
#include "store/embedded/maintenance.h"
#include "store/embedded/meta.h"
#include "store/embedded/reader.h"
#include "store/embedded/store_state.h"
#include "store/embedded/watch_hub.h"
#include "store/store.h"

namespace skiff::store {

struct EmbeddedOptions {
  // Opens the engine; called again when it has to be replaced, after the last one was destroyed.
  std::function<Result<std::unique_ptr<Engine>>()> open_engine;
  // Whether opening the engine anew has a chance, such as free space on the disk. Asked while the
  // failed one still serves reads; may be left out.
  std::function<Result<void>()> probe;
  Clock* clock = nullptr;
  Random* random = nullptr;
  // How often old states are compacted; zero: only when asked to. What is younger than the
  // retention is kept.
  Duration compaction_interval = std::chrono::minutes(5);
  Duration retention = std::chrono::minutes(5);
  // How often everything that is stored is read, a little at a time, to find what is damaged before
  // it is needed; zero: never.
  Duration scrub_interval = std::chrono::hours(24);
  // With little room on the disk, old states are forgotten all the same, down to the newest.
  bool forget_early = true;
};

// Receives the log, record by record. The record's views are valid during the call.
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  // An error ends the scan.
  virtual Result<void> OnRecord(LogPosition position, const LogRecord& record) = 0;
};

struct LogBounds {
  Revision revision;   // the last one that the log was read to
  Revision compacted;  // below this it has gaps
};

class EmbeddedStore final : public Store {
 public:
  static Result<std::unique_ptr<EmbeddedStore>> Open(EmbeddedOptions options);
  ~EmbeddedStore() override;

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
  bool HasReliableProgress() override { return true; }
  StoreHealth Health() override;
  void Figures(StoreCallback<StoreFigures> done) override;

  // A transaction that reads before it decides what to write, in one step: `evaluate` runs on the
  // store's own thread, and nothing is written between its reads and its writes. It must be quick.
  // `done` gets the revision of the transaction, or the store's if it changed nothing.
  void Evaluate(Evaluation evaluate, StoreCallback<Revision> done) {
    evaluations_.Add(*committer_, std::move(evaluate), std::move(done));
  }

  // As of now, at no cost.
  Revision revision() const { return {state_.revision.load()}; }
  Revision compacted() const { return {state_.compacted.load()}; }
  bool LeaseExists(LeaseId id) { return leases_.Exists(id); }

  // Those that have not ended, and the keys of one.
  std::vector<LeaseInfo> Leases() { return leases_.List(); }
  Result<std::vector<std::string>> LeaseKeys(LeaseId id);

  // All that is left of the log, as of one revision and not beyond `through` (zero: the newest).
  Result<LogBounds> ScanLog(Revision through, RecordSink* sink);

  // Rewrites the files so that nothing dead is left in them; takes its time.
  Result<void> Defragment();

  // A number that tells this store from others, made when it was first opened.
  int64_t cluster() const { return cluster_; }

 private:
  EmbeddedStore(EmbeddedOptions options, std::unique_ptr<Engine> engine, const StoreMeta& meta);

  const EmbeddedOptions options_;
  const int64_t cluster_;
  StoreState state_;
  EngineGate gate_;
  StoreReader reader_;
  LeaseTable leases_;
  std::shared_ptr<WatchHub> hub_;
  EvaluationQueue evaluations_;
  std::optional<Committer> committer_;
  std::optional<StoreMaintenance> maintenance_;
};

}  // namespace skiff::store
