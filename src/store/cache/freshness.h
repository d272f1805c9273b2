// What a client's resourceVersion, resourceVersionMatch, limit and continue ask for together, by
// the rules that Kubernetes documents for get, list and watch:
//
//   get    unset: newest. 0: any. N: not older than N.
//   list   the same; and with a match, Exact N or NotOlderThan N. N with a limit but no match is
//          Exact, for old clients. A continue token names its own revision. 0 makes the limit void.
//   watch  N: what happens after N. Unset and 0: first the state, newest or any, as ADDED events.
//          sendInitialEvents=true: first a state that is newest, any or not older than N, and then
//          a bookmark. sendInitialEvents=false: no state, from newest, any or N on.
//
// This file only reads the request; who can serve it is decided by resource_cache.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "store/store.h"

namespace skiff::store {

struct Freshness {
  enum class Kind : uint8_t { kNewest, kAny, kNotOlderThan, kExact };
  Kind kind = Kind::kNewest;
  Revision revision;  // of kNotOlderThan and kExact
  friend bool operator==(const Freshness&, const Freshness&) = default;
};

// Values as they stand in the query; empty where there is none.
struct ListVersionOptions {
  std::string_view resource_version = {};
  std::string_view match = {};
  std::string_view continue_token = {};
  int64_t limit = 0;
  bool single = false;  // at most one object can match, so that there are no pages
  std::optional<bool> send_initial_events = {};  // which is for watches
};

struct ListPlan {
  Freshness freshness = {};
  int64_t limit = 0;  // zero: none
  bool continues = false;
  std::string start_key = {};  // relative to what is listed; where a continued list goes on
  friend bool operator==(const ListPlan&, const ListPlan&) = default;
};

struct WatchVersionOptions {
  std::string_view resource_version = {};
  std::string_view match = {};
  std::string_view continue_token = {};
  std::optional<bool> send_initial_events = {};
  bool allow_bookmarks = false;
};

struct WatchPlan {
  bool initial_state = false;  // as ADDED events, before anything else
  bool initial_end = false;    // and then a bookmark that says so
  // Of the state; without one, where to begin: kExact for "after this revision".
  Freshness freshness = {};
  // The client did not insist on the newest state, so a state that may be older will do when
  // nobody can tell in time.
  bool best_effort = false;
  friend bool operator==(const WatchPlan&, const WatchPlan&) = default;
};

// kBadRequest for a resourceVersion or a continue token that cannot be read, kInvalid for options
// that exclude each other.
Result<Freshness> PlanGet(std::string_view resource_version);
Result<ListPlan> PlanList(const ListVersionOptions& options);
Result<WatchPlan> PlanWatch(const WatchVersionOptions& options);

// The errors that these rules end in, as Kubernetes words them.
// 504: the revision lies in the future, and waiting for it was in vain.
Status TooLargeResourceVersion(Revision wanted, Revision current);
// 410: a watch from a revision whose events are gone; `oldest` is the first that can be had.
Status TooOldToWatch(Revision wanted, Revision oldest);
// 410: the cache itself lost its place in the store's history.
Status WatchExpired();
// 410: a list at a revision that is compacted.
Status TooOldToList();
// 410: the same for a later page, with a token for the rest of the list as it is now.
Status TooOldToContinue(std::string_view start_key);
// 429: the cache is being filled.
Status CacheNotReady();

}  // namespace skiff::store
