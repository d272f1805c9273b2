#include "net/loop_watchdog.h"

#include <string_view>
#include <utility>

#include "base/limits.h"
#include "profiling/thread_stack.h"

namespace skiff::net {
namespace {

constexpr std::string_view kStuckLabels[] = {"loop"};
constexpr MetricSpec kStuckSpec{
    .name = "skiff_event_loop_stuck_total",
    .help = "[ALPHA] Times that an event loop has not turned for a second.",
    .labels = kStuckLabels};

// "3.2s"
std::string SecondsText(Duration time) {
  const int64_t tenths = time / std::chrono::milliseconds(100);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + "s";
}

}  // namespace

LoopWatchdog::LoopWatchdog(Clock& clock, Log& log, MetricsRegistry* metrics)
    : clock_(clock),
      log_(log),
      stuck_total_(metrics != nullptr ? &metrics->AddCounter(kStuckSpec) : nullptr) {}

void LoopWatchdog::Start() {
  thread_ = std::make_unique<Thread>("watchdog", [this] { Run(); });
}

void LoopWatchdog::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    stop_.notify_all();
  }
  if (thread_ != nullptr) thread_->Join();
}

void LoopWatchdog::Watch(const std::shared_ptr<EventLoop>& loop) {
  // So that there is a zero to grow from.
  if (stuck_total_ != nullptr) stuck_total_->With({loop->name()});
  auto watched = std::make_shared<Watched>(loop);
  const std::lock_guard lock(mutex_);
  std::erase_if(watched_, [](const auto& each) { return each->loop.expired(); });
  watched_.push_back(std::move(watched));
}

std::string LoopWatchdog::Fault() const {
  const Duration now = clock_.Monotonic();
  std::string out;
  const std::lock_guard lock(mutex_);
  for (const auto& each : watched_) {
    const std::shared_ptr<EventLoop> loop = each->loop.lock();
    if (loop == nullptr) continue;
    const Duration time = loop->busy_for(now);
    if (time < limits::kStuckLoop) continue;
    if (!out.empty()) out += "; ";
    out += loop->name() + " has not turned for " + SecondsText(time);
  }
  return out;
}

void LoopWatchdog::CheckLoop(Watched& watched, Duration now) {
  const std::shared_ptr<EventLoop> loop = watched.loop.lock();
  if (loop == nullptr) return;
  const Duration since = loop->busy_since();
  if (watched.told_of != Duration{} && since != watched.told_of) {
    log_.Info("an event loop turns again",
              {{"loop", loop->name()},
               {"stuck", "at least " + SecondsText(watched.last_stuck - watched.told_of)}});
    watched.told_of = Duration{};
  }
  if (since == Clock::kForever || now - since < limits::kStuckLoop) return;
  watched.last_stuck = now;
  if (std::exchange(watched.told_of, since) == since) return;
  if (stuck_total_ != nullptr) stuck_total_->With({loop->name()}).Add();
  log_.Error("an event loop does not turn",
             {{"loop", loop->name()},
              {"for", SecondsText(now - since)},
              {"stack", profiling::StackOfThread(loop->thread_number())}});
}

void LoopWatchdog::Check() {
  const std::lock_guard look(look_mutex_);
  std::vector<std::shared_ptr<Watched>> all;
  {
    const std::lock_guard lock(mutex_);
    all = watched_;
  }
  const Duration now = clock_.Monotonic();
  for (const auto& each : all) CheckLoop(*each, now);
}

void LoopWatchdog::Run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const Duration next = clock_.Monotonic() + limits::kStuckLoopCheckInterval;
    clock_.WaitUntil(stop_, lock, next);
    if (stopping_) return;
    lock.unlock();
    Check();
    lock.lock();
  }
}

}  // namespace skiff::net
