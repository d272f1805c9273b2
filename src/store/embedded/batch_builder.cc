#include "store/embedded/batch_builder.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "base/strings.h"
#include "store/embedded/meta.h"
#include "store/embedded/walk.h"

namespace skiff::store {
namespace {

// At a time: little enough for nobody to notice the wait.
constexpr size_t kWarmUpRows = 256;

bool IsLive(const std::optional<CurrentRow>& row) { return row && !row->deleted; }

}  // namespace

EngineBatch* PreparedBatch::Seal() {
  if (revision_ != first_revision_) PutMeta(*batch_, kMetaRevision, revision_);
  if (keys_ != first_keys_) PutMeta(*batch_, kMetaKeys, keys_);
  return batch_->bytes() == 0 ? nullptr : batch_.get();
}

void BatchBuilder::Begin(PreparedBatch* batch, int64_t revision, int64_t keys) {
  if (batch->batch_ == nullptr) batch->batch_ = engine_->NewBatch();
  batch->batch_->Clear();
  batch->first_revision_ = batch->revision_ = revision;
  batch->first_keys_ = batch->keys_ = keys;
  batch->rows_.clear();
  batch->written_.clear();
  batch->own_writes_.clear();
  batch->removed_.clear();
}

void BatchBuilder::Continue(PreparedBatch* batch, const PreparedBatch* earlier) {
  batch_ = batch;
  earlier_ = earlier;
}

Result<std::optional<CurrentRow>*> BatchBuilder::Find(std::string_view key) {
  const auto [at, is_new] = batch_->rows_.try_emplace(key);
  if (!is_new) return &at->second;
  if (Result<void> read = Read(key, &at->second); !read) {
    batch_->rows_.erase(at);
    return std::unexpected(std::move(read).error());
  }
  return &at->second;
}

Result<void> BatchBuilder::Read(std::string_view key, std::optional<CurrentRow>* row) {
  if (earlier_ != nullptr) {
    if (const auto at = earlier_->rows_.find(key); at != earlier_->rows_.end()) {
      *row = at->second;
      return {};
    }
  }
  *row = cache_.Find(key);
  if (*row) return {};
  const Result<bool> found = engine_->Get(Family::kCurrent, key, &scratch_);
  if (found && !*found) return {};
  const Result<CurrentRow> decoded =
      found ? DecodeCurrentRow(key, scratch_) : Result<CurrentRow>(std::unexpected(found.error()));
  if (decoded) {
    *row = *decoded;
    return {};
  }
  if (!IsDamage(decoded.error())) return std::unexpected(decoded.error());
  // This reads the whole log, once for the key: its row is then in the cache or written anew.
  SKIFF_ASSIGN_OR_RETURN(*row, ReadRow(*engine_->NewSnapshot(), key));
  return {};
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

Result<int64_t> BatchBuilder::StoredBytes(LogPosition position) {
  for (const PreparedBatch* batch : {static_cast<const PreparedBatch*>(batch_), earlier_}) {
    if (batch == nullptr) continue;
    const auto at =
        std::ranges::lower_bound(batch->written_, position, {}, &WrittenRecord::position);
    if (at == batch->written_.end() || at->position != position) continue;
    return static_cast<int64_t>(at->key.size() + (at->value == nullptr ? 0 : at->value->size()));
  }
  SKIFF_ASSIGN_OR_RETURN(const bool found, engine_->Get(Family::kLog, LogKey(position), &scratch_));
  if (!found) return 0;
  SKIFF_ASSIGN_OR_RETURN(const LogRecord record, DecodeRecord(position, scratch_));
  return static_cast<int64_t>(record.key.size() + record.value.size());
}

Result<void> BatchBuilder::CheckGrowth(const Transaction& transaction) {
  if (TakesAll(room_)) return {};
  Growth growth;
  for (const Write& write : transaction.writes) {
    SKIFF_ASSIGN_OR_RETURN(const auto* row, Find(write.key));
    const bool is_put = write.kind == Write::Kind::kPut;
    if (is_put) growth.written += static_cast<int64_t>(write.key.size() + write.value.size());
    if (!IsLive(*row)) continue;
    SKIFF_ASSIGN_OR_RETURN(const int64_t before, StoredBytes((*row)->position));
    growth.added -= before;
    growth.deletes = growth.deletes || !is_put;
  }
  growth.added += growth.written;
  if (Takes(room_, growth)) return {};
  Status refusal(StatusReason::kServiceUnavailable, ExplainDiskSpace(room_));
  refusal.SetRetryAfterSeconds(limits::kStoreSpaceRetrySeconds);
  return std::unexpected(std::move(refusal));
}

Result<TransactionOutcome> BatchBuilder::Add(const Transaction& transaction) {
  TransactionOutcome outcome;
  SKIFF_ASSIGN_OR_RETURN(outcome.succeeded, ConditionsHold(transaction, &outcome));
  if (outcome.succeeded) {
    SKIFF_ASSIGN_OR_RETURN(outcome.changed, ChangesSomething(transaction));
  }
  if (outcome.changed) {
    SKIFF_RETURN_IF_ERROR(CheckGrowth(transaction));
    ++batch_->revision_;
    uint32_t op = 0;
    for (const Write& write : transaction.writes) {
      SKIFF_ASSIGN_OR_RETURN(auto* const row, Find(write.key));
      if (write.kind == Write::Kind::kPut || IsLive(*row)) Append(write, op++, row);
    }
  }
  outcome.revision = batch_->revision_;
  return outcome;
}

Result<bool> BatchBuilder::DeleteAll(std::vector<std::string> keys) {
  bool changed = false;
  uint32_t op = 0;
  for (std::string& key : keys) {
    const Write& write =
        batch_->own_writes_.emplace_back(Write{Write::Kind::kDelete, std::move(key), {}, {}});
    SKIFF_ASSIGN_OR_RETURN(auto* const row, Find(write.key));
    if (!IsLive(*row)) continue;
    if (!std::exchange(changed, true)) ++batch_->revision_;
    Append(write, op++, row);
  }
  return changed;
}

void BatchBuilder::Append(const Write& write, uint32_t op, std::optional<CurrentRow>* row) {
  EngineBatch& out = rows();
  const bool is_put = write.kind == Write::Kind::kPut;
  const bool was_live = IsLive(*row);
  const LogPosition position{batch_->revision_, op};
  const LogPosition previous = *row ? (*row)->position : LogPosition();
  const LeaseId old_lease = was_live ? (*row)->lease : LeaseId();

  CurrentRow next;
  next.position = position;
  next.deleted = !is_put;
  if (is_put) {
    next.create_revision = was_live ? (*row)->create_revision : position.revision;
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
  out.Put(Family::kLog, LogKey(position), scratch_);
  out.Put(Family::kCurrent, write.key, CurrentRowBytes(write.key, next));
  if (old_lease != next.lease) {
    if (old_lease.value != 0) {
      out.Delete(Family::kLease, AttachmentKey(old_lease, write.key));
    }
    if (next.lease.value != 0) {
      out.Put(Family::kLease, AttachmentKey(next.lease, write.key), "");
    }
  }
  batch_->keys_ += static_cast<int>(is_put) - static_cast<int>(was_live);
  batch_->written_.push_back({write.kind, position, next.create_revision, next.version, next.lease,
                              was_live ? previous : LogPosition(), write.key,
                              is_put ? &write.value : nullptr});
  *row = next;
}

void BatchBuilder::RemoveRow(std::string_view key) {
  rows().Delete(Family::kCurrent, key);
  batch_->removed_.emplace_back(key);
}

void BatchBuilder::Written(const PreparedBatch& batch) {
  for (const auto& [key, row] : batch.rows_) {
    if (row) cache_.Put(key, *row);
  }
  for (const std::string& key : batch.removed_) cache_.Remove(key);
}

// Rows of a batch that is on its way may be read as they were before it: Written() corrects them,
// and until then that batch is asked first.
void BatchBuilder::WarmUp() {
  const auto snapshot = engine_->NewSnapshot();
  const auto cursor = snapshot->NewCursor(Family::kCurrent);
  cursor->Seek(warm_from_);
  for (size_t i = 0; i < kWarmUpRows && cursor->Valid(); ++i, cursor->Next(), ++warmed_rows_) {
    // What is damaged is reported when it is asked for.
    const Result<CurrentRow> row = DecodeCurrentRow(cursor->key(), cursor->value());
    if (row) cache_.Put(cursor->key(), *row);
  }
  is_warm_ = !cursor->Valid() || warmed_rows_ >= limits::kMaxStoreCachedRows;
  if (!is_warm_) warm_from_ = cursor->key();
}

}  // namespace skiff::store
