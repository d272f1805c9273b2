#include "store/embedded/offline_reader.h"

#include <string>
#include <utility>

#include "base/random.h"
#include "base/strings.h"
#include "store/embedded/record.h"

namespace skiff {
namespace {

constexpr uint64_t kRecordsPerProgress = 1000;

std::unexpected<Status> Damaged(const std::string& what) {
  return Fail(StatusReason::kInternalError,
              "the store is damaged: " + what + "; restore it from a backup");
}

std::string Shown(LogPosition position) {
  return std::to_string(position.revision) + "." + std::to_string(position.op);
}

}  // namespace

Result<std::unique_ptr<OfflineReader>> OfflineReader::Open(std::unique_ptr<Engine> engine,
                                                           Clock* clock) {
  SKIFF_ASSIGN_OR_RETURN(const bool is_empty, IsEmpty(*engine));
  if (is_empty) return Fail(StatusReason::kNotFound, "there is no store yet");
  auto reader = std::unique_ptr<OfflineReader>(new OfflineReader(std::move(engine), clock));
  Engine& opened = *reader->gate_.engine();
  // Never used, since there is something in the engine.
  SeededRandom random(0);
  SKIFF_ASSIGN_OR_RETURN(reader->meta_, LoadOrCreateMeta(opened, random));
  reader->state_.revision = reader->meta_.revision;
  reader->state_.compacted = reader->meta_.compacted;
  reader->state_.keys = reader->meta_.keys;
  SKIFF_RETURN_IF_ERROR(reader->leases_.Load(opened));
  return reader;
}

Result<Revision> OfflineReader::Scan(const KeyRange& range, ScanSink* sink) {
  return reader_.Scan(range, sink);
}

Result<LeaseInfo> OfflineReader::FindLease(LeaseId id) { return leases_.Find(id); }

Result<std::optional<KeyValue>> OfflineReader::Get(std::string_view key) {
  RangeRequest request;
  request.range = KeyRange::Single(key);
  SKIFF_ASSIGN_OR_RETURN(RangeReply reply, reader_.Range(request));
  if (reply.entries.empty()) return std::nullopt;
  return std::move(reply.entries[0]);
}

Result<uint64_t> OfflineReader::CountLeases() {
  VerifyReport report;
  const auto snapshot = gate_.engine()->NewSnapshot();
  SKIFF_RETURN_IF_ERROR(VerifyLeases(*snapshot, &report));
  return report.leases;
}

Result<VerifyReport> OfflineReader::Verify(const ProgressFunction& progress) {
  VerifyReport report;
  const auto snapshot = gate_.engine()->NewSnapshot();
  SKIFF_RETURN_IF_ERROR(VerifyLog(*snapshot, progress, &report));
  SKIFF_RETURN_IF_ERROR(VerifyKeys(*snapshot, progress, &report));
  SKIFF_RETURN_IF_ERROR(VerifyLeases(*snapshot, &report));
  return report;
}

Result<void> OfflineReader::VerifyLog(EngineSnapshot& snapshot, const ProgressFunction& progress,
                                      VerifyReport* report) {
  const auto cursor = snapshot.NewCursor(Family::kLog);
  uint64_t bytes = 0;
  for (cursor->Seek(""); cursor->Valid(); cursor->Next()) {
    SKIFF_ASSIGN_OR_RETURN(const LogPosition position, DecodeLogKey(cursor->key()));
    const Result<LogRecord> record = DecodeRecord(position, cursor->value());
    if (!record) return Damaged("record " + Shown(position) + ": " + record.error().message());
    if (position.revision > meta_.revision) {
      return Damaged("record " + Shown(position) + " is newer than revision " +
                     std::to_string(meta_.revision) + " of the store");
    }
    if (record->previous >= position) {
      return Damaged("record " + Shown(position) + " claims to follow a later one");
    }
    bytes += cursor->value().size();
    if (++report->records % kRecordsPerProgress == 0 && progress) {
      progress({report->records, 0, bytes});
    }
  }
  return cursor->status();
}

Result<void> OfflineReader::VerifyKeys(EngineSnapshot& snapshot, const ProgressFunction& progress,
                                       VerifyReport* report) {
  const auto cursor = snapshot.NewCursor(Family::kCurrent);
  uint64_t rows = 0;
  for (cursor->Seek(""); cursor->Valid(); cursor->Next()) {
    const Result<CurrentRow> row = DecodeCurrentRow(cursor->key(), cursor->value());
    if (!row) return Damaged("key " + Quoted(cursor->key()) + ": " + row.error().message());
    SKIFF_RETURN_IF_ERROR(VerifyKey(snapshot, cursor->key(), *row));
    if (!row->deleted) ++report->keys;
    if (++rows % kRecordsPerProgress == 0 && progress) progress({rows, 0, 0});
  }
  SKIFF_RETURN_IF_ERROR(cursor->status());
  if (report->keys == static_cast<uint64_t>(meta_.keys)) return {};
  return Damaged("it has " + std::to_string(report->keys) + " keys and should have " +
                 std::to_string(meta_.keys));
}

Result<void> OfflineReader::VerifyKey(EngineSnapshot& snapshot, std::string_view key,
                                      const CurrentRow& row) {
  std::string bytes;
  SKIFF_ASSIGN_OR_RETURN(const bool found,
                         snapshot.Get(Family::kLog, LogKey(row.position), &bytes));
  if (!found) return Damaged("the record of key " + Quoted(key) + " is missing");
  SKIFF_ASSIGN_OR_RETURN(const LogRecord record, DecodeRecord(row.position, bytes));
  const bool deletes = record.kind == Write::Kind::kDelete;
  if (record.key != key || deletes != row.deleted ||
      (!deletes && (record.create_revision != row.create_revision ||
                    record.version != row.version || record.lease != row.lease))) {
    return Damaged("record " + Shown(row.position) + " is not that of key " + Quoted(key));
  }
  if (row.lease.value == 0) return {};
  SKIFF_ASSIGN_OR_RETURN(const bool attached,
                         snapshot.Get(Family::kLease, AttachmentKey(row.lease, key), &bytes));
  if (!attached) return Damaged("key " + Quoted(key) + " is not among the keys of its lease");
  SKIFF_ASSIGN_OR_RETURN(const bool exists,
                         snapshot.Get(Family::kLease, LeaseKey(row.lease), &bytes));
  if (!exists) return Damaged("the lease of key " + Quoted(key) + " is missing");
  return {};
}

Result<void> OfflineReader::VerifyLeases(EngineSnapshot& snapshot, VerifyReport* report) {
  const auto cursor = snapshot.NewCursor(Family::kLease);
  for (cursor->Seek(""); cursor->Valid() && cursor->key() < kLeaseKeysEnd; cursor->Next()) {
    SKIFF_RETURN_IF_ERROR(DecodeLeaseKey(cursor->key()));
    SKIFF_RETURN_IF_ERROR(DecodeLeaseRow(cursor->key(), cursor->value()));
    ++report->leases;
  }
  return cursor->status();
}

}  // namespace skiff
