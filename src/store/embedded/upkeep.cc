#include "store/embedded/upkeep.h"

#include <algorithm>
#include <future>
#include <string>

#include "store/embedded/compaction.h"
#include "store/embedded/lease_tasks.h"

namespace skiff {
namespace {

constexpr Duration kCheckEvery = std::chrono::seconds(5);
constexpr Duration kRetryAfter = std::chrono::seconds(1);
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

Upkeep::Upkeep(UpkeepParts parts, const UpkeepTimes& times)
    : parts_(parts),
      interval_(times.compaction_interval),
      retention_(times.retention),
      scrub_interval_(times.scrub_interval) {
  const Duration now = parts_.clock->Monotonic();
  next_sample_ = now;
  next_compaction_ = now + interval_;
  next_check_ = now + kCheckEvery;
  next_scrub_ = now + std::min(scrub_interval_, kFirstScrubAfter);
  thread_.emplace("store-upkeep", [this] { Work(); });
}

void Upkeep::Wake() {
  std::lock_guard lock(mutex_);
  woken_ = true;
  wake_.notify_one();
}

void Upkeep::Compact(Revision revision, StoreCallback<Revision> done) {
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

void Upkeep::Work() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    woken_ = false;
    lock.unlock();
    CheckEngine();
    Observe();
    const Duration now = parts_.clock->Monotonic();
    if (now >= retry_at_ && !EndLeases()) retry_at_ = now + kRetryAfter;
    const bool more = CompactSome();
    ScrubSome();
    lock.lock();
    while (!more && !stopping_ && !woken_ && parts_.clock->Monotonic() < NextMoment()) {
      parts_.clock->WaitUntil(wake_, lock, NextMoment());
    }
  }
}

bool Upkeep::CompactSome() {
  int64_t target = target_;
  {
    std::lock_guard lock(mutex_);
    for (const Waiter& waiter : waiters_) target = std::max(target, waiter.target);
  }
  Result<void> done;
  if (target > parts_.state->swept.load()) done = CompactOneStep(target);
  if (!done) target_ = 0;  // until the next interval
  AnswerCompactions(done);
  return done && target > parts_.state->swept.load();
}

Duration Upkeep::NextMoment() {
  Duration next = std::min(next_check_, std::max(parts_.leases->NextDeadline(), retry_at_));
  if (interval_ > Duration(0)) next = std::min({next, next_sample_, next_compaction_});
  if (scrub_interval_ > Duration(0)) next = std::min(next, next_scrub_);
  return next;
}

Result<void> Upkeep::EndLeases() {
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

Result<void> Upkeep::CompactOneStep(int64_t target) {
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

void Upkeep::AnswerCompactions(const Result<void>& done) {
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

void Upkeep::CheckEngine() {
  const Duration now = parts_.clock->Monotonic();
  if (now < next_check_) return;
  next_check_ = now + kCheckEvery;
  const Result<EngineGate::Reader> engine = parts_.gate->Enter();
  if (!engine) return;
  if (const Result<void> health = (*engine)->Health(); !health) {
    parts_.committer->ReportEngineError(health.error());
  }
  if (const std::string damage = (*engine)->Damage(); !damage.empty()) {
    parts_.state->NoteDamage("files", damage);
  }
}

void Upkeep::ScrubSome() {
  // Whatever is damaged the reader notes.
  class Nowhere final : public ScanSink {
   public:
    void OnEntries(std::vector<KeyValue> /*entries*/) override {}
    bool OnDamage(const KeyRange& /*where*/, const Status& /*why*/) override { return true; }
  };
  const Duration now = parts_.clock->Monotonic();
  if (scrub_interval_ <= Duration(0) || now < next_scrub_) return;
  Nowhere sink;
  const Result<std::string> next = parts_.reader->ScanSome({scrub_from_, ""}, kScrubbedRows, &sink);
  scrub_from_ = next.value_or(std::string());
  // An engine that is away is asked again with the next round.
  next_scrub_ = now + (scrub_from_.empty() ? scrub_interval_ : kScrubPause);
}

void Upkeep::Observe() {
  const Duration now = parts_.clock->Monotonic();
  if (interval_ <= Duration(0)) return;
  if (now >= next_sample_) {
    next_sample_ = now + interval_ / kSamplesPerInterval;
    samples_.push_back({now, parts_.state->revision.load()});
    // Of those that are old enough only the newest matters.
    while (samples_.size() > 1 && samples_[1].time <= now - retention_) samples_.pop_front();
  }
  if (now < next_compaction_) return;
  next_compaction_ = now + interval_;
  if (!samples_.empty() && samples_.front().time <= now - retention_) {
    target_ = samples_.front().revision;
  }
}

void Upkeep::Stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
  }
  thread_.reset();
  AnswerCompactions(Fail(StatusReason::kServiceUnavailable, "the store is closing"));
}

}  // namespace skiff
