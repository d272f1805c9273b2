#include "store/etcd_server/snapshot.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>

#include "base/crc32c.h"
#include "store/etcd_server/bolt_file.h"
#include "store/etcd_server/key_rows.h"

namespace skiff::store {
namespace {

class SnapshotRows final : public RecordSink {
 public:
  explicit SnapshotRows(BoltWriter& file) : file_(file) {}
  Result<void> OnRecord(LogPosition position, const LogRecord& record) override {
    MakeKeyRow(position, record, &row_);
    return file_.Add(row_.key, row_.value);
  }

 private:
  BoltWriter& file_;
  KeyRow row_;
};

// Which of the records that a compaction has left are still the last of their keys. Keys are told
// apart by a hash of 64 bits.
class OldRows final : public RecordSink {
 public:
  explicit OldRows(Revision compacted) : compacted_(compacted) {}
  Result<void> OnRecord(LogPosition position, const LogRecord& record) override {
    const size_t key = std::hash<std::string_view>()(record.key);
    if (position.revision > compacted_.value || record.kind == Write::Kind::kDelete) {
      last_.erase(key);
    } else {
      last_[key] = position;
    }
    return {};
  }
  bool IsLast(std::string_view key, LogPosition position) const {
    const auto found = last_.find(std::hash<std::string_view>()(key));
    return found != last_.end() && found->second == position;
  }

 private:
  const Revision compacted_;
  std::unordered_map<size_t, LogPosition> last_;
};

class HashedRows final : public RecordSink {
 public:
  HashedRows(Revision compacted, const OldRows& old) : compacted_(compacted), old_(old) {
    Add("key");
  }
  Result<void> OnRecord(LogPosition position, const LogRecord& record) override {
    // Of what was compacted, etcd hashes only what can be seen at the revision of the hash.
    if (position.revision <= compacted_.value && !old_.IsLast(record.key, position)) return {};
    MakeKeyRow(position, record, &row_);
    Add(row_.key);
    Add(row_.value);
    return {};
  }
  uint32_t hash() const { return hash_; }

 private:
  void Add(std::string_view bytes) { hash_ = Crc32c(bytes, hash_); }

  const Revision compacted_;
  const OldRows& old_;
  uint32_t hash_ = 0;
  KeyRow row_;
};

// A varint of protobuf, behind the number of its field.
void AppendNumber(std::string& out, int field, uint64_t value) {
  out += static_cast<char>(field << 3);
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

// Messages of leasepb.Lease: 1 is the id, 2 the time that was granted, 3 what remains of it.
Result<void> AddLeases(EtcdServerCore& core, BoltWriter& file) {
  SKIFF_RETURN_IF_ERROR(file.BeginBucket("lease"));
  for (const LeaseInfo& lease : core.store().Leases()) {
    std::string value;
    AppendNumber(value, 1, static_cast<uint64_t>(lease.id.value));
    AppendNumber(value, 2, static_cast<uint64_t>(lease.granted.count()));
    AppendNumber(value, 3, static_cast<uint64_t>(std::max<int64_t>(lease.remaining.count(), 1)));
    SKIFF_RETURN_IF_ERROR(file.Add(BigEndian(static_cast<uint64_t>(lease.id.value)), value));
  }
  return {};
}

Result<void> AddMeta(const LogBounds& bounds, BoltWriter& file) {
  SKIFF_RETURN_IF_ERROR(file.BeginBucket("meta"));
  // The index of the log of agreement: there is none, and it must not be zero.
  SKIFF_RETURN_IF_ERROR(
      file.Add("consistent_index", BigEndian(static_cast<uint64_t>(bounds.revision.value))));
  if (bounds.compacted.value > 1) {
    const std::string compacted =
        BigEndian(static_cast<uint64_t>(bounds.compacted.value)) + '_' + BigEndian(0);
    SKIFF_RETURN_IF_ERROR(file.Add("finishedCompactRev", compacted));
    SKIFF_RETURN_IF_ERROR(file.Add("scheduledCompactRev", compacted));
  }
  return file.Add("term", BigEndian(kRaftTerm));
}

}  // namespace

// Buckets in the order of their names. Who the members are is for the restoring to say.
Result<uint64_t> WriteEtcdSnapshot(EtcdServerCore& core, const std::string& path) {
  SKIFF_ASSIGN_OR_RETURN(const auto file, BoltWriter::Create(path));
  SKIFF_RETURN_IF_ERROR(file->BeginBucket("alarm"));
  SKIFF_RETURN_IF_ERROR(file->BeginBucket("auth"));
  SKIFF_RETURN_IF_ERROR(file->BeginBucket("authRoles"));
  SKIFF_RETURN_IF_ERROR(file->BeginBucket("authUsers"));
  SKIFF_RETURN_IF_ERROR(file->BeginBucket("cluster"));
  SKIFF_RETURN_IF_ERROR(file->Add("clusterVersion", kEtcdClusterVersion));
  SKIFF_RETURN_IF_ERROR(file->BeginBucket("key"));
  SnapshotRows rows(*file);
  SKIFF_ASSIGN_OR_RETURN(const LogBounds bounds, core.store().ScanLog({}, &rows));
  SKIFF_RETURN_IF_ERROR(AddLeases(core, *file));
  SKIFF_RETURN_IF_ERROR(file->BeginBucket("members"));
  SKIFF_RETURN_IF_ERROR(file->BeginBucket("members_removed"));
  SKIFF_RETURN_IF_ERROR(AddMeta(bounds, *file));
  return file->Finish();
}

Result<KeyHash> HashKeys(EtcdServerCore& core, Revision through) {
  const Revision compacted = core.store().compacted();
  if (through.value == 0) through = core.store().revision();
  OldRows old(compacted);
  if (compacted.value > 1) SKIFF_RETURN_IF_ERROR(core.store().ScanLog(through, &old));
  HashedRows rows(compacted, old);
  SKIFF_ASSIGN_OR_RETURN(const LogBounds bounds, core.store().ScanLog(through, &rows));
  // What a compaction removed meanwhile would be missing.
  if (bounds.compacted != compacted) return HashKeys(core, through);
  return KeyHash{rows.hash(), bounds.revision, bounds.compacted};
}

}  // namespace skiff::store
