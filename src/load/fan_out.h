// Many watches of one collection, and how soon each of them hears of each object made in it.
//
// Every watcher reads its stream and looks at the beginning of each event: which object it is
// about, and how long ago the request that made it was sent. The watches have connections of their
// own, spread over the loops of an engine.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "load/engine.h"
#include "load/latency_histogram.h"
#include "load/objects.h"
#include "load/plans.h"

namespace skiff::load {

struct FanOutOptions {
  size_t watchers = 500;
  size_t connections = 500;  // that carry the watches
  uint64_t events = 1000;    // objects to be made, numbered from zero
};

struct FanOutFigures {
  uint64_t delivered = 0;  // events, over all watchers
  uint64_t expected = 0;
  uint64_t body_bytes = 0;
  size_t cut_off = 0;        // watches that ended before they had heard of everything
  Duration elapsed{};        // until the last delivery
  LatencyHistogram latency;  // from the sending of a create until a watcher hears of it
  OperationFigures creates;
  bool ended_early = false;
  std::string first_error;
};

class FanOut {
 public:
  // The engine and the objects must outlive it.
  FanOut(LoadEngine& engine, const LoadObjects& objects, const FanOutOptions& options);
  FanOut(const FanOut&) = delete;
  FanOut& operator=(const FanOut&) = delete;
  ~FanOut();

  // Opens all watches from a resourceVersion on, and waits until every one of them is answered.
  Result<void> Open(const std::string& resource_version, const LoadTick& tick);
  // Makes the objects, and waits until every watcher has heard of them, or has been cut off, or
  // nothing more comes for a while.
  FanOutFigures Run(const LoadTick& tick);

 private:
  class Watch;
  struct Side;  // what one loop has of it
  class Creates;

  // Calls tick until the condition holds; false when tick said to stop or nothing changed for long.
  bool WaitUntil(const std::function<bool()>& condition, const LoadTick& tick);
  uint64_t Delivered() const;

  LoadEngine& engine_;
  const LoadObjects& objects_;
  const FanOutOptions options_;
  std::vector<std::atomic<int64_t>> sent_ns_;  // when the create of each object was sent
  std::vector<std::unique_ptr<Side>> sides_;
  std::atomic<size_t> open_ = 0;
  std::atomic<size_t> ended_ = 0;
};

}  // namespace skiff::load
