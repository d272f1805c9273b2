#include "tests/store/watch_checker.h"

#include <algorithm>
#include <set>

#include "tests/store/text.h"

namespace skiff::testing {
namespace {

struct FaultName {
  WatchFault fault;
  std::string_view name;
};
constexpr FaultName kFaultNames[] = {
    {WatchFault::kLostEvent, "lost event"},
    {WatchFault::kLostDeletion, "lost deletion"},
    {WatchFault::kDuplicatedEvent, "duplicated event"},
    {WatchFault::kOutOfOrder, "out of order"},
    {WatchFault::kSplitRevision, "split revision"},
    {WatchFault::kBeforeStart, "before the start"},
    {WatchFault::kOutsideRange, "outside the range"},
    {WatchFault::kProgressAhead, "progress ahead of events"},
    {WatchFault::kProgressBack, "progress going back"},
    {WatchFault::kFromTheFuture, "event from the future"},
    {WatchFault::kInvented, "invented event"},
    {WatchFault::kWrongContent, "wrong content"},
    {WatchFault::kWrongPrevious, "wrong previous value"},
    {WatchFault::kCallAfterEnd, "call after the end"},
};

std::string Describe(const store::Event& event) {
  std::string value(event.entry.value.view().substr(0, 40));
  return Text(event.kind == store::Event::Kind::kDelete ? "deletion of " : "put of ",
              event.entry.key, event.kind == store::Event::Kind::kDelete ? "" : " = " + value,
              " at revision ", event.revision().value);
}

// Walks through one log, remembering what it has told so far.
class Walk {
 public:
  Walk(const WatchLog& log, const Truth& truth, store::Revision compacted)
      : log_(log), truth_(truth), compacted_(compacted.value) {}

  std::vector<WatchFinding> Run() {
    for (const WatchCall& call : log_.calls) {
      if (ended_) Report(WatchFault::kCallAfterEnd, "");
      if (call.kind == WatchCall::Kind::kEvents) Events(call);
      if (call.kind == WatchCall::Kind::kProgress) Progress(call.progress.value);
      if (call.kind == WatchCall::Kind::kEnd) {
        ended_ = true;
        expired_ = call.end && call.end->reason() == StatusReason::kExpired;
      }
    }
    Completeness();
    return std::move(findings_);
  }

 private:
  void Report(WatchFault fault, std::string what) {
    findings_.push_back({fault, log_.name + ": " + std::move(what)});
  }

  void Events(const WatchCall& call) {
    int64_t before_call = newest_;
    for (const store::Event& event : call.events) {
      Place(event, before_call);
      Content(event, call.moment);
      seen_.insert({event.revision().value, event.entry.key});
      newest_ = std::max(newest_, event.revision().value);
    }
  }

  // Whether the event may come here.
  void Place(const store::Event& event, int64_t before_call) {
    int64_t revision = event.revision().value;
    if (revision < log_.request.from.value)
      Report(WatchFault::kBeforeStart,
             Text(Describe(event), ", asked from ", log_.request.from.value));
    if (!log_.request.range.Contains(event.entry.key))
      Report(WatchFault::kOutsideRange, Describe(event));
    if (seen_.contains({revision, event.entry.key}))
      Report(WatchFault::kDuplicatedEvent, Describe(event));
    else if (revision <= progress_)
      Report(WatchFault::kProgressAhead, Text(Describe(event), " after progress ", progress_));
    else if (revision < newest_)
      Report(WatchFault::kOutOfOrder, Text(Describe(event), " after one of ", newest_));
    else if (revision == before_call)
      Report(WatchFault::kSplitRevision, Describe(event));
  }

  void Content(const store::Event& event, int64_t moment) {
    int64_t revision = event.revision().value;
    auto found = truth_.changes().find({revision, event.entry.key});
    if (found == truth_.changes().end()) {
      bool future = revision > truth_.last();
      Report(future ? WatchFault::kFromTheFuture : WatchFault::kInvented, Describe(event));
      return;
    }
    const Truth::Change& change = found->second;
    if (moment < change.invoked)
      Report(WatchFault::kFromTheFuture, Describe(event) + " came before it was asked for");
    bool deleted = event.kind == store::Event::Kind::kDelete;
    bool same = deleted == change.deleted && (deleted || event.entry.value.view() == change.value);
    if (same && !deleted)
      same = event.entry.version == change.version &&
             event.entry.create_revision.value == change.create_revision;
    if (!same)
      Report(WatchFault::kWrongContent,
             Text(Describe(event), " (version ", event.entry.version, ", created at ",
                  event.entry.create_revision.value, "); written was ",
                  change.deleted ? "a deletion" : change.value, " (version ", change.version,
                  ", created at ", change.create_revision, ")"));
    if (log_.request.previous_values) Previous(event, change);
  }

  void Previous(const store::Event& event, const Truth::Change& change) {
    if (!event.previous) {
      if (change.previous_revision > compacted_)
        Report(WatchFault::kWrongPrevious, Describe(event) + " lacks the previous value");
      return;
    }
    if (event.previous->mod_revision.value != change.previous_revision ||
        event.previous->value.view() != change.previous_value)
      Report(WatchFault::kWrongPrevious,
             Text(Describe(event), " tells of ", event.previous->value.view(), " at ",
                  event.previous->mod_revision.value, ", which was ", change.previous_value, " at ",
                  change.previous_revision));
  }

  void Progress(int64_t progress) {
    if (progress < progress_ || progress < newest_)
      Report(WatchFault::kProgressBack,
             Text("progress ", progress, " after ", std::max(progress_, newest_)));
    progress_ = std::max(progress_, progress);
  }

  void Completeness() {
    int64_t until = expired_ ? std::max(newest_, progress_) : truth_.last();
    for (const auto& [where, change] : truth_.changes()) {
      const auto& [revision, key] = where;
      if (revision < log_.request.from.value || revision > until) continue;
      if (!log_.request.range.Contains(key) || seen_.contains(where)) continue;
      Report(change.deleted ? WatchFault::kLostDeletion : WatchFault::kLostEvent,
             Text(change.deleted ? "the deletion of " : "the put of ", key, " at revision ",
                  revision));
    }
  }

  const WatchLog& log_;
  const Truth& truth_;
  const int64_t compacted_;
  std::set<std::pair<int64_t, std::string>> seen_;
  int64_t newest_ = 0;
  int64_t progress_ = 0;
  bool ended_ = false;
  bool expired_ = false;
  std::vector<WatchFinding> findings_;
};

}  // namespace

std::vector<WrittenChange> ChangesOf(std::span<const Operation> history) {
  std::vector<WrittenChange> changes;
  for (const Operation& operation : history) {
    if (!operation.is_write() || operation.outcome == Operation::Outcome::kFailed) continue;
    bool known = operation.outcome == Operation::Outcome::kOk;
    changes.push_back({.revision = known ? operation.revision : 0,
                       .invoked = operation.invoked,
                       .key = operation.key,
                       .deleted = operation.kind == Operation::Kind::kDelete,
                       .value = operation.value});
  }
  return changes;
}

std::string_view WatchFaultName(WatchFault fault) {
  for (const FaultName& entry : kFaultNames)
    if (entry.fault == fault) return entry.name;
  return "?";
}

std::ostream& operator<<(std::ostream& out, const WatchFinding& finding) {
  return out << WatchFaultName(finding.fault) << ": " << finding.what;
}

std::string Describe(std::span<const WatchFinding> findings) {
  constexpr size_t kShown = 20;
  std::string out;
  for (size_t i = 0; i < std::min(findings.size(), kShown); i++) out += Text(findings[i], "\n");
  if (findings.size() > kShown) out += Text("and ", findings.size() - kShown, " more\n");
  return out;
}

bool Has(std::span<const WatchFinding> findings, WatchFault fault) {
  return std::any_of(findings.begin(), findings.end(),
                     [&](const WatchFinding& finding) { return finding.fault == fault; });
}

Truth::Truth(std::span<const WrittenChange> changes, std::span<const WatchLog> watches,
             store::Revision last)
    : last_(last.value) {
  std::multimap<std::string, const WrittenChange*> unknown;
  for (const WrittenChange& change : changes) {
    if (change.revision == 0)
      unknown.insert({change.key, &change});
    else
      changes_[{change.revision, change.key}] = {
          .deleted = change.deleted, .value = change.value, .invoked = change.invoked};
  }
  for (const WatchLog& log : watches) {
    for (const WatchCall& call : log.calls) {
      for (const store::Event& event : call.events) {
        std::pair<int64_t, std::string> where(event.revision().value, event.entry.key);
        if (changes_.contains(where)) continue;
        bool deleted = event.kind == store::Event::Kind::kDelete;
        auto [from, to] = unknown.equal_range(event.entry.key);
        // Puts are known by their values. Of deletions any that had been asked for will do.
        auto match = std::find_if(from, to, [&](const auto& candidate) {
          const WrittenChange& change = *candidate.second;
          return change.deleted == deleted && (deleted ? change.invoked <= call.moment
                                                       : change.value == event.entry.value.view());
        });
        if (match == to) continue;
        changes_[where] = {
            .deleted = deleted, .value = match->second->value, .invoked = match->second->invoked};
        unknown.erase(match);
      }
    }
  }
  LinkHistories();
}

void Truth::LinkHistories() {
  struct Last {
    int64_t revision = 0;
    const Change* change = nullptr;
  };
  std::map<std::string, Last> state;
  for (auto& [where, change] : changes_) {
    Last& last = state[where.second];
    bool was_there = last.change != nullptr && !last.change->deleted;
    if (was_there) {
      change.previous_revision = last.revision;
      change.previous_value = last.change->value;
    }
    if (!change.deleted) {
      change.create_revision = was_there ? last.change->create_revision : where.first;
      change.version = was_there ? last.change->version + 1 : 1;
    }
    last = {.revision = where.first, .change = &change};
  }
}

std::vector<WatchFinding> CheckWatch(const WatchLog& log, const Truth& truth,
                                     store::Revision compacted) {
  return Walk(log, truth, compacted).Run();
}

std::vector<WatchFinding> CheckWatches(std::span<const WatchLog> logs, const Truth& truth,
                                       store::Revision compacted) {
  std::vector<WatchFinding> all;
  for (const WatchLog& log : logs)
    for (WatchFinding& finding : CheckWatch(log, truth, compacted))
      all.push_back(std::move(finding));
  return all;
}

LoggingSink::LoggingSink(Clock& clock, std::string name, store::WatchRequest request)
    : clock_(clock), log_{.name = std::move(name), .request = std::move(request), .calls = {}} {}

void LoggingSink::Add(WatchCall call, store::Revision reached) {
  call.moment = clock_.Monotonic().count();
  std::lock_guard lock(mutex_);
  reached_ = std::max(reached_, reached);
  if (call.end && !end_) end_ = call.end;
  log_.calls.push_back(std::move(call));
  changed_.notify_all();
}

void LoggingSink::OnEvents(std::span<const store::Event> events) {
  store::Revision newest;
  for (const store::Event& event : events) newest = std::max(newest, event.revision());
  Add({.kind = WatchCall::Kind::kEvents, .events = {events.begin(), events.end()}}, newest);
}

void LoggingSink::OnProgress(store::Revision revision) {
  Add({.kind = WatchCall::Kind::kProgress, .progress = revision}, revision);
}

void LoggingSink::OnEnd(Status why) {
  Add({.kind = WatchCall::Kind::kEnd, .end = std::move(why)}, {});
}

bool LoggingSink::WaitFor(store::Revision revision, Duration limit) {
  Duration deadline = clock_.Monotonic() + limit;
  std::unique_lock lock(mutex_);
  while (reached_ < revision && !end_) {
    if (clock_.Monotonic() >= deadline) return false;
    clock_.WaitUntil(changed_, lock, deadline);
  }
  return true;
}

bool LoggingSink::WaitForEnd(Duration limit) {
  return WaitFor(store::Revision{std::numeric_limits<int64_t>::max()}, limit);
}

std::optional<Status> LoggingSink::end() const {
  std::lock_guard lock(mutex_);
  return end_;
}

store::Revision LoggingSink::reached() const {
  std::lock_guard lock(mutex_);
  return reached_;
}

WatchLog LoggingSink::log() const {
  std::lock_guard lock(mutex_);
  return log_;
}

}  // namespace skiff::testing
