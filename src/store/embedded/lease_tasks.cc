#include "store/embedded/lease_tasks.h"

#include <string>
#include <utility>

#include "base/limits.h"

namespace skiff::store {
namespace {

// Adds to the batch the end of a lease; the count of keys that it had.
Result<size_t> EndLease(Engine& engine, BatchBuilder& batch, LeaseId id) {
  std::vector<std::string> keys;
  const std::string prefix = AttachmentPrefix(id);
  const auto snapshot = engine.NewSnapshot();
  const auto cursor = snapshot->NewCursor(Family::kLease);
  for (cursor->Seek(prefix); cursor->Valid() && cursor->key().starts_with(prefix); cursor->Next()) {
    keys.emplace_back(cursor->key().substr(prefix.size()));
  }
  SKIFF_RETURN_IF_ERROR(cursor->status());
  const size_t count = keys.size();
  SKIFF_RETURN_IF_ERROR(batch.DeleteAll(std::move(keys)));
  batch.rows().Delete(Family::kLease, LeaseKey(id));
  return count;
}

class Grant final : public CommitTask {
 public:
  Grant(LeaseTable* leases, Clock* clock, Random* random, std::chrono::seconds ttl, LeaseId id,
        StoreCallback<LeaseInfo> done)
      : leases_(leases), clock_(clock), random_(random), id_(id), done_(std::move(done)) {
    row_.ttl_seconds = ttl.count();
  }

  Result<void> Prepare(Engine& engine, BatchBuilder& batch) override {
    static_cast<void>(engine);
    if (id_.value != 0 && leases_->Exists(id_)) {
      return Fail(StatusReason::kAlreadyExists,
                  "there is a lease " + std::to_string(id_.value) + " already");
    }
    while (id_.value == 0 || leases_->Exists(id_)) {
      id_.value = static_cast<int64_t>(random_->Next() >> 1);
    }
    row_.wall_expiry_ns =
        DeadlineAfter(clock_->Wall(), std::chrono::seconds(row_.ttl_seconds)).count();
    const std::string key = LeaseKey(id_);
    batch.rows().Put(Family::kLease, key, EncodeLeaseRow(key, row_));
    return {};
  }

  void Written() override { leases_->Add(id_, row_); }

  void Finish(Result<Revision> written) override {
    if (!written) return done_(std::unexpected(std::move(written).error()));
    done_(leases_->Find(id_));
  }

 private:
  LeaseTable* leases_;
  Clock* clock_;
  Random* random_;
  LeaseId id_;
  LeaseRow row_;
  StoreCallback<LeaseInfo> done_;
};

class FirstRenewal final : public CommitTask {
 public:
  FirstRenewal(LeaseTable* leases, LeaseId id, StoreCallback<LeaseInfo> done)
      : leases_(leases), id_(id), done_(std::move(done)) {}

  Result<void> Prepare(Engine& engine, BatchBuilder& batch) override {
    static_cast<void>(engine);
    SKIFF_ASSIGN_OR_RETURN(LeaseRow row, leases_->Row(id_));
    row.renewed = true;
    const std::string key = LeaseKey(id_);
    batch.rows().Put(Family::kLease, key, EncodeLeaseRow(key, row));
    // From here on it must not end while the disk is busy. Should the write fail, it has gained
    // some time.
    SKIFF_RETURN_IF_ERROR(leases_->Renew(id_));
    return {};
  }

  void Written() override { leases_->SetRenewed(id_); }

  void Finish(Result<Revision> written) override {
    if (!written) return done_(std::unexpected(std::move(written).error()));
    done_(leases_->Renew(id_));
  }

 private:
  LeaseTable* leases_;
  LeaseId id_;
  StoreCallback<LeaseInfo> done_;
};

class End final : public CommitTask {
 public:
  // Either one that someone revokes or some whose time may have passed.
  End(LeaseTable* leases, std::vector<LeaseId> ids, bool revoke, StoreCallback<Revision> done)
      : leases_(leases), ids_(std::move(ids)), revoke_(revoke), done_(std::move(done)) {}

  Result<void> Prepare(Engine& engine, BatchBuilder& batch) override {
    size_t keys = 0;
    for (const LeaseId id : ids_) {
      if (keys >= limits::kMaxStoreExpiredKeys) break;
      if (revoke_) {
        SKIFF_RETURN_IF_ERROR(leases_->Row(id));
      } else if (!leases_->IsDue(id)) {
        continue;
      }
      SKIFF_ASSIGN_OR_RETURN(const size_t count, EndLease(engine, batch, id));
      keys += count;
      ended_.push_back(id);
    }
    return {};
  }

  void Written() override {
    for (const LeaseId id : ended_) leases_->Remove(id);
  }

  void Finish(Result<Revision> written) override { done_(std::move(written)); }

 private:
  LeaseTable* leases_;
  std::vector<LeaseId> ids_;
  bool revoke_;
  std::vector<LeaseId> ended_;
  StoreCallback<Revision> done_;
};

}  // namespace

std::unique_ptr<CommitTask> GrantTask(LeaseTable* leases, Clock* clock, Random* random,
                                      std::chrono::seconds ttl, LeaseId id,
                                      StoreCallback<LeaseInfo> done) {
  return std::make_unique<Grant>(leases, clock, random, ttl, id, std::move(done));
}

std::unique_ptr<CommitTask> FirstRenewalTask(LeaseTable* leases, LeaseId id,
                                             StoreCallback<LeaseInfo> done) {
  return std::make_unique<FirstRenewal>(leases, id, std::move(done));
}

std::unique_ptr<CommitTask> RevokeTask(LeaseTable* leases, LeaseId id,
                                       StoreCallback<Revision> done) {
  return std::make_unique<End>(leases, std::vector{id}, true, std::move(done));
}

std::unique_ptr<CommitTask> ExpireTask(LeaseTable* leases, std::vector<LeaseId> due,
                                       StoreCallback<Revision> done) {
  return std::make_unique<End>(leases, std::move(due), false, std::move(done));
}

}  // namespace skiff::store
