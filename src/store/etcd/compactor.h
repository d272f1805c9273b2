// Compaction of an etcd that several API servers share, Skiff's and kube-apiserver alike.
//
// Once in an interval each server tries to write the key "compact_rev_key", under the condition
// that nobody has written it since it last looked. Who succeeds compacts to the revision that it
// saw an interval ago, which is also what it wrote; the others learn that somebody did and look
// again an interval later. So one server compacts, another takes over when that one is gone, and a
// state stays readable for one to two intervals. A server compacts nothing in its first interval.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "store/store.h"

namespace skiff::store {

// Owns a thread that waits for the time. The store and the clock must outlive it.
class EtcdCompactor {
 public:
  static constexpr char kKey[] = "compact_rev_key";

  // --etcd-compaction-interval; zero: never.
  EtcdCompactor(Store& store, Clock& clock, Duration interval);
  ~EtcdCompactor();

  struct State {
    uint64_t rounds = 0;  // that have come to their end
    uint64_t won = 0;     // in which this server was the one to compact
    Revision compacted;   // the last that is known of, by whomever
    std::string error;    // of the last round; empty if there was none
  };
  State state() const;

 private:
  struct Rounds;
  const std::shared_ptr<Rounds> rounds_;
};

}  // namespace skiff::store
