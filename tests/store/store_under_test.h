// The engines that the tests of the store run on, and what a test needs to know of each.
//
// Every test gets a StoreUnderTest of its own and keeps to the keys under its prefix, because the
// etcd that serves all of them is one. What engines cannot help doing differently is a field of
// StoreKind, so that the differences can be read in one place.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "store/store.h"

namespace skiff::testing {

class StoreUnderTest {
 public:
  virtual ~StoreUnderTest() = default;

  // Not after Close. A test that closed the store opens it again to go on.
  virtual store::Store& store() = 0;
  virtual void Close() = 0;
  virtual Result<void> Open() = 0;
  // Lets that much time pass for leases.
  virtual void PassTime(Duration time) = 0;
};

struct StoreKind {
  std::string_view name;
  std::string_view engine = "embedded";  // as figures call it
  // Each test has an empty store to itself: revisions begin at 1 and grow by one, there are no keys
  // but the test's own. An etcd that other tests used before cannot promise that.
  bool fresh = false;
  // What a commit changes has been told to watches before the commit is answered. Between a client
  // and a server the two travel apart.
  bool events_before_answers = false;
  // Time passes only when the test says so. A server has a clock of its own, and etcd grants no
  // lease shorter than two seconds.
  bool steered_time = false;

  // Why this machine cannot run it, or nothing if it can.
  std::optional<std::string> (*missing)() = nullptr;
  std::unique_ptr<StoreUnderTest> (*make)() = nullptr;
};

inline std::ostream& operator<<(std::ostream& out, const StoreKind* kind) {
  return out << kind->name;
}

// All that are compiled in.
const std::vector<const StoreKind*>& StoreKinds();

}  // namespace skiff::testing
