#include "store/embedded/walk.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace skiff::store {
namespace {

bool IsWithin(std::string_view key, const KeyRange& range) {
  return range.end.empty() || key < std::string_view(range.end);
}

CurrentRow RowOf(LogPosition position, const LogRecord& record) {
  return {.position = position,
          .create_revision = record.create_revision,
          .version = record.version,
          .lease = record.lease,
          .deleted = record.kind == Write::Kind::kDelete};
}

std::string LogKeyOf(int64_t revision) { return std::string(LogKey({revision, 0})); }

// A walk over rows, of which some cannot be read.
class RowWalker {
 public:
  RowWalker(EngineSnapshot& snapshot, const KeyRange& range, const RowWalk& walk)
      : snapshot_(snapshot),
        range_(range),
        walk_(walk),
        cursor_(snapshot.NewCursor(Family::kCurrent)),
        from_(range.start) {}

  Result<void> Run() {
    cursor_->Seek(range_.start);
    while (true) {
      SKIFF_RETURN_IF_ERROR(TakeReadable());
      const Result<void> status = cursor_->status();
      if (is_ended_ || status) return {};
      if (!IsDamage(status.error())) return status;
      SKIFF_ASSIGN_OR_RETURN(const bool goes_on, TakeFromLog(status.error()));
      if (!goes_on) return {};
    }
  }

 private:
  Result<void> TakeReadable() {
    for (; cursor_->Valid() && IsWithin(cursor_->key(), range_); cursor_->Next()) {
      const std::string_view key = cursor_->key();
      const Result<CurrentRow> row = DecodeCurrentRow(key, cursor_->value());
      SKIFF_RETURN_IF_ERROR(row ? Take(key, *row) : TakeLost(key, row.error()));
      if (is_ended_) return {};
      from_.assign(key).push_back('\0');
    }
    return {};
  }

  // The keys from from_ on, as the log tells of them, until the cursor can be read again; false at
  // the end of the range.
  Result<bool> TakeFromLog(const Status& why) {
    const std::string gap = from_;
    SKIFF_RETURN_IF_ERROR(ReadLog());
    bool is_readable = false;
    for (auto at = log_->rows().lower_bound(from_); at != log_->rows().end(); ++at) {
      std::string bytes;
      const Result<bool> found = snapshot_.Get(Family::kCurrent, at->first, &bytes);
      if (found && !*found) continue;
      if (found) {
        cursor_->Seek(at->first);
        is_readable = cursor_->Valid();
        if (is_readable) break;
      }
      const Result<CurrentRow> row =
          found ? DecodeCurrentRow(at->first, bytes) : Result<CurrentRow>(std::unexpected(why));
      SKIFF_RETURN_IF_ERROR(row ? Take(at->first, *row) : TakeLost(at->first, why));
      if (is_ended_) return false;
      from_.assign(at->first).push_back('\0');
    }
    // A key whose record is lost as well is not among those of the log.
    if (!log_->is_whole()) {
      KeyRange unknown{gap, is_readable ? std::string(cursor_->key()) : range_.end};
      SKIFF_RETURN_IF_ERROR(walk_.on_damage(unknown, why));
    }
    return is_readable;
  }

  Result<void> Take(std::string_view key, const CurrentRow& row) {
    SKIFF_ASSIGN_OR_RETURN(const bool goes_on, walk_.on_row(key, row));
    is_ended_ = !goes_on;
    return {};
  }

  Result<void> TakeLost(std::string_view key, const Status& why) {
    SKIFF_RETURN_IF_ERROR(ReadLog());
    const auto at = log_->rows().find(key);
    const bool is_known = at != log_->rows().end() && at->second.is_newest;
    if (is_known && walk_.on_found_again) walk_.on_found_again(key, why);
    if (is_known) return Take(key, at->second.row);
    return walk_.on_damage(KeyRange::Single(key), why);
  }

  Result<void> ReadLog() {
    if (log_) return {};
    SKIFF_ASSIGN_OR_RETURN(log_, RowsInLog::Read(snapshot_, range_));
    return {};
  }

  EngineSnapshot& snapshot_;
  const KeyRange& range_;
  const RowWalk& walk_;
  const std::unique_ptr<EngineCursor> cursor_;
  std::string from_;  // every key before it has been passed
  std::optional<RowsInLog> log_;
  bool is_ended_ = false;
};

}  // namespace

std::optional<int64_t> SeekPastDamage(EngineCursor& cursor, int64_t from, int64_t end,
                                      const std::function<std::string(int64_t)>& key_of) {
  const auto is_readable = [&](int64_t number) {
    cursor.Seek(key_of(number));
    return cursor.Valid() || cursor.status().has_value();
  };
  int64_t fails = from;
  int64_t reads = from;
  for (int64_t step = 1;; step = step > INT64_MAX / 2 ? INT64_MAX : step * 2) {
    reads = end - from <= step ? end : from + step;
    if (is_readable(reads)) break;
    if (reads == end) return std::nullopt;
    fails = reads;
  }
  while (reads - fails > 1) {
    const int64_t middle = fails + (reads - fails) / 2;
    (is_readable(middle) ? reads : fails) = middle;
  }
  return is_readable(reads) ? std::optional(reads) : std::nullopt;
}

Result<void> WalkLog(EngineSnapshot& snapshot, LogPosition from, int64_t through,
                     const LogWalk& walk) {
  const auto cursor = snapshot.NewCursor(Family::kLog);
  LogPosition next = from;
  cursor->Seek(LogKey(from));
  while (true) {
    for (; cursor->Valid(); cursor->Next()) {
      SKIFF_ASSIGN_OR_RETURN(const LogPosition position, DecodeLogKey(cursor->key()));
      if (position.revision > through) return {};
      next = {position.revision, position.op + 1};
      const Result<LogRecord> record = DecodeRecord(position, cursor->value());
      if (!record) {
        SKIFF_RETURN_IF_ERROR(walk.on_damage(position, next, record.error()));
        continue;
      }
      SKIFF_ASSIGN_OR_RETURN(const bool goes_on,
                             walk.on_record(position, *record, cursor->value().size()));
      if (!goes_on) return {};
    }
    const Result<void> status = cursor->status();
    if (status) return {};
    if (!IsDamage(status.error())) return status;
    const auto readable = SeekPastDamage(*cursor, next.revision, INT64_MAX - 1, LogKeyOf);
    // Revisions that have not been given yet cannot be lost.
    const int64_t end = readable.value_or(INT64_MAX);
    SKIFF_RETURN_IF_ERROR(walk.on_damage(next, {end, 0}, status.error()));
    if (!readable || *readable > through) return {};
    next = {*readable, 0};
  }
}

Result<RowsInLog> RowsInLog::Read(EngineSnapshot& snapshot, const KeyRange& range) {
  RowsInLog out;
  LogPosition lost_before;
  LogWalk walk;
  walk.on_record = [&](LogPosition position, const LogRecord& record, size_t) -> Result<bool> {
    if (!range.Contains(record.key)) return true;
    const auto at = out.rows_.find(record.key);
    const Found found{RowOf(position, record), true};
    if (at == out.rows_.end()) {
      out.rows_.emplace(record.key, found);
    } else {
      at->second = found;
    }
    return true;
  };
  walk.on_damage = [&](LogPosition, LogPosition end, const Status&) -> Result<void> {
    lost_before = end;
    out.is_whole_ = false;
    return {};
  };
  SKIFF_RETURN_IF_ERROR(WalkLog(snapshot, {}, INT64_MAX, walk));
  for (auto& [key, found] : out.rows_) found.is_newest = found.row.position >= lost_before;
  return out;
}

Result<void> WalkRows(EngineSnapshot& snapshot, const KeyRange& range, const RowWalk& walk) {
  return RowWalker(snapshot, range, walk).Run();
}

Result<std::optional<CurrentRow>> ReadRow(EngineSnapshot& snapshot, std::string_view key) {
  std::string bytes;
  const Result<bool> found = snapshot.Get(Family::kCurrent, key, &bytes);
  if (found && !*found) return std::nullopt;
  Result<CurrentRow> row =
      found ? DecodeCurrentRow(key, bytes) : Result<CurrentRow>(std::unexpected(found.error()));
  if (row) return *row;
  if (!IsDamage(row.error())) return std::unexpected(std::move(row).error());
  SKIFF_ASSIGN_OR_RETURN(const RowsInLog log, RowsInLog::Read(snapshot, KeyRange::Single(key)));
  const auto at = log.rows().find(key);
  if (at != log.rows().end() && at->second.is_newest) return at->second.row;
  // A key that the whole log does not tell of has no row.
  if (at == log.rows().end() && log.is_whole()) return std::nullopt;
  return std::unexpected(std::move(row).error());
}

}  // namespace skiff::store
