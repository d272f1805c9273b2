#include "store/embedded/offline_reader.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/random.h"
#include "base/strings.h"
#include "store/embedded/record.h"
#include "store/embedded/walk.h"

namespace skiff::store {
namespace {

constexpr uint64_t kRecordsPerProgress = 1000;
constexpr size_t kMaxToldDamage = 1000;

std::unexpected<Status> Damaged(const std::string& what) {
  return Fail(StatusReason::kInternalError, what);
}

std::string Shown(LogPosition position) {
  return std::to_string(position.revision) + "." + std::to_string(position.op);
}

// A number of the store if it can be read, else what it is taken for.
Result<int64_t> MetaOr(Engine& engine, std::string_view name, int64_t otherwise) {
  std::string bytes;
  const Result<bool> found = engine.Get(Family::kMeta, name, &bytes);
  if (!found && !IsDamage(found.error())) return std::unexpected(found.error());
  if (!found || !*found) return otherwise;
  return DecodeMeta(name, bytes).value_or(otherwise);
}

Result<StoreMeta> MetaOfDamaged(Engine& engine) {
  SKIFF_ASSIGN_OR_RETURN(const int64_t format, MetaOr(engine, kMetaFormat, kStoreFormat));
  SKIFF_ASSIGN_OR_RETURN(const int64_t importing, MetaOr(engine, kMetaImporting, 0));
  // Says what is wrong.
  SeededRandom random(0);
  if (format != kStoreFormat || importing != 0) return LoadOrCreateMeta(engine, random);
  StoreMeta meta;
  SKIFF_ASSIGN_OR_RETURN(meta.cluster, MetaOr(engine, kMetaCluster, 0));
  SKIFF_ASSIGN_OR_RETURN(meta.revision, MetaOr(engine, kMetaRevision, 1));
  SKIFF_ASSIGN_OR_RETURN(meta.compacted, MetaOr(engine, kMetaCompacted, 0));
  SKIFF_ASSIGN_OR_RETURN(meta.keys, MetaOr(engine, kMetaKeys, 0));
  LogWalk walk;
  walk.on_record = [&](LogPosition position, const LogRecord&, size_t) -> Result<bool> {
    meta.revision = std::max(meta.revision, position.revision);
    return true;
  };
  walk.on_damage = [](LogPosition, LogPosition, const Status&) -> Result<void> { return {}; };
  SKIFF_RETURN_IF_ERROR(WalkLog(*engine.NewSnapshot(), {}, INT64_MAX, walk));
  return meta;
}

// Follows the positions of the log and says where one is missing.
class GapFinder {
 public:
  explicit GapFinder(int64_t compacted)
      : compacted_(std::max<int64_t>(compacted, 1)), last_{compacted_, 0} {}

  // What is missing before this position; empty if nothing is.
  std::string Before(LogPosition position) {
    // What was compacted has gaps.
    if (position.revision <= compacted_) return {};
    const bool follows = position == LogPosition{last_.revision + 1, 0} ||
                         position == LogPosition{last_.revision, last_.op + 1};
    const int64_t first = last_.revision + 1;
    last_ = position;
    return follows ? ""
                   : Missing(first, position.op == 0 ? position.revision - 1 : position.revision);
  }
  std::string BeforeEnd(int64_t revision) const {
    return revision <= last_.revision ? "" : Missing(last_.revision + 1, revision);
  }

 private:
  static std::string Missing(int64_t first, int64_t last) {
    return "what was written at revision " + std::to_string(first) +
           (last > first ? " to " + std::to_string(last) : "") + " is missing";
  }

  const int64_t compacted_;
  LogPosition last_;
};

}  // namespace

void VerifyReport::Add(std::string what) {
  if (damaged++ < kMaxToldDamage) damage.push_back(std::move(what));
}

Result<std::unique_ptr<OfflineReader>> OfflineReader::OpenDamaged(std::unique_ptr<Engine> engine,
                                                                  Clock* clock) {
  auto reader = std::unique_ptr<OfflineReader>(new OfflineReader(std::move(engine), clock));
  SKIFF_ASSIGN_OR_RETURN(reader->meta_, MetaOfDamaged(*reader->gate_.engine()));
  SKIFF_RETURN_IF_ERROR(reader->LoadLeases());
  return reader;
}

Result<std::unique_ptr<OfflineReader>> OfflineReader::Open(std::unique_ptr<Engine> engine,
                                                           Clock* clock) {
  SKIFF_ASSIGN_OR_RETURN(const bool is_empty, IsEmpty(*engine));
  if (is_empty) return Fail(StatusReason::kNotFound, "there is no store yet");
  auto reader = std::unique_ptr<OfflineReader>(new OfflineReader(std::move(engine), clock));
  Engine& opened = *reader->gate_.engine();
  // Never used, since there is something in the engine.
  SeededRandom random(0);
  SKIFF_ASSIGN_OR_RETURN(reader->meta_, LoadOrCreateMeta(opened, random));
  SKIFF_RETURN_IF_ERROR(reader->LoadLeases());
  return reader;
}

Result<void> OfflineReader::LoadLeases() {
  state_.revision = meta_.revision;
  state_.compacted = meta_.compacted;
  state_.keys = meta_.keys;
  return leases_.Load(*gate_.engine(),
                      [this](const Status& why) { state_.RecordDamage("leases", why.message()); });
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
  uint64_t bytes = 0;
  GapFinder gaps(meta_.compacted);
  LogWalk walk;
  walk.on_record = [&](LogPosition position, const LogRecord& record, size_t size) -> Result<bool> {
    if (position.revision > meta_.revision) {
      report->Add("record " + Shown(position) + " is newer than revision " +
                  std::to_string(meta_.revision) + " of the store");
    }
    if (record.previous >= position) {
      report->Add("record " + Shown(position) + " claims to follow a later one");
    }
    if (std::string gap = gaps.Before(position); !gap.empty()) report->Add(std::move(gap));
    bytes += size;
    if (++report->records % kRecordsPerProgress == 0 && progress) {
      progress({report->records, 0, bytes});
    }
    return true;
  };
  walk.on_damage = [&](LogPosition first, LogPosition end, const Status& why) -> Result<void> {
    const bool is_one = first.revision == end.revision;
    report->Add((is_one ? "record " + Shown(first)
                        : "the log from revision " + std::to_string(first.revision) + " on") +
                ": " + why.message());
    return {};
  };
  SKIFF_RETURN_IF_ERROR(WalkLog(snapshot, {}, INT64_MAX, walk));
  if (std::string gap = gaps.BeforeEnd(meta_.revision); !gap.empty()) report->Add(std::move(gap));
  return {};
}

Result<void> OfflineReader::VerifyKeys(EngineSnapshot& snapshot, const ProgressFunction& progress,
                                       VerifyReport* report) {
  uint64_t rows = 0;
  RowWalk walk;
  walk.on_row = [&](std::string_view key, const CurrentRow& row) -> Result<bool> {
    if (const Result<void> sound = VerifyKey(snapshot, key, row); !sound) {
      report->Add("key " + Quoted(key) + ": " + sound.error().message());
    }
    if (!row.deleted) ++report->keys;
    if (++rows % kRecordsPerProgress == 0 && progress) progress({rows, 0, 0});
    return true;
  };
  walk.on_found_again = [&](std::string_view key, const Status& why) {
    report->Add("the row of key " + Quoted(key) + ", which is found in the log: " + why.message());
  };
  walk.on_damage = [&](const KeyRange& where, const Status& why) -> Result<void> {
    report->Add("the keys from " + Quoted(where.start) + " to " + Quoted(where.end) + ": " +
                why.message());
    return {};
  };
  SKIFF_RETURN_IF_ERROR(WalkRows(snapshot, KeyRange::All(), walk));
  if (report->keys != static_cast<uint64_t>(meta_.keys)) {
    report->Add("it has " + std::to_string(report->keys) + " keys and should have " +
                std::to_string(meta_.keys));
  }
  return {};
}

Result<SalvageFindings> OfflineReader::Salvage(ScanSink* sink) {
  class Through final : public ScanSink {
   public:
    Through(ScanSink* to, SalvageFindings* findings) : to_(to), findings_(findings) {}
    void OnEntries(std::vector<KeyValue> entries) override { to_->OnEntries(std::move(entries)); }
    bool OnDamage(const KeyRange& where, const Status& why) override {
      findings_->lost.emplace_back(where, why);
      return true;
    }

   private:
    ScanSink* const to_;
    SalvageFindings* const findings_;
  };
  SalvageFindings findings;
  Through through(sink, &findings);
  SKIFF_RETURN_IF_ERROR(reader_.Scan(KeyRange::All(), &through));
  VerifyReport report;
  const auto snapshot = gate_.engine()->NewSnapshot();
  SKIFF_RETURN_IF_ERROR(VerifyLog(*snapshot, {}, &report));
  findings.gaps = std::move(report.damage);
  if (state_.any_damage() && findings.lost.empty()) findings.gaps.push_back(state_.Health().damage);
  return findings;
}

Result<void> OfflineReader::VerifyKey(EngineSnapshot& snapshot, std::string_view key,
                                      const CurrentRow& row) {
  std::string bytes;
  SKIFF_ASSIGN_OR_RETURN(const bool found,
                         snapshot.Get(Family::kLog, LogKey(row.position), &bytes));
  if (!found) return Damaged("its record is missing");
  SKIFF_ASSIGN_OR_RETURN(const LogRecord record, DecodeRecord(row.position, bytes));
  const bool deletes = record.kind == Write::Kind::kDelete;
  if (record.key != key || deletes != row.deleted ||
      (!deletes && (record.create_revision != row.create_revision ||
                    record.version != row.version || record.lease != row.lease))) {
    return Damaged("record " + Shown(row.position) + " is not its own");
  }
  if (row.lease.value == 0) return {};
  SKIFF_ASSIGN_OR_RETURN(const bool attached,
                         snapshot.Get(Family::kLease, AttachmentKey(row.lease, key), &bytes));
  if (!attached) return Damaged("it is not among the keys of its lease");
  SKIFF_ASSIGN_OR_RETURN(const bool exists,
                         snapshot.Get(Family::kLease, LeaseKey(row.lease), &bytes));
  if (!exists) return Damaged("its lease is missing");
  return {};
}

Result<void> OfflineReader::VerifyLeases(EngineSnapshot& snapshot, VerifyReport* report) {
  const auto cursor = snapshot.NewCursor(Family::kLease);
  for (cursor->Seek(""); cursor->Valid() && cursor->key() < kLeaseKeysEnd; cursor->Next()) {
    const Result<LeaseRow> row = DecodeLeaseRow(cursor->key(), cursor->value());
    if (!row) report->Add("a lease: " + row.error().message());
    ++report->leases;
  }
  const Result<void> status = cursor->status();
  if (!status && !IsDamage(status.error())) return status;
  if (!status) report->Add("the leases: " + status.error().message());
  return {};
}

}  // namespace skiff::store
