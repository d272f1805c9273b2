#include "store/embedded/batch_builder.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "store/embedded/meta.h"

namespace skiff {
namespace {

bool IsLive(const std::optional<CurrentRow>& row) { return row && !row->deleted; }

}  // namespace

void BatchBuilder::Begin(int64_t revision, int64_t keys) {
  if (batch_ == nullptr) batch_ = engine_->NewBatch();
  batch_->Clear();
  first_revision_ = revision_ = revision;
  first_keys_ = keys_ = keys;
  rows_.clear();
  written_.clear();
  own_writes_.clear();
  removed_.clear();
}

Result<std::optional<CurrentRow>*> BatchBuilder::Find(std::string_view key) {
  const auto [at, is_new] = rows_.try_emplace(key);
  if (!is_new) return &at->second;
  at->second = cache_.Find(key);
  if (at->second) return &at->second;
  Result<bool> found = engine_->Get(Family::kCurrent, key, &scratch_);
  Result<void> good = found ? Result<void>() : std::unexpected(found.error());
  if (good && *found) {
    Result<CurrentRow> row = DecodeCurrentRow(key, scratch_);
    if (row) {
      at->second = *row;
    } else {
      good = std::unexpected(row.error());
    }
  }
  if (good) return &at->second;
  rows_.erase(at);
  return std::unexpected(good.error());
}

Result<bool> BatchBuilder::ConditionsHold(const Transaction& transaction,
                                          TransactionOutcome* outcome) {
  bool hold = true;
  for (const Condition& condition : transaction.conditions) {
    SKIFF_ASSIGN_OR_RETURN(const auto* row, Find(condition.key));
    const int64_t revision = IsLive(*row) ? (*row)->position.revision : 0;
    hold = hold && revision == condition.expected.value;
  }
  if (hold) return true;
  for (const Condition& condition : transaction.conditions) {
    SKIFF_ASSIGN_OR_RETURN(const auto* row, Find(condition.key));
    outcome->current.push_back(IsLive(*row) ? std::optional((*row)->position) : std::nullopt);
  }
  return false;
}

Result<bool> BatchBuilder::ChangesSomething(const Transaction& transaction) {
  bool changes = false;
  for (const Write& write : transaction.writes) {
    SKIFF_ASSIGN_OR_RETURN(const auto* row, Find(write.key));
    changes = changes || write.kind == Write::Kind::kPut || IsLive(*row);
    if (write.kind == Write::Kind::kPut && write.lease.value != 0 &&
        !leases_->Exists(write.lease)) {
      return Fail(StatusReason::kNotFound,
                  "the key " + Quoted(write.key) + " is to be put under lease " +
                      std::to_string(write.lease.value) + ", which ended or was never granted");
    }
  }
  return changes;
}

Result<TransactionOutcome> BatchBuilder::Add(const Transaction& transaction) {
  TransactionOutcome outcome;
  SKIFF_ASSIGN_OR_RETURN(outcome.succeeded, ConditionsHold(transaction, &outcome));
  if (outcome.succeeded) {
    SKIFF_ASSIGN_OR_RETURN(const bool changes, ChangesSomething(transaction));
    if (changes) {
      ++revision_;
      uint32_t op = 0;
      for (const Write& write : transaction.writes) {
        SKIFF_ASSIGN_OR_RETURN(const auto* row, Find(write.key));
        if (write.kind == Write::Kind::kDelete && !IsLive(*row)) continue;
        SKIFF_RETURN_IF_ERROR(Append(write, op++));
      }
    }
  }
  outcome.revision = revision_;
  return outcome;
}

Result<bool> BatchBuilder::DeleteAll(std::vector<std::string> keys) {
  bool changed = false;
  uint32_t op = 0;
  for (std::string& key : keys) {
    Write& write = own_writes_.emplace_back(Write{Write::Kind::kDelete, std::move(key), {}, {}});
    SKIFF_ASSIGN_OR_RETURN(const auto* row, Find(write.key));
    if (!IsLive(*row)) continue;
    if (!std::exchange(changed, true)) ++revision_;
    SKIFF_RETURN_IF_ERROR(Append(write, op++));
  }
  return changed;
}

// All that can fail has been done before: the row is at hand.
Result<void> BatchBuilder::Append(const Write& write, uint32_t op) {
  SKIFF_ASSIGN_OR_RETURN(std::optional<CurrentRow>* const row, Find(write.key));
  const bool is_put = write.kind == Write::Kind::kPut;
  const bool was_live = IsLive(*row);
  const LogPosition position{revision_, op};
  const LogPosition previous = *row ? (*row)->position : LogPosition();
  const LeaseId old_lease = was_live ? (*row)->lease : LeaseId();

  CurrentRow next;
  next.position = position;
  next.deleted = !is_put;
  if (is_put) {
    next.create_revision = was_live ? (*row)->create_revision : revision_;
    next.version = was_live ? (*row)->version + 1 : 1;
    next.lease = write.lease;
  }
  const LogRecord record{write.kind,
                         next.create_revision,
                         next.version,
                         next.lease,
                         previous,
                         write.key,
                         is_put ? write.value.view() : std::string_view()};
  EncodeRecord(position, record, &scratch_);
  batch_->Put(Family::kLog, LogKey(position), scratch_);
  batch_->Put(Family::kCurrent, write.key, CurrentRowBytes(write.key, next));
  if (old_lease != next.lease) {
    if (old_lease.value != 0) {
      batch_->Delete(Family::kLease, AttachmentKey(old_lease, write.key));
    }
    if (next.lease.value != 0) {
      batch_->Put(Family::kLease, AttachmentKey(next.lease, write.key), "");
    }
  }
  keys_ += static_cast<int>(is_put) - static_cast<int>(was_live);
  written_.push_back({write.kind, position, next.create_revision, next.version, next.lease,
                      was_live ? previous : LogPosition(), write.key,
                      is_put ? &write.value : nullptr});
  *row = next;
  return {};
}

void BatchBuilder::RemoveRow(std::string_view key) {
  batch_->Delete(Family::kCurrent, key);
  removed_.emplace_back(key);
}

void BatchBuilder::Written() {
  for (const auto& [key, row] : rows_) {
    if (row) cache_.Put(key, *row);
  }
  for (const std::string& key : removed_) cache_.Remove(key);
}

EngineBatch* BatchBuilder::Finish() {
  if (revision_ != first_revision_) PutMeta(*batch_, kMetaRevision, revision_);
  if (keys_ != first_keys_) PutMeta(*batch_, kMetaKeys, keys_);
  return batch_->bytes() == 0 ? nullptr : batch_.get();
}

}  // namespace skiff
