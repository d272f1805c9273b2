#include "tests/store/fault_scene.h"

#include <algorithm>
#include <cstdlib>

#include "store/blocking.h"
#include "tests/store/text.h"
#include "tests/store/wait.h"

namespace skiff::testing {
namespace {

// Only a failing test waits that long.
constexpr Duration kPatience = std::chrono::seconds(60);

}  // namespace

std::string SceneFindings::Describe() const {
  std::string out;
  if (!linearizable.legal()) out += "history: " + linearizable.why + "\n";
  out += testing::Describe(watches);
  for (const std::string& error : errors) out += error + "\n";
  return out;
}

FaultScene::FaultScene(Clock& clock, std::vector<store::Store*> stores, StoreLoadOptions load,
                       int watchers)
    : clock_(clock), stores_(std::move(stores)) {
  store::KeyRange range = store::KeyRange::Prefix(load.prefix);
  Result<store::Revision> now = Fail(StatusReason::kUnknown, "not asked");
  WaitUntilTrue(clock_, kPatience, [&] {
    now = store::Await<store::Revision>(
        [&](auto done) { stores_[0]->CurrentRevision(std::move(done)); });
    return now.has_value();
  });
  if (!now) errors_.push_back("the store tells no revision: " + now.error().message());
  first_ = store::Revision{now ? now->value + 1 : 2};
  for (size_t store = 0; store < stores_.size(); store++)
    for (int i = 0; i < watchers; i++)
      AddWatch(*stores_[store], Text("watch ", i, " of store ", store),
               {.range = range, .from = first_, .previous_values = i % 2 == 1});
  load_ = std::make_unique<StoreLoad>(clock_, stores_, std::move(load));
}

FaultScene::~FaultScene() {
  load_->Stop();
  watches_.clear();
}

size_t FaultScene::AddWatch(store::Store& store, std::string name, store::WatchRequest request) {
  sinks_.push_back(std::make_unique<LoggingSink>(clock_, std::move(name), request));
  watches_.push_back(store.StartWatch(std::move(request), sinks_.back().get()));
  return watches_.size() - 1;
}

SceneFindings FaultScene::Finish(store::Revision compacted) {
  load_->Stop();
  Result<store::Revision> last = load_->Mark(*stores_[0], kPatience);
  std::vector<std::string> errors = errors_;
  if (!last)
    errors.push_back("the store takes no writes after the fault: " + last.error().message());
  for (store::Store* store : stores_) load_->ReadAll(*store);
  std::vector<WatchLog> logs;
  for (auto& sink : sinks_) {
    if (last && !sink->WaitFor(*last, kPatience))
      errors.push_back(Text(sink->log().name, " has come to revision ", sink->reached().value,
                            ", not to ", last->value));
    logs.push_back(sink->log());
    std::optional<Status> end = sink->end();
    if (end && end->reason() != StatusReason::kExpired)
      errors.push_back(logs.back().name + " ended: " + end->message());
  }
  for (const std::string& error : load_->unexpected()) errors.push_back(error);
  std::vector<WrittenChange> changes = load_->changes();
  Truth truth(changes, logs, last ? *last : store::Revision{});
  return {.linearizable = CheckLinearizable(load_->history()),
          .watches = CheckWatches(logs, truth, compacted),
          .errors = std::move(errors)};
}

int FaultRounds() {
  constexpr int kCrashesPerRound = 500;
  const char* crashes = std::getenv("SKIFF_FAULT_ROUNDS");
  return crashes == nullptr ? 1 : std::max(1, std::atoi(crashes) / kCrashesPerRound);
}

}  // namespace skiff::testing
