#include "tests/store/linearizability.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "tests/store/text.h"

namespace skiff::testing {
namespace {

using Kind = Operation::Kind;
using Outcome = Operation::Outcome;

constexpr std::string_view kKindNames[] = {"read", "create", "update", "delete"};
constexpr std::string_view kOutcomeNames[] = {"ok", "failed", "unknown"};

bool HasAnswer(const Operation& operation) { return operation.outcome != Outcome::kUnknown; }

// ---- Each key by itself

// What one key holds, as far as the operations that were put in order tell.
struct KeyState {
  bool present = false;
  // The key was last written by an operation whose revision nobody has told yet.
  bool revision_open = false;
  uint32_t value = 0;  // number of the value; zero if absent
  // Of the last write. If that is open: of the last one that is known; the open one is greater.
  int64_t revision = 0;
  friend bool operator==(const KeyState&, const KeyState&) = default;
};

// Makes the state's revision `revision`, if it can be that.
bool SettleRevision(KeyState& state, int64_t revision) {
  if (!state.revision_open) return state.revision == revision;
  if (revision <= state.revision) return false;
  state.revision_open = false;
  state.revision = revision;
  return true;
}

// An operation with its strings replaced by numbers.
struct Step {
  const Operation* operation;
  uint32_t value;  // that it writes
  uint32_t seen;   // zero: absent
};

bool Matches(const Step& step, KeyState& state) {
  const Operation& operation = *step.operation;
  if (!operation.seen) return !state.present;
  return state.present && state.value == step.seen &&
         SettleRevision(state, operation.seen->revision);
}

bool ConditionHolds(const Operation& operation, KeyState& state) {
  if (operation.kind == Kind::kCreate) return !state.present;
  return state.present && SettleRevision(state, operation.expected);
}

// The state after the step, or nothing if the step cannot happen in this state.
std::optional<KeyState> Apply(const Step& step, KeyState state) {
  const Operation& operation = *step.operation;
  if (operation.kind == Kind::kRead)
    return Matches(step, state) ? std::optional(state) : std::nullopt;
  if (operation.outcome == Outcome::kFailed) {
    if (!Matches(step, state)) return std::nullopt;
    KeyState probe = state;
    return ConditionHolds(operation, probe) ? std::nullopt : std::optional(state);
  }
  if (!ConditionHolds(operation, state)) return std::nullopt;
  // An open revision that this write leaves behind is known to lie below the write's own.
  const int64_t above = state.revision + (state.revision_open ? 1 : 0);
  state.present = operation.kind != Kind::kDelete;
  state.value = step.value;
  state.revision_open = operation.outcome == Outcome::kUnknown;
  if (!state.revision_open) {
    if (operation.revision <= above) return std::nullopt;
    state.revision = operation.revision;
  } else {
    state.revision = above;
  }
  return state;
}

// Which operations have been put in order, and what that left the key with.
struct Configuration {
  std::vector<uint64_t> done;
  KeyState state;
  friend bool operator==(const Configuration&, const Configuration&) = default;
};

struct ConfigurationHash {
  size_t operator()(const Configuration& configuration) const {
    uint64_t hash = 0x9e3779b97f4a7c15;
    const auto mix = [&](uint64_t word) {
      hash = (hash ^ word) * 0xff51afd7ed558ccd;
      hash ^= hash >> 32;
    };
    for (const uint64_t word : configuration.done) mix(word);
    mix(configuration.state.value * 4 + configuration.state.present * 2 +
        configuration.state.revision_open);
    mix(static_cast<uint64_t>(configuration.state.revision));
    return hash;
  }
};

// The search over one key. Invocations and returns form a list in order of time; the operations
// whose invocations stand before the first return are those that may come next. Putting one in
// order takes it off the list, and going back puts it in again.
class KeySearch {
 public:
  explicit KeySearch(std::vector<const Operation*> operations);
  Verdict Run(size_t budget);

 private:
  struct Node {
    size_t step = 0;
    bool is_return = false;
    int64_t when = 0;
    size_t before = 0;
    size_t after = 0;
  };
  static constexpr size_t kHead = 0;

  void BuildList();
  void Unlink(size_t node);
  void Relink(size_t node);
  void Lift(size_t step);
  void Lower(size_t step);
  bool TryStep(size_t step);
  Verdict Report(size_t step) const;

  std::vector<Step> steps_;
  std::vector<Node> nodes_;
  std::vector<size_t> call_node_, return_node_;  // by step; kHead: never returned
  Configuration now_;
  std::unordered_set<Configuration, ConfigurationHash> visited_;
  struct Taken {
    size_t step;
    KeyState state_before;
  };
  std::vector<Taken> taken_;
  size_t answers_left_ = 0;  // operations that returned and are not in order yet
  size_t deepest_ = 0;
  size_t stuck_at_ = 0;  // the step whose answer nothing explained, where the search got furthest
};

KeySearch::KeySearch(std::vector<const Operation*> operations) {
  std::unordered_map<std::string_view, uint32_t> numbers;
  const auto number = [&](std::string_view value) {
    return numbers.emplace(value, static_cast<uint32_t>(numbers.size() + 1)).first->second;
  };
  for (const Operation* operation : operations) {
    const bool puts = operation->kind == Kind::kCreate || operation->kind == Kind::kUpdate;
    steps_.push_back({operation, puts ? number(operation->value) : 0,
                      operation->seen ? number(operation->seen->value) : 0});
  }
  now_.done.assign((steps_.size() + 63) / 64, 0);
  BuildList();
}

void KeySearch::BuildList() {
  std::vector<Node> events;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Operation& operation = *steps_[i].operation;
    events.push_back({i, false, operation.invoked});
    if (operation.returned == Operation::kNever || !HasAnswer(operation)) continue;
    events.push_back({i, true, operation.returned});
    ++answers_left_;
  }
  // Of the same moment, invocations go first: the operations then count as concurrent.
  std::ranges::stable_sort(events, {},
                           [](const Node& n) { return std::pair(n.when, n.is_return); });
  nodes_.resize(1);
  nodes_.insert(nodes_.end(), events.begin(), events.end());
  call_node_.assign(steps_.size(), kHead);
  return_node_.assign(steps_.size(), kHead);
  for (size_t i = 0; i < nodes_.size(); ++i) {
    nodes_[i].before = i == 0 ? nodes_.size() - 1 : i - 1;
    nodes_[i].after = i + 1 == nodes_.size() ? kHead : i + 1;
    if (i != kHead) (nodes_[i].is_return ? return_node_ : call_node_)[nodes_[i].step] = i;
  }
}

void KeySearch::Unlink(size_t node) {
  nodes_[nodes_[node].before].after = nodes_[node].after;
  nodes_[nodes_[node].after].before = nodes_[node].before;
}

void KeySearch::Relink(size_t node) {
  nodes_[nodes_[node].before].after = node;
  nodes_[nodes_[node].after].before = node;
}

void KeySearch::Lift(size_t step) {
  Unlink(call_node_[step]);
  if (return_node_[step] == kHead) return;
  Unlink(return_node_[step]);
  --answers_left_;
}

void KeySearch::Lower(size_t step) {
  if (return_node_[step] != kHead) {
    Relink(return_node_[step]);
    ++answers_left_;
  }
  Relink(call_node_[step]);
}

bool KeySearch::TryStep(size_t step) {
  const std::optional<KeyState> next = Apply(steps_[step], now_.state);
  if (!next) return false;
  const KeyState before = std::exchange(now_.state, *next);
  now_.done[step / 64] |= uint64_t{1} << (step % 64);
  if (visited_.insert(now_).second) {
    taken_.push_back({step, before});
    Lift(step);
    return true;
  }
  now_.done[step / 64] &= ~(uint64_t{1} << (step % 64));
  now_.state = before;
  return false;
}

Verdict KeySearch::Run(size_t budget) {
  size_t node = nodes_[kHead].after;
  while (answers_left_ > 0) {
    if (visited_.size() > budget)
      return {Verdict::Kind::kUndecided,
              Text("key \"", steps_[0].operation->key, "\": undecided after ", visited_.size(),
                   " configurations of ", steps_.size(), " operations")};
    if (!nodes_[node].is_return) {
      node = TryStep(nodes_[node].step) ? nodes_[kHead].after : nodes_[node].after;
      continue;
    }
    // This operation had returned, and nothing that may come before explains its answer: go back.
    if (taken_.size() >= deepest_) {
      deepest_ = taken_.size();
      stuck_at_ = nodes_[node].step;
    }
    if (taken_.empty()) return Report(stuck_at_);
    const Taken last = taken_.back();
    taken_.pop_back();
    Lower(last.step);
    now_.done[last.step / 64] &= ~(uint64_t{1} << (last.step % 64));
    now_.state = last.state_before;
    node = nodes_[call_node_[last.step]].after;
  }
  return {};
}

Verdict KeySearch::Report(size_t step) const {
  std::string why =
      Text("key \"", steps_[step].operation->key, "\": no order of the operations explains ",
           steps_[step].operation->ToString(), "; around it:");
  const Operation& stuck = *steps_[step].operation;
  size_t shown = 0;
  for (const Step& other : steps_) {
    const Operation& near = *other.operation;
    if (near.returned < stuck.invoked - 40 || near.invoked > stuck.returned || shown == 30)
      continue;
    why += "\n  " + near.ToString();
    ++shown;
  }
  return Verdict::Illegal(std::move(why));
}

// ---- The whole store

struct KnownWrite {
  const Operation* operation;  // null: one of several of unknown outcome
  std::string_view key;
  std::string_view value;
  bool deleted;
};

class RevisionCheck {
 public:
  explicit RevisionCheck(std::span<const Operation> history) : history_(history) {}
  Verdict Run();

 private:
  Verdict CollectWrites();
  Verdict CollectObservation(const Operation& operation);
  Verdict CheckRealTime() const;
  Verdict CheckState(const Operation& operation) const;
  bool MayHaveBeenDeleted(const Operation& reader) const;

  std::span<const Operation> history_;
  std::map<int64_t, KnownWrite> writes_;
  std::unordered_map<const Operation*, int64_t> found_revision_;  // of writes of unknown outcome
  std::unordered_map<std::string_view, std::set<int64_t>> revisions_of_key_;
  // Writes of unknown outcome.
  std::unordered_map<std::string_view, std::vector<const Operation*>> open_;
};

Verdict RevisionCheck::Run() {
  if (Verdict verdict = CollectWrites(); !verdict.legal()) return verdict;
  for (const Operation& operation : history_)
    if (Verdict verdict = CollectObservation(operation); !verdict.legal()) return verdict;
  for (const auto& [revision, write] : writes_) revisions_of_key_[write.key].insert(revision);
  if (Verdict verdict = CheckRealTime(); !verdict.legal()) return verdict;
  for (const Operation& operation : history_)
    if (Verdict verdict = CheckState(operation); !verdict.legal()) return verdict;
  return {};
}

Verdict RevisionCheck::CollectWrites() {
  for (const Operation& operation : history_) {
    if (!operation.is_write()) continue;
    if (operation.outcome == Outcome::kUnknown) open_[operation.key].push_back(&operation);
    if (operation.outcome != Outcome::kOk) continue;
    if (operation.revision <= 0) return Verdict::Illegal("no revision: " + operation.ToString());
    const bool deleted = operation.kind == Kind::kDelete;
    const KnownWrite write{&operation, operation.key, operation.value, deleted};
    const auto [at, is_new] = writes_.emplace(operation.revision, write);
    if (!is_new)
      return Verdict::Illegal(Text("two writes have the revision ", operation.revision, ": ",
                                   at->second.operation->ToString(), " and ",
                                   operation.ToString()));
  }
  return {};
}

// A value that was read tells the revision of the write that it came from.
Verdict RevisionCheck::CollectObservation(const Operation& operation) {
  if (!HasAnswer(operation) || !operation.seen) return {};
  const SeenValue& seen = *operation.seen;
  if (const auto known = writes_.find(seen.revision); known != writes_.end()) {
    const KnownWrite& write = known->second;
    if (!write.deleted && write.key == operation.key && write.value == seen.value) return {};
    return Verdict::Illegal(
        Text("the revision ", seen.revision, " is that of another write",
             write.operation == nullptr ? "" : ", " + write.operation->ToString(), ": ",
             operation.ToString()));
  }
  const Operation* writer = nullptr;
  size_t candidates = 0;
  for (const Operation* open : open_[operation.key]) {
    if (open->kind == Kind::kDelete || open->value != seen.value) continue;
    if (open->invoked > operation.returned) continue;
    writer = open;
    ++candidates;
  }
  if (candidates == 0) return Verdict::Illegal("nobody wrote what it saw: " + operation.ToString());
  if (candidates > 1) writer = nullptr;
  writes_.emplace(seen.revision, KnownWrite{writer, operation.key, seen.value, false});
  if (writer == nullptr) return {};
  const auto [at, is_new] = found_revision_.emplace(writer, seen.revision);
  if (is_new) return {};
  return Verdict::Illegal(
      Text("seen at revision ", at->second, " as well: ", operation.ToString()));
}

// Answers must not go back: whoever begins after an answer sees its revision, and writes beyond it.
Verdict RevisionCheck::CheckRealTime() const {
  struct Moment {
    int64_t when;
    bool is_return;
    const Operation* operation;
  };
  std::vector<Moment> moments;
  for (const Operation& operation : history_) {
    moments.push_back({operation.invoked, false, &operation});
    if (operation.returned != Operation::kNever && HasAnswer(operation))
      moments.push_back({operation.returned, true, &operation});
  }
  std::ranges::stable_sort(moments, {},
                           [](const Moment& m) { return std::pair(m.when, m.is_return); });
  const Operation* newest = nullptr;
  for (const Moment& moment : moments) {
    const Operation& operation = *moment.operation;
    if (moment.is_return) {
      if (newest == nullptr || operation.revision > newest->revision) newest = &operation;
      continue;
    }
    int64_t revision = HasAnswer(operation) ? operation.revision : 0;
    if (const auto found = found_revision_.find(&operation); found != found_revision_.end())
      revision = found->second;
    if (newest == nullptr || revision == 0) continue;
    const bool changes = operation.is_write() && operation.outcome != Outcome::kFailed;
    if (revision > newest->revision || (!changes && revision == newest->revision)) continue;
    return Verdict::Illegal(Text("the revision ", revision, " of ", operation.ToString(),
                                 " does not come after that of ", newest->ToString(),
                                 ", which had returned"));
  }
  return {};
}

bool RevisionCheck::MayHaveBeenDeleted(const Operation& reader) const {
  const auto open = open_.find(reader.key);
  if (open == open_.end()) return false;
  return std::ranges::any_of(open->second, [&](const Operation* write) {
    return write->kind == Kind::kDelete && write->invoked <= reader.returned &&
           write->expected <= reader.revision;
  });
}

// A read at a revision sees the last write of its key up to there.
Verdict RevisionCheck::CheckState(const Operation& operation) const {
  if (!HasAnswer(operation) || operation.revision == 0) return {};
  if (operation.is_write() && operation.outcome == Outcome::kOk) return {};
  if (operation.seen && operation.seen->revision > operation.revision)
    return Verdict::Illegal("it saw what was yet to come: " + operation.ToString());
  const auto revisions = revisions_of_key_.find(operation.key);
  const KnownWrite* last = nullptr;
  int64_t last_revision = 0;
  if (revisions != revisions_of_key_.end()) {
    auto after = revisions->second.upper_bound(operation.revision);
    if (after != revisions->second.begin()) {
      last_revision = *std::prev(after);
      last = &writes_.at(last_revision);
    }
  }
  const bool right = operation.seen
                         ? last_revision == operation.seen->revision
                         : last == nullptr || last->deleted || MayHaveBeenDeleted(operation);
  if (right) return {};
  return Verdict::Illegal(
      Text("the key was last written at ", last_revision, ", yet ", operation.ToString()));
}

// ---- Events

std::string Describe(const SeenEvent& event) {
  return event.deleted ? Text("deletion of \"", event.key, "\" at ", event.revision)
                       : Text("\"", event.key, "\" := \"", event.value, "\" at ", event.revision);
}

// Finds the write behind each event, which must come in order.
class EventMatcher {
 public:
  explicit EventMatcher(std::span<const Operation> history) {
    for (const Operation& operation : history) {
      if (!operation.is_write()) continue;
      if (operation.outcome == Outcome::kOk) by_revision_.emplace(operation.revision, &operation);
      if (operation.outcome == Outcome::kUnknown) open_[operation.key].push_back(&operation);
    }
    for (const Operation& operation : history)
      if (HasAnswer(operation) && operation.revision != 0)
        answers_.emplace_back(operation.invoked, operation.revision);
    std::ranges::sort(answers_);
    for (size_t i = answers_.size(); i-- > 1;)
      answers_[i - 1].second = std::min(answers_[i - 1].second, answers_[i].second);
  }

  const Operation* Find(const SeenEvent& event) {
    const Operation* found = nullptr;
    if (const auto known = by_revision_.find(event.revision); known != by_revision_.end())
      found = Fits(*known->second, event) ? known->second : nullptr;
    else
      found = TakeOpen(event);
    last_revision_[event.key] = event.revision;
    return found;
  }

 private:
  static bool Fits(const Operation& operation, const SeenEvent& event) {
    if (operation.key != event.key) return false;
    if (event.deleted) return operation.kind == Kind::kDelete;
    return operation.kind != Kind::kDelete && operation.value == event.value;
  }

  bool CanBe(const Operation& operation, const SeenEvent& event) const {
    if (!Fits(operation, event) || operation.expected >= event.revision) return false;
    // Where the events tell what the condition was compared with, it must have held.
    const auto last = last_revision_.find(event.key);
    return operation.expected == 0 || last == last_revision_.end() ||
           last->second == operation.expected;
  }

  // Whether the store was seen before the event by someone who began after the operation's end.
  bool EndedBefore(const Operation& operation, const SeenEvent& event) const {
    const auto later = std::ranges::upper_bound(answers_, operation.returned, {},
                                                &std::pair<int64_t, int64_t>::first);
    return later != answers_.end() && later->second < event.revision;
  }

  // Deletions have no value that names them: of several, one that had not ended before counts.
  const Operation* TakeOpen(const SeenEvent& event) {
    const auto candidates = open_.find(event.key);
    if (candidates == open_.end()) return nullptr;
    const Operation** best = nullptr;
    for (const Operation*& operation : candidates->second) {
      if (operation == nullptr || !CanBe(*operation, event)) continue;
      if (best == nullptr || EndedBefore(**best, event)) best = &operation;
    }
    return best == nullptr ? nullptr : std::exchange(*best, nullptr);  // each happens once
  }

  std::unordered_map<int64_t, const Operation*> by_revision_;
  std::unordered_map<std::string_view, std::vector<const Operation*>> open_;
  std::unordered_map<std::string, int64_t> last_revision_;
  // When each answered operation began, and the lowest revision of the answers from there on.
  std::vector<std::pair<int64_t, int64_t>> answers_;
};

}  // namespace

std::string Operation::ToString() const {
  std::string out = Text(kKindNames[static_cast<size_t>(kind)], " \"", key, "\"");
  if (kind == Kind::kCreate || kind == Kind::kUpdate) out += Text(" := \"", value, "\"");
  if (kind == Kind::kUpdate || kind == Kind::kDelete) out += Text(" if at ", expected);
  out += Text(" [", invoked, ", ");
  out += returned == kNever ? "never]" : Text(returned, "]");
  out += Text(" ", kOutcomeNames[static_cast<size_t>(outcome)]);
  if (revision != 0) out += Text(" at ", revision);
  if (outcome == Outcome::kUnknown || (is_write() && outcome == Outcome::kOk)) return out;
  return out + (seen ? Text(", saw \"", seen->value, "\" of ", seen->revision) : ", absent");
}

Verdict CheckEachKey(std::span<const Operation> history, size_t search_budget) {
  std::map<std::string_view, std::vector<const Operation*>> by_key;
  for (const Operation& operation : history)
    if (operation.is_write() || HasAnswer(operation)) by_key[operation.key].push_back(&operation);
  for (auto& [key, operations] : by_key) {
    Verdict verdict = KeySearch(std::move(operations)).Run(search_budget);
    if (!verdict.legal()) return verdict;
  }
  return {};
}

Verdict CheckRevisions(std::span<const Operation> history) { return RevisionCheck(history).Run(); }

Verdict CheckLinearizable(std::span<const Operation> history, size_t search_budget) {
  if (Verdict verdict = CheckRevisions(history); !verdict.legal()) return verdict;
  return CheckEachKey(history, search_budget);
}

Verdict CheckEvents(std::span<const Operation> history, std::span<const SeenEvent> events,
                    int64_t first, int64_t last) {
  EventMatcher matcher(history);
  std::unordered_set<int64_t> told;
  int64_t before = first - 1;
  for (const SeenEvent& event : events) {
    if (event.revision <= before || event.revision > last)
      return Verdict::Illegal(
          Text("out of order, repeated or out of bounds after ", before, ": ", Describe(event)));
    before = event.revision;
    told.insert(event.revision);
    if (matcher.Find(event) == nullptr)
      return Verdict::Illegal("nobody wrote what a watch told: " + Describe(event));
  }
  for (const Operation& operation : history) {
    const bool due = operation.is_write() && operation.outcome == Outcome::kOk &&
                     operation.revision >= first && operation.revision <= last;
    if (due && !told.contains(operation.revision))
      return Verdict::Illegal("no watch told of " + operation.ToString());
  }
  return {};
}

std::vector<Operation> Resolve(std::span<const Operation> history,
                               std::span<const SeenEvent> events) {
  EventMatcher matcher(history);
  std::unordered_map<const Operation*, int64_t> happened;
  for (const SeenEvent& event : events)
    if (const Operation* operation = matcher.Find(event))
      happened.emplace(operation, event.revision);
  std::vector<Operation> out;
  for (const Operation& operation : history) {
    if (operation.outcome != Outcome::kUnknown) {
      out.push_back(operation);
    } else if (const auto found = happened.find(&operation); found != happened.end()) {
      out.push_back(operation);
      out.back().outcome = Outcome::kOk;
      out.back().revision = found->second;
    }
  }
  return out;
}

}  // namespace skiff::testing
