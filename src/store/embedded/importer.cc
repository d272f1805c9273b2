#include "store/embedded/importer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/limits.h"
#include "base/strings.h"
#include "store/embedded/meta.h"

namespace skiff::store {
namespace {

// A hundred years: the moment must fit into nanoseconds since 1970.
constexpr int64_t kFarAwaySeconds = int64_t{100} * 366 * 24 * 3600;

}  // namespace

Result<EmbeddedImporter> EmbeddedImporter::Begin(Engine& engine, Clock& clock) {
  SKIFF_ASSIGN_OR_RETURN(const bool is_empty, IsEmpty(engine));
  if (!is_empty) return Fail(StatusReason::kAlreadyExists, "there is a store already");
  EmbeddedImporter importer(engine, clock);
  PutMeta(*importer.batch_, kMetaImporting, 1);
  SKIFF_RETURN_IF_ERROR(importer.WriteBatch());
  return importer;
}

Result<void> EmbeddedImporter::Add(const LeaseInfo& lease) {
  // A lease that has ended meanwhile ends in a moment, and its keys with it.
  const auto remaining =
      std::clamp(lease.remaining, std::chrono::seconds(1), std::chrono::seconds(kFarAwaySeconds));
  const LeaseRow row{.ttl_seconds = std::max(lease.granted, remaining).count(),
                     .wall_expiry_ns = (clock_->Wall() + remaining).count(),
                     .renewed = false};
  const std::string key = LeaseKey(lease.id);
  batch_->Put(Family::kLease, key, EncodeLeaseRow(key, row));
  return WriteIfLarge();
}

Result<void> EmbeddedImporter::Add(const KeyValue& entry) {
  if (entry.mod_revision.value < last_.revision) {
    return Fail(StatusReason::kInternalError,
                "the key " + Quoted(entry.key) + " comes out of the order of revisions");
  }
  const uint32_t op = entry.mod_revision.value == last_.revision ? last_.op + 1 : 0;
  last_ = {entry.mod_revision.value, op};
  LogRecord record;
  record.create_revision = entry.create_revision.value;
  record.version = entry.version;
  record.lease = entry.lease;
  record.key = entry.key;
  record.value = entry.value.view();
  EncodeRecord(last_, record, &scratch_);
  batch_->Put(Family::kLog, LogKey(last_), scratch_);
  const CurrentRow row{.position = last_,
                       .create_revision = record.create_revision,
                       .version = record.version,
                       .lease = record.lease,
                       .deleted = false};
  batch_->Put(Family::kCurrent, entry.key, CurrentRowBytes(entry.key, row));
  if (entry.lease.value != 0) {
    batch_->Put(Family::kLease, AttachmentKey(entry.lease, entry.key), "");
  }
  ++keys_;
  return WriteIfLarge();
}

Result<void> EmbeddedImporter::Finish(Revision revision, Random& random) {
  if (revision.value < std::max<int64_t>(last_.revision, 1)) {
    return Fail(StatusReason::kInternalError, "an import ends before its entries do");
  }
  SKIFF_RETURN_IF_ERROR(WriteBatch());
  PutMeta(*batch_, kMetaFormat, kStoreFormat);
  PutMeta(*batch_, kMetaCluster, static_cast<int64_t>(random.Next() >> 1));
  PutMeta(*batch_, kMetaRevision, revision.value);
  PutMeta(*batch_, kMetaCompacted, revision.value);
  PutMeta(*batch_, kMetaKeys, keys_);
  batch_->Delete(Family::kMeta, kMetaImporting);
  return WriteBatch();
}

Result<void> EmbeddedImporter::WriteIfLarge() {
  return batch_->bytes() < limits::kStorePieceBytes ? Result<void>() : WriteBatch();
}

Result<void> EmbeddedImporter::WriteBatch() {
  SKIFF_RETURN_IF_ERROR(engine_->Write(*batch_));
  batch_->Clear();
  return {};
}

}  // namespace skiff::store
