#include "store/embedded/maintenance.h"

#include <algorithm>
#include <future>
#include <string>

#include "base/limits.h"
#include "store/embedded/compaction.h"
#include "store/embedded/lease_tasks.h"

namespace skiff::store {
namespace {

constexpr Duration kCheckEvery = std::chrono::seconds(5);
constexpr Duration kRetryAfter = std::chrono::seconds(1);
// While there is little room: how often it is looked at, and how often little room is given back.
constexpr Duration kReliefPause = std::chrono::seconds(1);
constexpr Duration kReclaimPause = std::chrono::seconds(10);
// How many leases are looked at in one go.
constexpr size_t kLeasesAtOnce = 256;
// A server that was just started has better things to do than to read everything again. Later, some
// keys are read at a time, with pauses in which others have the disk.
constexpr Duration kFirstScrubAfter = std::chrono::minutes(10);
constexpr Duration kScrubPause = std::chrono::milliseconds(100);
constexpr size_t kScrubbedRows = 256;
// Within an interval of compaction the revision is looked at so many times.
constexpr int kSamplesPerInterval = 5;

}  // namespace

StoreMaintenance::StoreMaintenance(StoreMaintenanceParts parts, StoreMaintenancePolicy policy)
    : parts_(parts), policy_(policy), reclaimer_(parts.gate, parts.state) {
  const Duration now = parts_.clock->Monotonic();
  next_sample_ = now;
  next_compaction_ = now + policy_.interval;
  next_check_ = now + kCheckEvery;
  next_scrub_ = now + std::min(policy_.scrub_interval, kFirstScrubAfter);
  thread_.emplace("store-upkeep", [this] { Work(); });
}

void StoreMaintenance::Wake() {
  std::lock_guard lock(mutex_);
  woken_ = true;
  wake_.notify_one();
}

void StoreMaintenance::Compact(Revision revision, StoreCallback<Revision> done) {
  if (revision.value <= 0) {
    return done(BadRequest("the revision to compact to must be positive, not " +
                           std::to_string(revision.value)));
  }
  const int64_t now = parts_.state->revision.load();
  if (revision.value > now) return done(std::unexpected(FutureError(revision.value, now)));
  const int64_t compacted = parts_.state->compacted.load();
  if (revision.value < compacted) {
    return done(std::unexpected(CompactedError(revision.value, compacted)));
  }
  {
    std::lock_guard lock(mutex_);
    if (!stopping_) {
      waiters_.push_back({revision.value, std::move(done)});
      woken_ = true;
      wake_.notify_one();
      return;
    }
  }
  done(Fail(StatusReason::kServiceUnavailable, "the store is closing"));
}

void StoreMaintenance::Work() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    woken_ = false;
    lock.unlock();
    CheckEngine();
    Observe();
    RelieveDisk();
    const Duration now = parts_.clock->Monotonic();
    if (now >= retry_at_ && !EndLeases()) retry_at_ = now + kRetryAfter;
    const bool more = CompactSome();
    ScrubSome();
    lock.lock();
    while (!more && !stopping_ && !woken_ && parts_.clock->Monotonic() < NextWakeUp()) {
      parts_.clock->WaitUntil(wake_, lock, NextWakeUp());
    }
  }
}

bool StoreMaintenance::CompactSome() {
  int64_t target = target_;
  {
    std::lock_guard lock(mutex_);
    for (const Waiter& waiter : waiters_) target = std::max(target, waiter.target);
  }
  Result<void> done;
  const bool has_work = target > parts_.state->swept.load();
  if (has_work) done = CompactOneStep(target);
  if (!done) target_ = 0;  // until the next interval
  AnswerCompactions(done);
  // Room that can be given back is, without a pause.
  if (has_work && is_pressed_ && !reclaimer_.at_work() &&
      parts_.state->dead_bytes.load() >= limits::kStoreReclaimBytes) {
    next_relief_ = Duration(0);
  }
  return done && target > parts_.state->swept.load();
}

Duration StoreMaintenance::NextWakeUp() {
  Duration next = std::min(std::min(next_check_, next_relief_),
                           std::max(parts_.leases->NextDeadline(), retry_at_));
  if (policy_.interval > Duration(0)) next = std::min({next, next_sample_, next_compaction_});
  if (policy_.scrub_interval > Duration(0)) next = std::min(next, next_scrub_);
  return next;
}

Result<void> StoreMaintenance::EndLeases() {
  while (true) {
    std::vector<LeaseId> due = parts_.leases->Due(kLeasesAtOnce);
    if (due.empty()) return {};
    std::promise<Result<Revision>> ended;
    std::future<Result<Revision>> answer = ended.get_future();
    parts_.committer->Submit(
        ExpireTask(parts_.leases, std::move(due),
                   [&](Result<Revision> result) { ended.set_value(std::move(result)); }));
    SKIFF_RETURN_IF_ERROR(answer.get());
    std::lock_guard lock(mutex_);
    if (stopping_) return {};
  }
}

Result<void> StoreMaintenance::CompactOneStep(int64_t target) {
  SKIFF_ASSIGN_OR_RETURN(CompactionStep step, PlanCompaction(*parts_.gate, *parts_.reader,
                                                             parts_.state->swept.load(), target));
  std::promise<Result<Revision>> compacted;
  std::future<Result<Revision>> answer = compacted.get_future();
  parts_.committer->Submit(
      CompactionTask(parts_.state, std::move(step),
                     [&](Result<Revision> result) { compacted.set_value(std::move(result)); }));
  SKIFF_RETURN_IF_ERROR(answer.get());
  return {};
}

void StoreMaintenance::AnswerCompactions(const Result<void>& done) {
  std::vector<Waiter> answered;
  {
    std::lock_guard lock(mutex_);
    const int64_t swept = parts_.state->swept.load();
    const auto rest =
        std::stable_partition(waiters_.begin(), waiters_.end(),
                              [&](const Waiter& waiter) { return done && waiter.target > swept; });
    std::move(rest, waiters_.end(), std::back_inserter(answered));
    waiters_.erase(rest, waiters_.end());
  }
  for (Waiter& waiter : answered) {
    if (done) {
      waiter.done(Revision{waiter.target});
    } else {
      waiter.done(std::unexpected(done.error()));
    }
  }
}

void StoreMaintenance::CheckEngine() {
  const Duration now = parts_.clock->Monotonic();
  if (now < next_check_) return;
  next_check_ = now + kCheckEvery;
  const Result<EngineGate::Reader> engine = parts_.gate->Enter();
  if (!engine) return;
  if (const Result<void> health = (*engine)->Health(); !health) {
    parts_.committer->ReportEngineError(health.error());
  }
  if (const std::string damage = (*engine)->Damage(); !damage.empty()) {
    parts_.state->RecordDamage("files", damage);
  }
}

void StoreMaintenance::ScrubSome() {
  // Whatever is damaged the reader notes.
  class Nowhere final : public ScanSink {
   public:
    void OnEntries(std::vector<KeyValue> /*entries*/) override {}
    bool OnDamage(const KeyRange& /*where*/, const Status& /*why*/) override { return true; }
  };
  const Duration now = parts_.clock->Monotonic();
  if (policy_.scrub_interval <= Duration(0) || now < next_scrub_) return;
  Nowhere sink;
  const Result<std::string> next = parts_.reader->ScanSome({scrub_from_, ""}, kScrubbedRows, &sink);
  scrub_from_ = next.value_or(std::string());
  // An engine that is away is asked again with the next round.
  next_scrub_ = now + (scrub_from_.empty() ? policy_.scrub_interval : kScrubPause);
}

void StoreMaintenance::RelieveDisk() {
  const Duration now = parts_.clock->Monotonic();
  const Result<EngineGate::Reader> engine = parts_.gate->Enter();
  // When room becomes little, writers tell, and it is looked at before its time.
  const bool is_news = !is_pressed_ && engine && (*engine)->room() != DiskSpace::kPlenty;
  if (now < next_relief_ && !is_news) return;
  next_relief_ = now + kCheckEvery;
  if (!engine) return;
  const DiskSpace room = (*engine)->MeasureDiskSpace();
  parts_.state->SetDiskSpace(room);
  is_pressed_ = room != DiskSpace::kPlenty;
  if (IsWorthReclaiming(**engine, room)) {
    reclaimed_at_ = now;
    reclaimer_.Start();
  }
  if (!is_pressed_) return;
  next_relief_ = now + kReliefPause;
  if (policy_.relieves_disk) target_ = std::max(target_, parts_.state->revision.load());
}

bool StoreMaintenance::IsWorthReclaiming(Engine& engine, DiskSpace room) {
  if (reclaimer_.at_work()) return false;
  const uint64_t dead = parts_.state->dead_bytes.load();
  if (room == DiskSpace::kPlenty) {
    return dead >= limits::kStoreReclaimUnasked && dead >= engine.Figures().bytes_on_disk / 2;
  }
  if (dead >= limits::kStoreReclaimBytes || (!reclaimed_at_ && !TakesAll(room))) return true;
  return dead > 0 &&
         parts_.clock->Monotonic() >= reclaimed_at_.value_or(Duration(0)) + kReclaimPause;
}

void StoreMaintenance::Observe() {
  const Duration now = parts_.clock->Monotonic();
  if (policy_.interval <= Duration(0)) return;
  if (now >= next_sample_) {
    next_sample_ = now + policy_.interval / kSamplesPerInterval;
    samples_.push_back({now, parts_.state->revision.load()});
    // Of those that are old enough only the newest matters.
    while (samples_.size() > 1 && samples_[1].time <= now - policy_.retention) samples_.pop_front();
  }
  if (now < next_compaction_) return;
  next_compaction_ = now + policy_.interval;
  if (!samples_.empty() && samples_.front().time <= now - policy_.retention) {
    target_ = samples_.front().revision;
  }
}

void StoreMaintenance::Stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
  }
  thread_.reset();
  reclaimer_.Stop();
  AnswerCompactions(Fail(StatusReason::kServiceUnavailable, "the store is closing"));
}

}  // namespace skiff::store
