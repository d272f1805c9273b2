// Compares what watches were told with what was written.
//
// A test records both: WatchLog is every call that one watch made, WrittenChange is every change
// that somebody asked for, with the revision if the answer came. From all of them together comes
// the truth: the changes of the store, revision by revision. Each watch must have told exactly its
// part of it. What it did wrong is returned as a list of findings, so that the same check serves
// tests of stores that are right and tests that plant a fault to see the check fail.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "store/store.h"
#include "tests/store/linearizability.h"

namespace skiff::testing {

// Moments are nanoseconds of the test's clock.
struct WatchCall {
  enum class Kind : uint8_t { kEvents, kProgress, kEnd };
  Kind kind = Kind::kEvents;
  int64_t moment = 0;
  std::vector<store::Event> events = {};
  store::Revision progress = {};
  std::optional<Status> end = std::nullopt;
};

struct WatchLog {
  std::string name;  // for messages
  store::WatchRequest request;
  std::vector<WatchCall> calls;
};

struct WrittenChange {
  int64_t revision = 0;  // zero: whether it happened is not known
  int64_t invoked = 0;   // the moment
  std::string key;
  bool deleted = false;
  std::string value;  // a different one each time
};

// The writes of a history that happened or may have. Changes of transactions that wrote several
// keys are added by the test.
std::vector<WrittenChange> ChangesOf(std::span<const Operation> history);

enum class WatchFault : uint8_t {
  kLostEvent,
  kLostDeletion,
  kDuplicatedEvent,
  kOutOfOrder,
  kSplitRevision,  // events of one revision came in two calls
  kBeforeStart,    // an event older than the watch asked for
  kOutsideRange,   // of a key that it did not ask for
  kProgressAhead,  // an event at or below a progress mark came after it
  kProgressBack,   // a mark below an earlier mark or event
  kFromTheFuture,  // an event that came before anyone asked for the change, or beyond the last
  kInvented,       // an event of what nobody wrote
  kWrongContent,   // value, version or create revision differ from what was written
  kWrongPrevious,  // the previous value does
  kCallAfterEnd,
};
std::string_view WatchFaultName(WatchFault fault);

struct WatchFinding {
  WatchFault fault;
  std::string what;
};
std::ostream& operator<<(std::ostream& out, const WatchFinding& finding);
// All of them, a line each; empty when there are none.
std::string Describe(std::span<const WatchFinding> findings);
bool Has(std::span<const WatchFinding> findings, WatchFault fault);

// What really happened, as far as writers and watches together reveal it.
class Truth {
 public:
  // A change whose outcome is unknown counts as done if any of the watches saw it. `last` is the
  // revision up to which watches are to be complete.
  Truth(std::span<const WrittenChange> changes, std::span<const WatchLog> watches,
        store::Revision last);

  struct Change {
    bool deleted = false;
    std::string value;
    int64_t invoked = 0;
    // The state before, if the key was there; of puts also the history that the entry carries.
    int64_t previous_revision = 0;
    std::string previous_value = {};
    int64_t create_revision = 0;
    int64_t version = 0;
  };
  const std::map<std::pair<int64_t, std::string>, Change>& changes() const { return changes_; }
  int64_t last() const { return last_; }

 private:
  void LinkHistories();

  std::map<std::pair<int64_t, std::string>, Change> changes_;
  int64_t last_;
};

// A watch that ended with kExpired need only be complete up to what it told. Previous values may be
// missing where they were at or below `compacted`.
std::vector<WatchFinding> CheckWatch(const WatchLog& log, const Truth& truth,
                                     store::Revision compacted = {});
std::vector<WatchFinding> CheckWatches(std::span<const WatchLog> logs, const Truth& truth,
                                       store::Revision compacted = {});

// Records a watch. Thread-safe.
class LoggingSink final : public store::WatchSink {
 public:
  LoggingSink(Clock& clock, std::string name, store::WatchRequest request);

  void OnEvents(std::span<const store::Event> events) override;
  void OnProgress(store::Revision revision) override;
  void OnEnd(Status why) override;

  // Until an event or a mark at or beyond the revision has come, or the end; false if it does not.
  bool WaitFor(store::Revision revision, Duration limit);
  bool WaitForEnd(Duration limit);
  std::optional<Status> end() const;
  store::Revision reached() const;
  WatchLog log() const;

 private:
  void Add(WatchCall call, store::Revision reached);

  Clock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  WatchLog log_;
  store::Revision reached_;
  std::optional<Status> end_;
};

}  // namespace skiff::testing
