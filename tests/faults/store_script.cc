#include "tests/faults/store_script.h"

#include "base/random.h"
#include "store/blocking.h"
#include "tests/store/recording_sink.h"

namespace skiff {
namespace {

constexpr uint64_t kKeys = 12;
constexpr uint64_t kCompactEvery = 15;
constexpr uint64_t kKept = 20;

std::string Number(uint64_t number) { return std::to_string(number); }

}  // namespace

StoreScript::StoreScript(uint64_t steps) {
  SeededRandom random(5);
  states_.emplace_back();
  for (uint64_t step = 1; step <= steps; ++step) {
    auto state = states_.back();
    Step next;
    next.key = "/registry/things/" + Number(random.Uniform(kKeys));
    const auto found = state.find(next.key);
    if (found != state.end()) next.expected = found->second.second;
    if (found != state.end() && random.Uniform(3) == 0) {
      next.kind = store::Write::Kind::kDelete;
      state.erase(found);
    } else {
      const uint64_t size = step % 13 == 0 ? 40'000 : random.Uniform(3'000);
      next.value =
          "value of step " + Number(step) + std::string(size, static_cast<char>('a' + step % 26));
      state[next.key] = {next.value, RevisionOf(step)};
    }
    steps_.push_back(std::move(next));
    states_.push_back(std::move(state));
  }
}

Result<store::CommitReply> StoreScript::Commit(store::Store& store, uint64_t step) const {
  const Step& next = steps_[step - 1];
  store::Transaction transaction;
  transaction.conditions.push_back(
      {next.key, store::Revision{static_cast<int64_t>(next.expected)}});
  transaction.writes.push_back({next.kind, next.key, SharedBytes(next.value), {}});
  auto reply = store::CommitAndWait(store, std::move(transaction));
  if (reply && step % kCompactEvery == 0 && step > kKept) {
    const store::Revision upto{static_cast<int64_t>(RevisionOf(step - kKept))};
    const auto compacted =
        store::Await<store::Revision>([&](auto done) { store.Compact(upto, std::move(done)); });
    // What the disk refuses here is tried again another time.
    (void)compacted;
  }
  return reply;
}

std::string StoreScript::CheckRange(store::Store& store, uint64_t step) const {
  const auto reply = store::RangeAndWait(store, {.range = store::KeyRange::All()});
  if (!reply) return "range: " + reply.error().ToString();
  const auto& expected = states_[step];
  if (reply->entries.size() != expected.size()) {
    return "SILENTLY WRONG: " + Number(reply->entries.size()) + " keys instead of " +
           Number(expected.size()) + " after step " + Number(step);
  }
  for (const store::KeyValue& entry : reply->entries) {
    const auto found = expected.find(entry.key);
    if (found == expected.end() || found->second.first != entry.value.view() ||
        static_cast<int64_t>(found->second.second) != entry.mod_revision.value) {
      return "SILENTLY WRONG: " + entry.key + " after step " + Number(step);
    }
  }
  return "";
}

std::string StoreScript::CheckEvents(const std::vector<store::Event>& events, uint64_t first,
                                     uint64_t last) const {
  uint64_t step = first;
  for (const store::Event& event : events) {
    if (step > last) return "an event too many, at " + Number(event.revision().value);
    const Step& expected = steps_[step - 1];
    const bool deletion = expected.kind == store::Write::Kind::kDelete;
    if (event.revision().value != static_cast<int64_t>(RevisionOf(step)) ||
        event.entry.key != expected.key ||
        (event.kind == store::Event::Kind::kDelete) != deletion ||
        (!deletion && event.entry.value.view() != expected.value)) {
      return "the event at " + Number(event.revision().value) + " should be that of step " +
             Number(step);
    }
    ++step;
  }
  if (step != last + 1) return "events end before step " + Number(step);
  return "";
}

std::string StoreScript::CheckWatch(store::Store& store, uint64_t step) const {
  const auto figures =
      store::Await<store::StoreFigures>([&](auto done) { store.Figures(std::move(done)); });
  if (!figures) return "figures: " + figures.error().ToString();
  const int64_t from = std::max<int64_t>(figures->compacted.value + 1, 2);
  skiff::testing::RecordingSink sink;
  const auto watch = store.StartWatch(
      {.range = store::KeyRange::All(), .from = store::Revision{from}, .previous_values = false},
      &sink);
  const store::Revision last{static_cast<int64_t>(RevisionOf(step))};
  if (last.value >= from && !sink.WaitForRevision(last))
    return "the watch does not come to the end";
  if (!sink.fault().empty()) return sink.fault();
  return CheckEvents(sink.events(), from - 1, step);
}

std::string StoreScript::Check(store::Store& store, uint64_t at_least, uint64_t* step) const {
  const auto revision =
      store::Await<store::Revision>([&](auto done) { store.CurrentRevision(std::move(done)); });
  if (!revision) return "revision: " + revision.error().ToString();
  *step = static_cast<uint64_t>(revision->value) - 1;
  if (*step < at_least || *step > at_least + 1) {
    return "LOST: revision " + Number(revision->value) + " after step " + Number(at_least);
  }
  if (std::string problem = CheckRange(store, *step); !problem.empty()) return problem;
  return CheckWatch(store, *step);
}

}  // namespace skiff
