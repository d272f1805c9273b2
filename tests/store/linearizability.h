// Tells whether a recorded history of concurrent operations on one store could have come from a
// store that does one operation at a time: some order of the operations must explain every answer,
// in which no operation stands before one that had returned before it was invoked.
//
// The store is a map from keys to values with a revision. Each operation touches one key; each
// write that happens gets a revision of its own, greater than all before. Two checks, both of which
// must pass:
//
// - Each key by itself: a search for such an order (Wing and Gong's, with Lowe's memory of the
//   configurations that were tried). It needs no revisions to be right, and copes with writes whose
//   outcome is not known: they may stand anywhere after their invocation, or nowhere.
// - The whole store, through its revisions, which name the order outright: every write a revision
// of
//   its own, revisions in the order of real time, and every read the state at the revision that
//   came with its answer.
//
// The search is exponential at worst, so it has a budget; a history that uses it up is undecided,
// which tests treat as a failure of their own making.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skiff::testing {

struct SeenValue {
  std::string value;
  int64_t revision = 0;  // of the write that put it there
  friend bool operator==(const SeenValue&, const SeenValue&) = default;
};

struct Operation {
  enum class Kind : uint8_t {
    kRead,
    kCreate,  // if the key is absent
    kUpdate,  // if its revision is `expected`
    kDelete,  // likewise
  };
  enum class Outcome : uint8_t {
    kOk,
    kFailed,   // the condition did not hold; `seen` and `revision` tell what did
    kUnknown,  // it may have happened or not; of no interest for reads
  };
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

  Kind kind = Kind::kRead;
  Outcome outcome = Outcome::kUnknown;
  // Moments on one scale. An operation whose answer was lost never returned; one of unknown outcome
  // may happen after it did.
  int64_t invoked = 0;
  int64_t returned = kNever;
  std::string key;
  std::string value;     // to be written. Best a different one each time: it then names its write.
  int64_t expected = 0;  // of updates and deletions
  // Of a write that succeeded: its own. Otherwise the store's when it answered; zero: not told.
  int64_t revision = 0;
  // What a read, or an operation whose condition failed, found; nothing: no such key.
  std::optional<SeenValue> seen;

  bool is_write() const { return kind != Kind::kRead; }
  std::string ToString() const;
};

// What a watch was told of.
struct SeenEvent {
  int64_t revision = 0;
  std::string key;
  bool deleted = false;
  std::string value;
};

struct Verdict {
  enum class Kind : uint8_t { kLegal, kIllegal, kUndecided };
  Kind kind = Kind::kLegal;
  std::string why;

  bool legal() const { return kind == Kind::kLegal; }
  static Verdict Illegal(std::string why) { return {Kind::kIllegal, std::move(why)}; }
};

// Configurations that the search may visit for one key.
inline constexpr size_t kDefaultSearchBudget = 5'000'000;

Verdict CheckLinearizable(std::span<const Operation> history,
                          size_t search_budget = kDefaultSearchBudget);
// The two halves of it.
Verdict CheckEachKey(std::span<const Operation> history, size_t search_budget);
Verdict CheckRevisions(std::span<const Operation> history);

// Whether `events` are what a watch of everything may tell about the revisions from first to last:
// each write that succeeded exactly once, nothing that nobody wrote, in order of revision.
Verdict CheckEvents(std::span<const Operation> history, std::span<const SeenEvent> events,
                    int64_t first, int64_t last);

// The history with what the events of the whole life of the store reveal: a write of unknown
// outcome that they show has happened, at that revision; one that they do not show has not, and is
// left out. Only for histories whose unknown writes cannot happen any more.
std::vector<Operation> Resolve(std::span<const Operation> history,
                               std::span<const SeenEvent> events);

}  // namespace skiff::testing
