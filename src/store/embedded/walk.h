// Walks the log and the rows of an engine through what cannot be read.
//
// An engine's cursor stops at a damaged block. These walks find the next place where it can be read
// and go on from there, and they say what lies between. Since the log holds the newest record of
// every key, rows that are lost are found again in it; only where the log has a gap too, a key or a
// stretch of keys remains of which nothing can be said.
//
// Errors of kInternalError are damage. Any other one ends a walk, and so does an error of whoever
// is called.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "store/embedded/engine.h"
#include "store/embedded/record.h"
#include "store/store.h"

namespace skiff::store {

inline bool IsDamage(const Status& error) { return error.reason() == StatusReason::kInternalError; }

struct LogWalk {
  // The record's views are valid during the call. False ends the walk.
  std::function<Result<bool>(LogPosition position, const LogRecord& record, size_t bytes)>
      on_record;
  // What stands from `first` on and before `end` cannot be read, if there is anything.
  std::function<Result<void>(LogPosition first, LogPosition end, const Status& why)> on_damage;
};
// The records from one position on, not beyond revision `through`.
Result<void> WalkLog(EngineSnapshot& snapshot, LogPosition from, int64_t through,
                     const LogWalk& walk);

struct RowWalk {
  // Rows of deleted keys come too. False ends the walk.
  std::function<Result<bool>(std::string_view key, const CurrentRow& row)> on_row;
  // Whether a key of this range has a row, or which one, is not known. Rows that on_row is called
  // with may lie within it.
  std::function<Result<void>(const KeyRange& where, const Status& why)> on_damage;
  // The row that on_row is called with next could not be read and was found in the log. May be left
  // out.
  std::function<void(std::string_view key, const Status& why)> on_found_again = {};
};
// The rows of the range, ascending by key.
Result<void> WalkRows(EngineSnapshot& snapshot, const KeyRange& range, const RowWalk& walk);

// The row of one key, from the log if need be; nothing if it has none.
Result<std::optional<CurrentRow>> ReadRow(EngineSnapshot& snapshot, std::string_view key);

// What the log says of the rows of a range.
class RowsInLog {
 public:
  struct Found {
    CurrentRow row;
    bool is_newest = true;  // nothing after it was unreadable
  };
  static Result<RowsInLog> Read(EngineSnapshot& snapshot, const KeyRange& range);

  const std::map<std::string, Found, std::less<>>& rows() const { return rows_; }
  bool is_whole() const { return is_whole_; }

 private:
  std::map<std::string, Found, std::less<>> rows_;
  bool is_whole_ = true;
};

// Where the cursor can be read again after an error: a number after `from` and not beyond `end`.
// Leaves the cursor there. `key_of` turns numbers into keys, in the same order.
std::optional<int64_t> SeekPastDamage(EngineCursor& cursor, int64_t from, int64_t end,
                                      const std::function<std::string(int64_t)>& key_of);

}  // namespace skiff::store
