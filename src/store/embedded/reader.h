// Reads of an embedded store: ranges at any revision, scans, and the events of the log.
//
// Owned by the store; used by any thread, on which the reading happens, but for long scans, which
// another thread reads ahead while the caller's gives their pieces to the sink. Whatever turns out
// to be damaged is an error of kInternalError that names it, and is noted in the state's health. A
// range with a damaged key in it is such an error; a scan tells its sink of the key and goes on.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/embedded/engine_gate.h"
#include "store/embedded/record.h"
#include "store/embedded/store_state.h"
#include "store/store.h"

namespace skiff::store {

// A run of the log.
struct EventPiece {
  std::vector<Event> events;  // those of the range
  int64_t next = 0;           // everything before this revision is in here or in earlier pieces
};

class StoreReader {
 public:
  StoreReader(EngineGate* gate, StoreState* state) : gate_(gate), state_(state) {}

  Result<RangeReply> Range(const RangeRequest& request);
  Result<Revision> Scan(const KeyRange& range, ScanSink* sink);
  // Only so many keys of it; the key at which the next call goes on, empty after the last.
  Result<std::string> ScanSome(const KeyRange& range, size_t max_rows, ScanSink* sink);
  // The events of revisions from `from` on, not beyond `through`, until enough are together.
  Result<EventPiece> Events(int64_t from, int64_t through, const KeyRange& range,
                            bool previous_values);

  // The entry that a row points to.
  Result<KeyValue> Entry(Engine& engine, std::string_view key, LogPosition position);

  // Adds to an error of reading what an operator needs, and notes it.
  Status Damaged(const Status& error, std::string_view key, int64_t revision);

 private:
  struct View;
  // A snapshot in which all of revision `at` (zero: the newest) is present.
  Result<View> OpenView(Revision at);
  template <typename Source>
  Result<KeyValue> ReadEntry(Source& source, std::string_view key, LogPosition position);
  // Where the record is that held the key at `at`.
  Result<std::optional<LogPosition>> FindAt(EngineSnapshot& snapshot, std::string_view key,
                                            const CurrentRow& row, int64_t at);
  Result<void> ReadOne(View& view, const RangeRequest& request, RangeReply* reply);
  Result<void> ReadMany(View& view, const RangeRequest& request, RangeReply* reply);
  Result<void> AddRow(View& view, const RangeRequest& request, std::string_view key,
                      const CurrentRow& row, RangeReply* reply);
  Status DamagedRange(const Status& why, const KeyRange& where, int64_t revision);
  // Both shorten the range to what they have read, if there are more rows.
  Result<void> ScanView(View& view, KeyRange* range, size_t max_rows, ScanSink* sink);
  Result<std::vector<LogPosition>> Positions(View& view, KeyRange* range, size_t max_rows,
                                             ScanSink* sink);
  Result<LogRecord> SweepTo(View& view, EngineCursor& cursor, LogPosition position,
                            std::string* scratch);
  // Both return the positions that could not be read; the second reads on a thread of its own.
  using TakePiece = std::function<void(std::vector<KeyValue> piece)>;
  Result<std::vector<LogPosition>> Sweep(View& view, const std::vector<LogPosition>& positions,
                                         const TakePiece& take);
  Result<std::vector<LogPosition>> SweepAhead(View& view, const std::vector<LogPosition>& positions,
                                              ScanSink* sink);
  Result<void> ReportLost(View& view, const KeyRange& range, const std::vector<LogPosition>& lost,
                          ScanSink* sink);
  Result<Event> ToEvent(EngineSnapshot& snapshot, LogPosition position, const LogRecord& record,
                        bool previous_values);

  EngineGate* gate_;
  StoreState* state_;
};

// Kubernetes' words for a revision that is gone.
Status CompactedError(int64_t wanted, int64_t compacted);
// For a revision that has not come yet.
Status FutureError(int64_t wanted, int64_t revision);

}  // namespace skiff::store
