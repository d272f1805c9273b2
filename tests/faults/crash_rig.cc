#include "tests/faults/crash_rig.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "tests/store/child_process.h"
#include "tests/store/text.h"

namespace skiff::testing {

CrashRig::CrashRig(CrashRigOptions options) : options_(std::move(options)), random_(options_.seed) {
  BeginWindow();
}

void CrashRig::Blame(std::string what) {
  if (fault_.empty()) fault_ = Text("seed ", options_.seed, ", cycle ", cycle_, ": ", what);
}

void CrashRig::RunCycle() {
  ++cycle_;
  RunWorker(false);
}

void CrashRig::FinishWindow() {
  ++cycle_;
  RunWorker(true);
  if (!progressed_) Blame("the worker that was left in peace did not come to its end");
  CheckWindow();
  BeginWindow();
}

// ---- One worker

void CrashRig::RunWorker(bool verify) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Blame("no pipe");
  opened_ = progressed_ = false;
  lines_ = 0;
  ChildOptions options;
  options.command = {options_.worker,   options_.directory, Text(random_.Next() >> 1),
                     Text("c", cycle_), Text(told_ + 1),    verify ? "verify" : "load"};
  if (!options_.plant.empty()) options.command.push_back(options_.plant);
  options.output_file = Text("/proc/self/fd/", ends[1]);
  auto child = ChildProcess::Start(std::move(options));
  ::close(ends[1]);
  if (!child) {
    ::close(ends[0]);
    return Blame(child.error().ToString());
  }
  // Half of the kills come after a time, which may fall into the opening, half after a number of
  // things done.
  Duration life = options_.patience;
  int lines = 0;
  if (!verify && random_.Uniform(2) == 0)
    life = Duration(static_cast<int64_t>(random_.Uniform(options_.longest_life.count())));
  else if (!verify)
    lines = 1 + static_cast<int>(random_.Uniform(options_.most_lines));
  ReadUntil(ends[0], clock_.Monotonic() + life, lines);
  (*child)->Signal(SIGKILL);
  ReadUntil(ends[0], clock_.Monotonic() + options_.patience, 0);
  ::close(ends[0]);
  Cut();
  child->reset();  // and wait for its end, so that nobody holds the directory
  if (!opened_) ++killed_while_opening_;
  history_->Interrupt();
}

// Reads until the end, the deadline, or so many lines (zero: any number).
void CrashRig::ReadUntil(int descriptor, Duration deadline, int lines) {
  std::string buffer(64 * 1024, '\0');
  while (lines == 0 || lines_ < lines) {
    const Duration left = deadline - clock_.Monotonic();
    if (left <= Duration::zero()) return;
    pollfd ready{descriptor, POLLIN, 0};
    timespec time{};
    time.tv_sec = std::chrono::duration_cast<std::chrono::seconds>(left).count();
    time.tv_nsec = (left % std::chrono::seconds(1)).count();
    if (::ppoll(&ready, 1, &time, nullptr) <= 0) continue;
    const ssize_t got = ::read(descriptor, buffer.data(), lines == 0 ? buffer.size() : 512);
    if (got <= 0) return;
    const std::string_view bytes(buffer.data(), static_cast<size_t>(got));
    lines_ += static_cast<int>(std::ranges::count(bytes, '\n'));
    Read(bytes);
  }
}

// ---- What it reports

void CrashRig::OnOpened(int64_t revision, int64_t compacted) {
  opened_ = true;
  if (revision < highest_)
    Blame(Text("the store opens at revision ", revision, " after ", highest_, " was told"));
  if (compacted > told_)
    Blame(Text("compacted to ", compacted, ", beyond ", told_, ", the last that was told"));
  highest_ = std::max(highest_, revision);
}

void CrashRig::OnInvoke(uint64_t number, Operation operation) {
  history_->OnInvoke(number, operation);
}

void CrashRig::OnReturn(uint64_t number, Operation operation) {
  if (operation.outcome == Operation::Outcome::kUnknown)
    Blame("an answer of unknown outcome, though no disk failed");
  highest_ = std::max(highest_, operation.revision);
  history_->OnReturn(number, operation);
}

void CrashRig::OnNothing(uint64_t) {
  Blame("an error, though nothing was closed and no disk failed");
}

void CrashRig::OnEvent(SeenEvent event) {
  if (event.revision <= told_)
    Blame(Text("a watch tells of revision ", event.revision, " after ", told_));
  told_ = std::max(told_, event.revision);
  highest_ = std::max(highest_, event.revision);
  events_of_key_[event.key].push_back(events_.size());
  events_.push_back(std::move(event));
}

void CrashRig::OnProgress(int64_t revision) {
  progressed_ = true;
  if (revision < highest_)
    Blame(Text("progress to ", revision, ", below ", highest_, ", which was told before"));
}

void CrashRig::OnStateAt(int64_t revision, std::map<std::string, SeenValue> state) {
  old_states_.emplace_back(revision, std::move(state));
}

void CrashRig::OnWrong(std::string what) { Blame(std::move(what)); }

// ---- The window

std::map<std::string, SeenValue> CrashRig::StateAt(int64_t revision) const {
  std::map<std::string, SeenValue> out;
  for (const auto& [key, indices] : events_of_key_) {
    const auto after = std::ranges::upper_bound(
        indices, revision, {}, [&](size_t index) { return events_[index].revision; });
    if (after == indices.begin()) continue;
    const SeenEvent& last = events_[*std::prev(after)];
    if (!last.deleted) out[key] = SeenValue{last.value, last.revision};
  }
  return out;
}

// What earlier windows left is put into the history as if it had been created just before.
void CrashRig::BeginWindow() {
  history_ = std::make_unique<History>();
  first_event_ = events_.size();
  first_revision_ = told_ + 1;
  std::map<int64_t, Operation> left;
  for (const auto& [key, seen] : StateAt(told_)) {
    Operation& creation = left[seen.revision];
    creation.kind = Operation::Kind::kCreate;
    creation.outcome = Operation::Outcome::kOk;
    creation.key = key;
    creation.value = seen.value;
    creation.revision = seen.revision;
  }
  for (const auto& [revision, creation] : left) {
    history_->OnInvoke(0, creation);
    history_->OnReturn(0, creation);
  }
}

void CrashRig::CheckWindow() {
  const std::vector<Operation> operations = history_->operations();
  const std::span<const SeenEvent> events = std::span(events_).subspan(first_event_);
  for (const Operation& operation : operations) {
    if (!operation.is_write()) continue;
    if (operation.outcome == Operation::Outcome::kOk) ++acknowledged_;
    if (operation.outcome == Operation::Outcome::kUnknown) ++unknown_;
  }
  const Verdict told = CheckEvents(operations, events, first_revision_, told_);
  if (!told.legal()) Blame(told.why);
  const Verdict linearizable = CheckLinearizable(Resolve(operations, events));
  if (!linearizable.legal()) Blame(linearizable.why);
  for (const auto& [revision, state] : std::exchange(old_states_, {}))
    if (state != StateAt(revision))
      Blame(Text("the state at revision ", revision, " is not what it was"));
}

}  // namespace skiff::testing
