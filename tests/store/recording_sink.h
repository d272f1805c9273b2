// A watch sink that remembers what it was told, and lets a test wait for it. It checks by itself
// what must hold of every watch: one call at a time, revisions that never go back, all events of a
// revision in one call, nothing after the end.
//
// Thread-safe.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "store/store.h"

namespace skiff::testing {

// How long tests wait for what must come. Only a failing test waits that long.
inline constexpr Duration kPatience = std::chrono::seconds(60);

class RecordingSink final : public store::WatchSink {
 public:
  void OnEvents(std::span<const store::Event> events) override;
  void OnProgress(store::Revision revision) override;
  void OnEnd(Status why) override;

  // Each false if it does not come in time.
  bool WaitForEvents(size_t count);
  bool WaitForRevision(store::Revision revision);  // an event at or beyond it
  bool WaitForProgress(store::Revision revision);  // or beyond it
  bool WaitForEnd();

  std::vector<store::Event> events() const;
  std::vector<size_t> events_per_call() const;
  std::optional<store::Revision> progress() const;  // the last
  std::optional<Status> end() const;
  // What was wrong with the calls themselves; empty if nothing was.
  std::string fault() const;

 private:
  template <typename Condition>
  bool WaitFor(Condition condition);
  void Blame(std::string fault);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<store::Event> events_;
  std::vector<size_t> events_per_call_;
  store::Revision told_;  // no later event may be at or below it
  std::optional<store::Revision> progress_;
  std::optional<Status> end_;
  std::string fault_;
};

}  // namespace skiff::testing
