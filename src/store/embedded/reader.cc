#include "store/embedded/reader.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "base/limits.h"
#include "base/strings.h"
#include "store/check.h"

namespace skiff {
namespace {

bool IsSingle(const KeyRange& range) {
  return range.end.size() == range.start.size() + 1 && range.end.back() == '\0' &&
         range.end.starts_with(range.start);
}

bool IsBefore(std::string_view key, const KeyRange& range) {
  return range.end.empty() || key < std::string_view(range.end);
}

Status MissingRecord(LogPosition position) {
  return Status(StatusReason::kInternalError, "record " + std::to_string(position.revision) + "." +
                                                  std::to_string(position.op) + " is missing");
}

}  // namespace

Status CompactedError(int64_t wanted, int64_t compacted) {
  return Status(StatusReason::kExpired,
                "the required revision has been compacted: revision " + std::to_string(wanted) +
                    " is older than " + std::to_string(compacted) +
                    ", the oldest that is kept; read the newest state and go on from there");
}

Status FutureError(int64_t wanted, int64_t revision) {
  return Status(StatusReason::kTimeout,
                "the required revision is a future one: the store is at revision " +
                    std::to_string(revision) + ", not yet at " + std::to_string(wanted));
}

struct StoreReader::View {
  EngineGate::Reader engine;
  std::unique_ptr<EngineSnapshot> snapshot;
  int64_t at;        // what is read
  int64_t revision;  // the store's
};

Status StoreReader::Damaged(const Status& error, std::string_view key, int64_t revision) {
  if (error.reason() != StatusReason::kInternalError) return error;
  std::string text = "the stored data of key " + Quoted(key) + " at revision " +
                     std::to_string(revision) + " is damaged: " + error.message() +
                     "; write the key anew or restore the store from a backup";
  state_->NoteDamage(text);
  return Status(StatusReason::kInternalError, std::move(text));
}

Result<StoreReader::View> StoreReader::OpenView(Revision at) {
  SKIFF_ASSIGN_OR_RETURN(EngineGate::Reader engine, gate_->Enter());
  while (true) {
    const int64_t revision = state_->revision.load();
    const int64_t wanted = at.value == 0 ? revision : at.value;
    if (wanted > revision) return std::unexpected(FutureError(wanted, revision));
    std::unique_ptr<EngineSnapshot> snapshot = engine->NewSnapshot();
    const int64_t compacted = state_->compacted.load();
    if (wanted >= compacted) {
      return View{std::move(engine), std::move(snapshot), wanted, revision};
    }
    if (at.value != 0) return std::unexpected(CompactedError(wanted, compacted));
    // The newest was written over and compacted before the snapshot was taken.
  }
}

template <typename Source>
Result<KeyValue> StoreReader::ReadEntry(Source& source, std::string_view key,
                                        LogPosition position) {
  std::string bytes;
  auto read = [&]() -> Result<KeyValue> {
    SKIFF_ASSIGN_OR_RETURN(const bool found, source.Get(Family::kLog, LogKey(position), &bytes));
    if (!found) return std::unexpected(MissingRecord(position));
    SKIFF_ASSIGN_OR_RETURN(const LogRecord record, DecodeRecord(position, bytes));
    if (record.kind != Write::Kind::kPut || (!key.empty() && record.key != key)) {
      return Fail(StatusReason::kInternalError, "its record belongs to another write");
    }
    return RecordToKeyValue(position, record);
  };
  Result<KeyValue> entry = read();
  if (!entry) return std::unexpected(Damaged(entry.error(), key, position.revision));
  return entry;
}

Result<KeyValue> StoreReader::Entry(Engine& engine, std::string_view key, LogPosition position) {
  return ReadEntry(engine, key, position);
}

Result<std::optional<LogPosition>> StoreReader::FindAt(EngineSnapshot& snapshot,
                                                       std::string_view key, const CurrentRow& row,
                                                       int64_t at) {
  if (row.position.revision <= at) {
    return row.deleted ? std::nullopt : std::optional(row.position);
  }
  LogPosition position = row.position;
  std::string bytes;
  while (true) {
    auto read = [&]() -> Result<LogRecord> {
      SKIFF_ASSIGN_OR_RETURN(const bool found,
                             snapshot.Get(Family::kLog, LogKey(position), &bytes));
      if (!found) return std::unexpected(MissingRecord(position));
      return DecodeRecord(position, bytes);
    };
    const Result<LogRecord> record = read();
    if (!record) return std::unexpected(Damaged(record.error(), key, position.revision));
    const LogPosition previous = record->previous;
    if (!previous) return std::nullopt;
    if (previous.revision <= at) {
      // What a creation follows is a deletion, which may have been compacted.
      const bool follows_deletion = record->create_revision == position.revision;
      return follows_deletion ? std::nullopt : std::optional(previous);
    }
    position = previous;
  }
}

Result<RangeReply> StoreReader::Range(const RangeRequest& request) {
  SKIFF_RETURN_IF_ERROR(CheckRange(request));
  SKIFF_ASSIGN_OR_RETURN(View view, OpenView(request.at));
  RangeReply reply;
  reply.revision.value = view.revision;
  SKIFF_RETURN_IF_ERROR(IsSingle(request.range) ? ReadOne(view, request, &reply)
                                                : ReadMany(view, request, &reply));
  return reply;
}

namespace {

void StripValue(const RangeRequest& request, KeyValue* entry) {
  if (request.keys_only) entry->value = SharedBytes();
}

}  // namespace

Result<void> StoreReader::ReadOne(View& view, const RangeRequest& request, RangeReply* reply) {
  const std::string& key = request.range.start;
  std::string bytes;
  SKIFF_ASSIGN_OR_RETURN(const bool found, view.snapshot->Get(Family::kCurrent, key, &bytes));
  if (!found) return {};
  const Result<CurrentRow> row = DecodeCurrentRow(key, bytes);
  if (!row) return std::unexpected(Damaged(row.error(), key, view.at));
  SKIFF_ASSIGN_OR_RETURN(const auto position, FindAt(*view.snapshot, key, *row, view.at));
  if (!position) return {};
  reply->count = 1;
  if (request.count_only) return {};
  SKIFF_ASSIGN_OR_RETURN(KeyValue entry, ReadEntry(*view.snapshot, key, *position));
  StripValue(request, &entry);
  reply->entries.push_back(std::move(entry));
  return {};
}

Result<void> StoreReader::ReadMany(View& view, const RangeRequest& request, RangeReply* reply) {
  const auto cursor = view.snapshot->NewCursor(Family::kCurrent);
  for (cursor->Seek(request.range.start); cursor->Valid() && IsBefore(cursor->key(), request.range);
       cursor->Next()) {
    const Result<CurrentRow> row = DecodeCurrentRow(cursor->key(), cursor->value());
    if (!row) return std::unexpected(Damaged(row.error(), cursor->key(), view.at));
    SKIFF_ASSIGN_OR_RETURN(const auto position,
                           FindAt(*view.snapshot, cursor->key(), *row, view.at));
    if (!position) continue;
    ++reply->count;
    if (request.count_only) continue;
    if (request.limit > 0 && static_cast<int64_t>(reply->entries.size()) >= request.limit) {
      reply->more = true;
      continue;
    }
    if (request.keys_only && *position == row->position) {
      reply->entries.push_back({std::string(cursor->key()),
                                {},
                                {row->create_revision},
                                {row->position.revision},
                                row->version,
                                row->lease});
      continue;
    }
    SKIFF_ASSIGN_OR_RETURN(KeyValue entry, ReadEntry(*view.snapshot, cursor->key(), *position));
    StripValue(request, &entry);
    reply->entries.push_back(std::move(entry));
  }
  return cursor->status();
}

Result<Revision> StoreReader::Scan(const KeyRange& range, ScanSink* sink) {
  SKIFF_ASSIGN_OR_RETURN(View view, OpenView({}));
  SKIFF_ASSIGN_OR_RETURN(std::vector<LogPosition> positions, Positions(view, range));
  std::ranges::sort(positions);
  SKIFF_RETURN_IF_ERROR(Sweep(view, positions, sink));
  return Revision{view.at};
}

Result<std::vector<LogPosition>> StoreReader::Positions(View& view, const KeyRange& range) {
  std::vector<LogPosition> positions;
  const auto cursor = view.snapshot->NewCursor(Family::kCurrent);
  for (cursor->Seek(range.start); cursor->Valid() && IsBefore(cursor->key(), range);
       cursor->Next()) {
    const Result<CurrentRow> row = DecodeCurrentRow(cursor->key(), cursor->value());
    if (!row) return std::unexpected(Damaged(row.error(), cursor->key(), view.at));
    SKIFF_ASSIGN_OR_RETURN(const auto position,
                           FindAt(*view.snapshot, cursor->key(), *row, view.at));
    if (position) positions.push_back(*position);
  }
  SKIFF_RETURN_IF_ERROR(cursor->status());
  return positions;
}

Result<void> StoreReader::Sweep(View& view, const std::vector<LogPosition>& positions,
                                ScanSink* sink) {
  // Steps that cost less than looking a position up.
  constexpr int kNearSteps = 16;
  const auto cursor = view.snapshot->NewCursor(Family::kLog);
  std::vector<KeyValue> piece;
  size_t piece_bytes = 0;
  for (const LogPosition position : positions) {
    const LogKey key(position);
    for (int step = 0; step < kNearSteps && cursor->Valid() && cursor->key() < key; ++step) {
      cursor->Next();
    }
    if (!cursor->Valid() || cursor->key() < key) cursor->Seek(key);
    SKIFF_RETURN_IF_ERROR(cursor->status());
    Result<LogRecord> record = cursor->Valid() && cursor->key() == key
                                   ? DecodeRecord(position, cursor->value())
                                   : Result<LogRecord>(std::unexpected(MissingRecord(position)));
    if (!record) return std::unexpected(Damaged(record.error(), "", position.revision));
    piece.push_back(RecordToKeyValue(position, *record));
    piece_bytes += piece.back().key.size() + piece.back().value.size();
    if (piece.size() >= limits::kMaxStorePieceEntries || piece_bytes >= limits::kStorePieceBytes) {
      sink->OnEntries(std::exchange(piece, {}));
      piece_bytes = 0;
    }
  }
  if (!piece.empty()) sink->OnEntries(std::move(piece));
  return {};
}

Result<Event> StoreReader::ToEvent(EngineSnapshot& snapshot, LogPosition position,
                                   const LogRecord& record, bool previous_values) {
  Event event;
  event.kind = record.kind == Write::Kind::kPut ? Event::Kind::kPut : Event::Kind::kDelete;
  event.entry = RecordToKeyValue(position, record);
  const bool had_value = record.previous && record.create_revision != position.revision;
  if (!previous_values || !had_value) return event;
  // What a compacted write replaced is gone.
  if (position.revision <= state_->compacted.load()) return event;
  SKIFF_ASSIGN_OR_RETURN(event.previous, ReadEntry(snapshot, record.key, record.previous));
  return event;
}

Result<EventPiece> StoreReader::Events(int64_t from, int64_t through, const KeyRange& range,
                                       bool previous_values) {
  SKIFF_ASSIGN_OR_RETURN(const EngineGate::Reader engine, gate_->Enter());
  const auto snapshot = engine->NewSnapshot();
  const int64_t compacted = state_->compacted.load();
  if (from < compacted) return std::unexpected(CompactedError(from, compacted));
  EventPiece piece;
  const auto cursor = snapshot->NewCursor(Family::kLog);
  size_t seen = 0;
  size_t bytes = 0;
  // Every write after the compacted revision has its record; one that is missing must not pass for
  // nothing having happened. Revision 1 is the empty store.
  LogPosition last{std::max({from - 1, compacted, int64_t{1}}), 0};
  for (cursor->Seek(LogKey({from, 0})); cursor->Valid(); cursor->Next()) {
    SKIFF_ASSIGN_OR_RETURN(const LogPosition position, DecodeLogKey(cursor->key()));
    if (position.revision > through) break;
    const bool enough = seen >= limits::kMaxStorePieceEntries || bytes >= limits::kStorePieceBytes;
    if (enough && position.revision != last.revision) {
      piece.next = position.revision;
      return piece;
    }
    const bool follows = position == LogPosition{last.revision + 1, 0} ||
                         position == LogPosition{last.revision, last.op + 1};
    if (position.revision > compacted && !follows) {
      return std::unexpected(Damaged(MissingRecord({last.revision + 1, 0}), "", last.revision + 1));
    }
    last = position;
    ++seen;
    bytes += cursor->value().size();
    const Result<LogRecord> record = DecodeRecord(position, cursor->value());
    if (!record) return std::unexpected(Damaged(record.error(), "", position.revision));
    if (!range.Contains(record->key)) continue;
    SKIFF_ASSIGN_OR_RETURN(Event event, ToEvent(*snapshot, position, *record, previous_values));
    piece.events.push_back(std::move(event));
  }
  SKIFF_RETURN_IF_ERROR(cursor->status());
  piece.next = through + 1;
  return piece;
}

}  // namespace skiff
