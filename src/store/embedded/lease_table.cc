#include "store/embedded/lease_table.h"

#include <algorithm>
#include <memory>
#include <string>

#include "store/embedded/walk.h"

namespace skiff::store {

namespace {

using FoundLeases = std::map<LeaseId, LeaseRow>;

// The lease where the cursor stands.
Result<LeaseId> TakeLease(const EngineCursor& cursor, FoundLeases* found) {
  SKIFF_ASSIGN_OR_RETURN(const LeaseId id, DecodeLeaseKey(cursor.key()));
  SKIFF_ASSIGN_OR_RETURN((*found)[id], DecodeLeaseRow(cursor.key(), cursor.value()));
  return id;
}

Status UnreadableLeases(const Status& why) {
  return Status(
      why.reason(),
      "leases cannot be read, and their keys stay until they are deleted: " + why.message());
}

}  // namespace

Result<void> LeaseTable::Load(Engine& engine, const std::function<void(const Status&)>& on_damage) {
  FoundLeases found;
  const auto snapshot = engine.NewSnapshot();
  const auto cursor = snapshot->NewCursor(Family::kLease);
  int64_t next = 0;
  cursor->Seek("");
  while (true) {
    for (; cursor->Valid() && cursor->key() < kLeaseKeysEnd; cursor->Next()) {
      const Result<LeaseId> id = TakeLease(*cursor, &found);
      if (!id) on_damage(UnreadableLeases(id.error()));
      if (id) next = id->value;
    }
    const Result<void> status = cursor->status();
    if (status) break;
    if (!IsDamage(status.error())) return status;
    on_damage(UnreadableLeases(status.error()));
    const auto readable =
        SeekPastDamage(*cursor, next, INT64_MAX, [](int64_t number) { return LeaseKey({number}); });
    if (!readable) break;
    next = *readable;
  }

  std::lock_guard lock(mutex_);
  for (auto at = leases_.begin(); at != leases_.end();) {
    if (found.contains(at->first)) {
      at->second.row = found[at->first];
      ++at;
    } else {
      by_deadline_.erase({at->second.deadline, at->first});
      at = leases_.erase(at);
    }
  }
  for (const auto& [id, row] : found) {
    if (leases_.contains(id)) continue;
    const Duration full = std::chrono::seconds(row.ttl_seconds);
    const Duration left = Duration(row.wall_expiry_ns) - clock_->Wall();
    Insert(id, row, row.renewed ? full : std::clamp(left, Duration(0), full));
  }
  return {};
}

void LeaseTable::Insert(LeaseId id, const LeaseRow& row, Duration left) {
  const Duration deadline = DeadlineAfter(clock_->Monotonic(), left);
  leases_[id] = {row, deadline};
  by_deadline_.insert({deadline, id});
}

void LeaseTable::Add(LeaseId id, const LeaseRow& row) {
  std::lock_guard lock(mutex_);
  Insert(id, row, std::chrono::seconds(row.ttl_seconds));
}

void LeaseTable::Remove(LeaseId id) {
  std::lock_guard lock(mutex_);
  const auto at = leases_.find(id);
  if (at == leases_.end()) return;
  by_deadline_.erase({at->second.deadline, id});
  leases_.erase(at);
}

void LeaseTable::SetRenewed(LeaseId id) {
  std::lock_guard lock(mutex_);
  if (const auto at = leases_.find(id); at != leases_.end()) at->second.row.renewed = true;
}

bool LeaseTable::Exists(LeaseId id) {
  std::lock_guard lock(mutex_);
  return leases_.contains(id);
}

Result<LeaseTable::Leases::iterator> LeaseTable::Get(LeaseId id) {
  const auto at = leases_.find(id);
  if (at != leases_.end() && at->second.deadline > clock_->Monotonic()) return at;
  return Fail(StatusReason::kNotFound,
              "there is no lease " + std::to_string(id.value) + ": it ended or was never granted");
}

LeaseInfo LeaseTable::Info(LeaseId id, const Lease& lease) {
  return {id, std::chrono::seconds(lease.row.ttl_seconds),
          std::chrono::ceil<std::chrono::seconds>(lease.deadline - clock_->Monotonic())};
}

Result<LeaseInfo> LeaseTable::Find(LeaseId id) {
  std::lock_guard lock(mutex_);
  SKIFF_ASSIGN_OR_RETURN(const auto at, Get(id));
  return Info(id, at->second);
}

std::vector<LeaseInfo> LeaseTable::List() {
  std::lock_guard lock(mutex_);
  std::vector<LeaseInfo> all;
  const Duration now = clock_->Monotonic();
  for (const auto& [id, lease] : leases_) {
    if (lease.deadline > now) all.push_back(Info(id, lease));
  }
  return all;
}

Result<LeaseRow> LeaseTable::Row(LeaseId id) {
  std::lock_guard lock(mutex_);
  SKIFF_ASSIGN_OR_RETURN(const auto at, Get(id));
  return at->second.row;
}

Result<LeaseInfo> LeaseTable::Renew(LeaseId id) {
  std::lock_guard lock(mutex_);
  SKIFF_ASSIGN_OR_RETURN(const auto at, Get(id));
  Lease& lease = at->second;
  by_deadline_.erase({lease.deadline, id});
  lease.deadline = DeadlineAfter(clock_->Monotonic(), std::chrono::seconds(lease.row.ttl_seconds));
  by_deadline_.insert({lease.deadline, id});
  return Info(id, lease);
}

std::vector<LeaseId> LeaseTable::Due(size_t count) {
  std::lock_guard lock(mutex_);
  std::vector<LeaseId> due;
  const Duration now = clock_->Monotonic();
  for (const auto& [deadline, id] : by_deadline_) {
    if (deadline > now || due.size() >= count) break;
    due.push_back(id);
  }
  return due;
}

bool LeaseTable::IsDue(LeaseId id) {
  std::lock_guard lock(mutex_);
  const auto at = leases_.find(id);
  return at != leases_.end() && at->second.deadline <= clock_->Monotonic();
}

Duration LeaseTable::NextDeadline() {
  std::lock_guard lock(mutex_);
  return by_deadline_.empty() ? Clock::kForever : by_deadline_.begin()->first;
}

}  // namespace skiff::store
