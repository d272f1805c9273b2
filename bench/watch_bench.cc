// What one change costs for each watcher that is told of it: putting it into the watcher's queue
// and taking it out again, without encoding and sending; and what it costs beside thousands of
// watchers that it does not concern.
//
// Publisher and consumers take turns on one thread, so the figures hold all the work and none of
// the waiting.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "bench/benches.h"
#include "store/cache/cache_state.h"
#include "store/cache/watcher.h"

namespace skiff::bench {
namespace {

constexpr size_t kManyWatchers = 10'000;
constexpr size_t kEvents = 64;   // between two drains; watchers have room for more
constexpr size_t kBusyNode = 7;  // where everything happens
constexpr double kLimitNanoseconds = 300;

[[noreturn]] void Die(const char* why) {
  std::fprintf(stderr, "watch_bench: %s\n", why);
  std::exit(1);
}

// A resource with one indexed field.
store::EntryShape Shape() {
  store::EntryShape shape;
  shape.indexed = {0};
  shape.find_field = [](std::string_view name) {
    return name == "spec.nodeName" ? std::optional<size_t>(0) : std::nullopt;
  };
  return shape;
}

// What the watchers ask for: all pods, the same ones, each others (of which all match), or those of
// a node of its own.
enum class Selectors : uint8_t { kNone, kSame, kDifferent, kNode };

class Scene {
 public:
  Scene()
      : state_(std::make_shared<store::CacheState>(Shape(),
                                                   store::EventRingBounds{.max_events = 1000})) {
    std::vector<store::FreshnessQueue::Due> due;
    state_->Replace({}, {}, {1}, {}, due);
  }

  void AddWatchers(size_t count, Selectors selectors) {
    for (size_t i = 0; i < count; ++i) {
      const std::string number = std::to_string(i);
      store::SelectionRequest request;
      if (selectors == Selectors::kSame) {
        request.labels = object::LabelSelector::Parse("app=web,tier in (front,back)").value();
      } else if (selectors == Selectors::kDifferent) {
        request.labels = object::LabelSelector::Parse("app=web,hash!=" + number).value();
      } else if (selectors == Selectors::kNode) {
        request.fields = object::FieldSelector::Equals("spec.nodeName", "node-" + number);
      }
      auto selection = store::Selection::Bind(std::move(request), state_->shape(), symbols_);
      if (!selection) Die("a selection cannot be bound");
      store::Watcher::Start start{
          .state = state_,
          .selection = std::make_shared<const store::Selection>(std::move(*selection))};
      start.next = state_->BeginAfter({1})->next.value();
      start.wake = [] {};
      watchers_.push_back(std::make_unique<store::Watcher>(std::move(start)));
      std::lock_guard lock(state_->watchers().mutex());
      state_->watchers().Add(watchers_.back().get(), Duration{0});
    }
    Drain();
  }

  // Changes of a pod, each by itself.
  void Publish() {
    std::vector<store::CacheChange> changes;
    const object::LabelSet::Label labels[] = {{"app", "web"}, {"tier", "front"}, {"hash", "abc"}};
    const object::LabelSet set(symbols_, labels);
    const std::string node = "node-" + std::to_string(kBusyNode);
    const std::string_view fields[] = {node};
    for (size_t i = 0; i < kEvents; ++i) {
      store::EntryRef entry = store::CacheEntry::Make("ns/pod", {++revision_}, value_, set, fields);
      const std::string_view key = entry->key();
      changes.push_back({key, std::move(entry), {revision_}});
    }
    for (store::CacheChange& change : changes) {
      std::vector<store::EventRef> events;
      std::vector<store::FreshnessQueue::Due> due;
      std::lock_guard lock(state_->watchers().mutex());
      const uint64_t first = state_->Apply(std::span(&change, 1), Duration{revision_}, events, due);
      state_->watchers().Publish(events, first, state_->shape());
    }
  }

  size_t Drain() {
    size_t taken = 0;
    for (size_t i = 0; i < watchers_.size(); ++i) taken += Drain(i);
    return taken;
  }
  size_t Drain(size_t which) {
    items_.clear();
    while (true) {
      const store::Watcher::Progress progress = watchers_[which]->Take(kEvents, items_);
      if (progress == store::Watcher::Progress::kIdle) return items_.size();
      if (progress == store::Watcher::Progress::kEnded) Die("a watcher ended");
    }
  }

 private:
  object::SymbolTable symbols_;
  std::shared_ptr<store::CacheState> state_;
  std::vector<std::unique_ptr<store::Watcher>> watchers_;
  std::vector<store::WatchItem> items_;
  const SharedBytes value_ = SharedBytes(std::string(2048, 'x'));
  int64_t revision_ = 1;
};

// Nanoseconds for each event and each of the watchers.
double FanOut(size_t watchers, Selectors selectors) {
  Scene scene;
  Scene nobody;
  scene.AddWatchers(watchers, selectors);
  const auto [with, without] = BestSecondsEach(
      1.0,
      [&] {
        scene.Publish();
        if (scene.Drain() != kEvents * watchers) Die("a watcher missed something");
      },
      [&] { nobody.Publish(); });
  return (with - without) / static_cast<double>(kEvents * watchers) * 1e9;
}

// Nanoseconds for each event that concerns one of so many watchers.
double OneOf(size_t watchers) {
  Scene scene;
  scene.AddWatchers(watchers, Selectors::kNode);
  const double seconds = BestSeconds([&] {
    scene.Publish();
    if (scene.Drain(kBusyNode) != kEvents) Die("a watcher missed something");
  });
  return seconds / kEvents * 1e9;
}

void ReportFanOut(Report& report, const char* name, size_t watchers, Selectors selectors) {
  const double nanoseconds = FanOut(watchers, selectors);
  report.Figure(name, nanoseconds, "ns", nanoseconds / kLimitNanoseconds, "300ns", AtMost(1.0));
}

}  // namespace

void BenchWatches(Report& report) {
  ReportFanOut(report, "watch_fan_out_1", 1, Selectors::kNone);
  ReportFanOut(report, "watch_fan_out_100", 100, Selectors::kNone);
  ReportFanOut(report, "watch_fan_out_10000", kManyWatchers, Selectors::kNone);
  ReportFanOut(report, "watch_fan_out_10000_same", kManyWatchers, Selectors::kSame);
  // Nobody asks for this; it tells what matching adds when it cannot be shared.
  const double different = FanOut(kManyWatchers, Selectors::kDifferent);
  report.Figure("watch_fan_out_10000_different", different, "ns", different / kLimitNanoseconds,
                "300ns");
  const double few = OneOf(10);
  const double many = OneOf(kManyWatchers);
  report.Figure("watch_event_beside_10000", many, "ns", many / few, "beside_10", AtMost(1.3));
}

}  // namespace skiff::bench
