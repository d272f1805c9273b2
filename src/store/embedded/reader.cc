#include "store/embedded/reader.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/limits.h"
#include "base/strings.h"
#include "base/thread.h"
#include "store/check.h"
#include "store/embedded/walk.h"

namespace skiff::store {
namespace {

bool IsSingle(const KeyRange& range) {
  return range.end.size() == range.start.size() + 1 && range.end.back() == '\0' &&
         range.end.starts_with(range.start);
}

Status MissingRecord(LogPosition position) {
  return Status(StatusReason::kInternalError, "record " + std::to_string(position.revision) + "." +
                                                  std::to_string(position.op) + " is missing");
}

// Scans of fewer entries are over before another thread has begun.
constexpr size_t kReadAheadFrom = 8 * 1024;

// Pieces of a scan on their way from the thread that reads them to the one that takes them.
class PieceQueue {
 public:
  // Waits while it is full.
  void Put(std::vector<KeyValue> piece) {
    std::unique_lock lock(mutex_);
    moved_.wait(lock, [&] { return pieces_.size() < limits::kMaxStorePiecesAhead; });
    pieces_.push_back(std::move(piece));
    moved_.notify_all();
  }
  void End() {
    std::lock_guard lock(mutex_);
    ended_ = true;
    moved_.notify_all();
  }
  // Waits for the next one; nothing after the last.
  std::optional<std::vector<KeyValue>> Take() {
    std::unique_lock lock(mutex_);
    moved_.wait(lock, [&] { return !pieces_.empty() || ended_; });
    if (pieces_.empty()) return std::nullopt;
    std::vector<KeyValue> piece = std::move(pieces_.front());
    pieces_.pop_front();
    moved_.notify_all();
    return piece;
  }

 private:
  std::mutex mutex_;
  std::condition_variable moved_;
  std::deque<std::vector<KeyValue>> pieces_;
  bool ended_ = false;
};

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
  const std::string what =
      (key.empty() ? "" : "key " + Quoted(key) + " at ") + "revision " + std::to_string(revision);
  std::string text = "the stored data of " + what + " is damaged; everything else is served; " +
                     "'skiff store salvage' makes a sound store of what can be read, with a backup "
                     "at hand also of this: " +
                     error.message();
  state_->RecordDamage(key.empty() ? what : key, text);
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
  const Result<std::optional<CurrentRow>> row = ReadRow(*view.snapshot, key);
  if (!row) return std::unexpected(Damaged(row.error(), key, view.at));
  if (!*row) return {};
  SKIFF_ASSIGN_OR_RETURN(const auto position, FindAt(*view.snapshot, key, **row, view.at));
  if (!position) return {};
  reply->count = 1;
  if (request.count_only) return {};
  SKIFF_ASSIGN_OR_RETURN(KeyValue entry, ReadEntry(*view.snapshot, key, *position));
  StripValue(request, &entry);
  reply->entries.push_back(std::move(entry));
  return {};
}

Result<void> StoreReader::ReadMany(View& view, const RangeRequest& request, RangeReply* reply) {
  RowWalk walk;
  walk.on_row = [&](std::string_view key, const CurrentRow& row) -> Result<bool> {
    SKIFF_RETURN_IF_ERROR(AddRow(view, request, key, row, reply));
    return true;
  };
  walk.on_damage = [&](const KeyRange& where, const Status& why) -> Result<void> {
    return std::unexpected(DamagedRange(why, where, view.at));
  };
  return WalkRows(*view.snapshot, request.range, walk);
}

Result<void> StoreReader::AddRow(View& view, const RangeRequest& request, std::string_view key,
                                 const CurrentRow& row, RangeReply* reply) {
  SKIFF_ASSIGN_OR_RETURN(const auto position, FindAt(*view.snapshot, key, row, view.at));
  if (!position) return {};
  ++reply->count;
  if (request.count_only) return {};
  if (request.limit > 0 && static_cast<int64_t>(reply->entries.size()) >= request.limit) {
    reply->more = true;
    return {};
  }
  if (request.keys_only && *position == row.position) {
    reply->entries.push_back({std::string(key),
                              {},
                              {row.create_revision},
                              {row.position.revision},
                              row.version,
                              row.lease});
    return {};
  }
  SKIFF_ASSIGN_OR_RETURN(KeyValue entry, ReadEntry(*view.snapshot, key, *position));
  StripValue(request, &entry);
  reply->entries.push_back(std::move(entry));
  return {};
}

Status StoreReader::DamagedRange(const Status& why, const KeyRange& where, int64_t revision) {
  if (IsSingle(where)) return Damaged(why, where.start, revision);
  if (!IsDamage(why)) return why;
  const std::string what = "between " + Quoted(where.start) + " and " +
                           (where.end.empty() ? "the end" : Quoted(where.end));
  std::string text = "which keys there are " + what +
                     " cannot be read; 'skiff store salvage' makes a sound store of what can be, " +
                     "with a backup at hand also of this: " + why.message();
  state_->RecordDamage(what, text);
  return Status(StatusReason::kInternalError, std::move(text));
}

Result<Revision> StoreReader::Scan(const KeyRange& range, ScanSink* sink) {
  SKIFF_ASSIGN_OR_RETURN(View view, OpenView({}));
  KeyRange all = range;
  SKIFF_RETURN_IF_ERROR(ScanView(view, &all, SIZE_MAX, sink));
  return Revision{view.at};
}

Result<std::string> StoreReader::ScanSome(const KeyRange& range, size_t max_rows, ScanSink* sink) {
  SKIFF_ASSIGN_OR_RETURN(View view, OpenView({}));
  KeyRange some = range;
  SKIFF_RETURN_IF_ERROR(ScanView(view, &some, max_rows, sink));
  return some.end == range.end ? std::string() : some.end;
}

Result<void> StoreReader::ScanView(View& view, KeyRange* range, size_t max_rows, ScanSink* sink) {
  SKIFF_ASSIGN_OR_RETURN(std::vector<LogPosition> positions,
                         Positions(view, range, max_rows, sink));
  std::ranges::sort(positions);
  const bool ahead = positions.size() >= kReadAheadFrom;
  SKIFF_ASSIGN_OR_RETURN(
      const std::vector<LogPosition> lost,
      ahead ? SweepAhead(view, positions, sink)
            : Sweep(view, positions, [&](auto piece) { sink->OnEntries(std::move(piece)); }));
  return lost.empty() ? Result<void>() : ReportLost(view, *range, lost, sink);
}

Result<std::vector<LogPosition>> StoreReader::Positions(View& view, KeyRange* range,
                                                        size_t max_rows, ScanSink* sink) {
  std::vector<LogPosition> positions;
  size_t rows = 0;
  std::string next;
  RowWalk walk;
  walk.on_damage = [&](const KeyRange& where, const Status& why) -> Result<void> {
    const Status told = DamagedRange(why, where, view.at);
    if (IsDamage(told) && sink->OnDamage(where, told)) return {};
    return std::unexpected(told);
  };
  walk.on_found_again = [&](std::string_view key, const Status& why) {
    state_->RecordDamage("rows",
                         "rows of keys such as " + Quoted(key) +
                             " cannot be read and are taken from the log: " + why.message());
  };
  walk.on_row = [&](std::string_view key, const CurrentRow& row) -> Result<bool> {
    if (rows++ == max_rows) {
      next = key;
      return false;
    }
    const auto position = FindAt(*view.snapshot, key, row, view.at);
    if (!position) {
      SKIFF_RETURN_IF_ERROR(walk.on_damage(KeyRange::Single(key), position.error()));
    } else if (*position) {
      positions.push_back(**position);
    }
    return true;
  };
  SKIFF_RETURN_IF_ERROR(WalkRows(*view.snapshot, *range, walk));
  if (!next.empty()) range->end = next;
  return positions;
}

// A record from where the cursor is or can be brought to, or else looked up by itself: a damaged
// block elsewhere may stop the cursor.
Result<LogRecord> StoreReader::SweepTo(View& view, EngineCursor& cursor, LogPosition position,
                                       std::string* scratch) {
  // Steps that cost less than looking a position up.
  constexpr int kNearSteps = 16;
  const LogKey key(position);
  for (int step = 0; step < kNearSteps && cursor.Valid() && cursor.key() < key; ++step) {
    cursor.Next();
  }
  if (!cursor.Valid() || cursor.key() < key) cursor.Seek(key);
  if (cursor.Valid() && cursor.key() == key) return DecodeRecord(position, cursor.value());
  SKIFF_ASSIGN_OR_RETURN(const bool found, view.snapshot->Get(Family::kLog, key, scratch));
  if (!found) return std::unexpected(MissingRecord(position));
  return DecodeRecord(position, *scratch);
}

Result<std::vector<LogPosition>> StoreReader::Sweep(View& view,
                                                    const std::vector<LogPosition>& positions,
                                                    const TakePiece& take) {
  const auto cursor = view.snapshot->NewCursor(Family::kLog);
  std::vector<LogPosition> lost;
  std::vector<KeyValue> piece;
  size_t piece_bytes = 0;
  std::string scratch;
  for (const LogPosition position : positions) {
    const Result<LogRecord> record = SweepTo(view, *cursor, position, &scratch);
    if (!record && !IsDamage(record.error())) return std::unexpected(record.error());
    if (!record) {
      lost.push_back(position);
      continue;
    }
    piece.push_back(RecordToKeyValue(position, *record));
    piece_bytes += piece.back().key.size() + piece.back().value.size();
    if (piece.size() >= limits::kMaxStorePieceEntries || piece_bytes >= limits::kStorePieceBytes) {
      take(std::exchange(piece, {}));
      piece_bytes = 0;
    }
  }
  if (!piece.empty()) take(std::move(piece));
  return lost;
}

// What a sink makes of the entries takes about as long as reading them.
Result<std::vector<LogPosition>> StoreReader::SweepAhead(View& view,
                                                         const std::vector<LogPosition>& positions,
                                                         ScanSink* sink) {
  PieceQueue queue;
  Result<std::vector<LogPosition>> lost;
  Thread reader("scan-ahead", [&] {
    lost = Sweep(view, positions, [&](auto piece) { queue.Put(std::move(piece)); });
    queue.End();
  });
  while (std::optional<std::vector<KeyValue>> piece = queue.Take()) {
    sink->OnEntries(std::move(*piece));
  }
  reader.Join();
  return lost;
}

// Which keys the records belonged to is known from their rows.
Result<void> StoreReader::ReportLost(View& view, const KeyRange& range,
                                     const std::vector<LogPosition>& lost, ScanSink* sink) {
  RowWalk walk;
  walk.on_damage = [](const KeyRange&, const Status&) -> Result<void> { return {}; };  // told
  walk.on_row = [&](std::string_view key, const CurrentRow& row) -> Result<bool> {
    const auto position = FindAt(*view.snapshot, key, row, view.at);
    if (!position || !*position || !std::ranges::binary_search(lost, **position)) return true;
    const Result<KeyValue> entry = ReadEntry(*view.snapshot, key, **position);
    const Status why = entry ? Damaged(MissingRecord(**position), key, view.at) : entry.error();
    if (sink->OnDamage(KeyRange::Single(key), why)) return true;
    return std::unexpected(why);
  };
  return WalkRows(*view.snapshot, range, walk);
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
  if (const Result<void> read = cursor->status(); !read) {
    return std::unexpected(Damaged(read.error(), "", last.revision + 1));
  }
  piece.next = through + 1;
  return piece;
}

}  // namespace skiff::store
