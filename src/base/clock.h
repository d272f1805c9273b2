// Time as something that is handed in, so that tests and simulations decide how it passes.
//
// Code that needs the time or waits for it takes a Clock&. Only main()s and tests choose which one.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace skiff {

using Duration = std::chrono::nanoseconds;

class Clock {
 public:
  virtual ~Clock() = default;

  // Since some fixed moment; never goes backwards. For deadlines and durations.
  virtual Duration Monotonic() = 0;
  // Since 1970-01-01T00:00:00Z, as the machine believes; may jump. For what is shown or stored.
  virtual Duration Wall() = 0;
  // Waits until `wake` is notified (or spuriously) or Monotonic() reaches `deadline`. Callers loop
  // on their own condition. kForever waits for the notification alone.
  virtual void WaitUntil(std::condition_variable& wake, std::unique_lock<std::mutex>& lock,
                         Duration deadline) = 0;

  static constexpr Duration kForever = Duration::max();
};

// The machine's clocks. Thread-safe.
class SystemClock final : public Clock {
 public:
  Duration Monotonic() override;
  Duration Wall() override;
  void WaitUntil(std::condition_variable& wake, std::unique_lock<std::mutex>& lock,
                 Duration deadline) override;
};

// Stands still until it is moved. Thread-safe.
class ManualClock final : public Clock {
 public:
  Duration Monotonic() override;
  Duration Wall() override;
  void WaitUntil(std::condition_variable& wake, std::unique_lock<std::mutex>& lock,
                 Duration deadline) override;

  // Moves both clocks. Whoever waits for a moment that has come notices within milliseconds.
  void Advance(Duration by);
  // Moves the wall clock alone, as an operator or NTP would.
  void JumpWall(Duration by);

 private:
  std::mutex mutex_;
  Duration monotonic_{std::chrono::seconds(1)};
  Duration wall_{std::chrono::seconds(1'700'000'000)};
};

}  // namespace skiff
