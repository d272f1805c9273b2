#include "store/copy.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/limits.h"
#include "base/strings.h"
#include "store/blocking.h"

namespace skiff::store {
namespace {

// Tries of a transaction whose outcome is not known; it is made to be idempotent.
constexpr int kMaxTries = 5;
// What a transaction costs beside its keys and values, generously.
constexpr size_t kBytesPerWrite = 64;

class Loader {
 public:
  Loader(const BackupIndex& backup, Store& target, const LoadOptions& options)
      : backup_(backup), target_(target), options_(options) {}

  Result<LoadReport> Run() {
    if (options_.overwrite) {
      SKIFF_RETURN_IF_ERROR(RemoveOthers());
    } else {
      SKIFF_RETURN_IF_ERROR(RequireEmpty());
    }
    for (const BackupIndex::Place& place : backup_.by_revision()) {
      SKIFF_ASSIGN_OR_RETURN(KeyValue entry, backup_.Read(place));
      SKIFF_RETURN_IF_ERROR(Put(std::move(entry)));
    }
    SKIFF_RETURN_IF_ERROR(Flush());
    return report_;
  }

 private:
  Result<void> RequireEmpty() {
    SKIFF_ASSIGN_OR_RETURN(
        const RangeReply found,
        RangeAndWait(
            target_,
            {.range = KeyRange::Prefix(options_.prefix), .at = {}, .limit = 1, .keys_only = true}));
    if (found.entries.empty()) return {};
    return Fail(StatusReason::kAlreadyExists,
                "the target is not empty: it has " + std::to_string(found.count) +
                    (found.count == 1 ? " key" : " keys") + ", the first of them " +
                    Quoted(found.entries[0].key) + "; nothing was changed");
  }

  // Collects the keys of the target that the backup does not have, then removes them.
  class OthersSink final : public ScanSink {
   public:
    explicit OthersSink(const BackupIndex& backup) : backup_(backup) {}
    void OnEntries(std::vector<KeyValue> entries) override {
      for (KeyValue& entry : entries) {
        const auto found = backup_.Find(entry.key);
        if (!found) status_ = std::unexpected(found.error());
        if (found && !found->has_value()) keys.push_back(std::move(entry.key));
      }
    }
    const Result<void>& status() const { return status_; }
    std::vector<std::string> keys;

   private:
    const BackupIndex& backup_;
    Result<void> status_;
  };

  Result<void> RemoveOthers() {
    OthersSink others(backup_);
    SKIFF_RETURN_IF_ERROR(StoreSource(target_).Scan(KeyRange::Prefix(options_.prefix), &others));
    SKIFF_RETURN_IF_ERROR(others.status());
    for (std::string& key : others.keys) {
      if (pending_.writes.size() == limits::kMaxStoreTransactionWrites) {
        SKIFF_RETURN_IF_ERROR(Flush());
      }
      pending_.writes.push_back({Write::Kind::kDelete, std::move(key), {}, {}});
      ++report_.removed;
    }
    return Flush();
  }

  Result<void> Put(KeyValue entry) {
    const size_t bytes = entry.key.size() + entry.value.size();
    // The key stands in the condition too.
    const size_t cost = bytes + entry.key.size() + kBytesPerWrite;
    if (pending_.writes.size() == limits::kMaxStoreTransactionWrites ||
        (pending_bytes_ != 0 && pending_bytes_ + cost > limits::kMaxStoreTransactionBytes)) {
      SKIFF_RETURN_IF_ERROR(Flush());
    }
    LeaseId lease;
    if (entry.lease.value != 0) {
      SKIFF_ASSIGN_OR_RETURN(lease, LeaseFor(entry.lease));
    }
    if (!options_.overwrite) pending_.conditions.push_back({entry.key, Revision()});
    pending_.writes.push_back(
        {Write::Kind::kPut, std::move(entry.key), std::move(entry.value), lease});
    pending_bytes_ += cost;
    ++report_.entries;
    report_.bytes += bytes;
    return {};
  }

  Result<LeaseId> LeaseFor(LeaseId old) {
    LeaseId& granted = leases_[old];
    if (granted.value != 0) return granted;
    // What has ended meanwhile ends soon after.
    const std::chrono::seconds ttl =
        std::max(backup_.FindLease(old)->remaining, std::chrono::seconds(1));
    SKIFF_ASSIGN_OR_RETURN(const LeaseInfo lease, Await<LeaseInfo>([&](auto done) {
                             target_.GrantLease(ttl, LeaseId(), std::move(done));
                           }));
    granted = lease.id;
    return granted;
  }

  Result<void> Flush() {
    if (pending_.writes.empty()) return {};
    SKIFF_RETURN_IF_ERROR(CommitPending());
    pending_ = {};
    pending_bytes_ = 0;
    if (options_.progress) {
      options_.progress({report_.entries, backup_.end().entries, report_.bytes});
    }
    return {};
  }

  Result<void> CommitPending() {
    bool may_have_happened = false;
    for (int tries = 1;; ++tries) {
      Result<CommitReply> reply = CommitAndWait(target_, pending_);
      if (!reply) {
        if (reply.error().reason() != StatusReason::kServerTimeout || tries == kMaxTries) {
          return std::unexpected(std::move(reply).error());
        }
        may_have_happened = true;
        continue;
      }
      report_.revision = reply->revision;
      if (reply->succeeded || (may_have_happened && IsWritten(*reply))) return {};
      return Conflict(*reply);
    }
  }

  // Whether the keys hold just what was to be written.
  bool IsWritten(const CommitReply& reply) const {
    if (reply.current.size() != pending_.writes.size()) return false;
    for (size_t i = 0; i < pending_.writes.size(); ++i) {
      if (!reply.current[i] || reply.current[i]->value != pending_.writes[i].value) return false;
    }
    return true;
  }

  static Result<void> Conflict(const CommitReply& reply) {
    std::string key;
    for (const std::optional<KeyValue>& current : reply.current) {
      if (current && key.empty()) key = current->key;
    }
    return Fail(StatusReason::kConflict, "something else writes to the target: " + Quoted(key) +
                                             " has come into being during the copy");
  }

  const BackupIndex& backup_;
  Store& target_;
  const LoadOptions& options_;
  Transaction pending_;
  size_t pending_bytes_ = 0;
  std::map<LeaseId, LeaseId> leases_;  // old → new
  LoadReport report_;
};

// Compares what a scan brings with the backup.
class ComparingSink final : public ScanSink {
 public:
  ComparingSink(const BackupIndex& backup, const ProgressFunction& progress)
      : backup_(backup), progress_(progress), seen_(backup.by_revision().size()) {}

  void OnEntries(std::vector<KeyValue> entries) override {
    for (const KeyValue& entry : entries) {
      if (status_) status_ = Compare(entry);
    }
    if (progress_) progress_({report_.entries, backup_.end().entries, report_.bytes});
  }

  // After the scan: what it did not bring.
  Result<CompareReport> Finish(Duration elapsed) {
    SKIFF_RETURN_IF_ERROR(status_);
    for (size_t i = 0; i < seen_.size(); ++i) {
      if (seen_[i]) continue;
      SKIFF_ASSIGN_OR_RETURN(const KeyValue entry, backup_.Read(backup_.by_revision()[i]));
      const LeaseInfo* lease = backup_.FindLease(entry.lease);
      if (lease != nullptr && lease->remaining <= elapsed) {
        ++report_.expired;
      } else {
        AddFault(entry.key, "is missing");
      }
    }
    if (fault_count_ == 0) return report_;
    std::string message = "the copy differs from its source in " + std::to_string(fault_count_) +
                          (fault_count_ == 1 ? " key: " : " keys: ") + faults_;
    if (fault_count_ > limits::kMaxShownCopyFaults) message += ", ...";
    return Fail(StatusReason::kConflict, std::move(message));
  }

 private:
  Result<void> Compare(const KeyValue& entry) {
    SKIFF_ASSIGN_OR_RETURN(const std::optional<BackupIndex::Found> found, backup_.Find(entry.key));
    if (!found) {
      AddFault(entry.key, "is not in the source");
      return {};
    }
    seen_[found->place] = true;
    if (entry.value != found->entry.value) {
      AddFault(entry.key, "has other bytes");
    } else if ((entry.lease.value == 0) != (found->entry.lease.value == 0)) {
      AddFault(entry.key, entry.lease.value == 0 ? "has lost its lease" : "has a lease");
    } else {
      ++report_.entries;
      report_.bytes += entry.key.size() + entry.value.size();
    }
    return {};
  }

  void AddFault(std::string_view key, std::string_view what) {
    if (++fault_count_ > limits::kMaxShownCopyFaults) return;
    if (!faults_.empty()) faults_ += ", ";
    faults_.append(Quoted(key)).append(" ").append(what);
  }

  const BackupIndex& backup_;
  const ProgressFunction& progress_;
  std::vector<bool> seen_;
  Result<void> status_;
  CompareReport report_;
  std::string faults_;
  uint64_t fault_count_ = 0;
};

}  // namespace

Result<LoadReport> LoadBackup(const BackupIndex& backup, Store& target,
                              const LoadOptions& options) {
  return Loader(backup, target, options).Run();
}

Result<CompareReport> CompareWithBackup(const BackupIndex& backup, BackupSource& store,
                                        const std::string& prefix, Duration elapsed,
                                        const ProgressFunction& progress) {
  ComparingSink sink(backup, progress);
  SKIFF_RETURN_IF_ERROR(store.Scan(KeyRange::Prefix(prefix), &sink));
  return sink.Finish(elapsed);
}

Result<bool> HasChangedSince(const BackupIndex& backup, BackupSource& source,
                             const std::string& prefix, Duration elapsed) {
  SKIFF_ASSIGN_OR_RETURN(const Revision now, source.CurrentRevision());
  if (now == backup.end().revision) return false;
  // Others may write under other prefixes, which is no change of ours.
  const Result<CompareReport> compared = CompareWithBackup(backup, source, prefix, elapsed, {});
  if (compared) return false;
  if (compared.error().reason() == StatusReason::kConflict) return true;
  return std::unexpected(compared.error());
}

}  // namespace skiff::store
