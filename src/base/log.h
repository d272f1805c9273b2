// The log of a server: one line for each message, in the form that klog writes and log collectors
// know.
//
//   I1115 14:57:12.123456    4711 server.cc:42] "serving" address="0.0.0.0:6443"
//
// The severity (I, W, E), month and day, time of day (UTC), the thread's number, where the message
// comes from, the text, and fields. A message is one line whatever is in it: control characters and
// bytes that are not UTF-8 are escaped, and what goes beyond limits::kMaxLogLineBytes is left out.
// Secrets (tokens, keys, the data of Secrets) are never passed here.
//
// Any thread may write. Lines go to a sink in the order in which they are written.
#pragma once

#include <atomic>
#include <initializer_list>
#include <mutex>
#include <source_location>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace skiff {

enum class Severity : uint8_t { kInfo, kWarning, kError };

// Where lines go. Called by one thread at a time.
class LogSink {
 public:
  virtual ~LogSink() = default;
  // `line` ends with a line break.
  virtual void Write(std::string_view line) = 0;
};

// Writes to an open file, which it does not own; what cannot be written is lost.
class FileLogSink final : public LogSink {
 public:
  explicit FileLogSink(int fd) : fd_(fd) {}
  void Write(std::string_view line) override;

 private:
  const int fd_;
};

// Keeps the lines, for tests.
class MemoryLogSink final : public LogSink {
 public:
  void Write(std::string_view line) override;
  std::string Text();

 private:
  std::mutex mutex_;
  std::string text_;
};

struct LogField {
  std::string_view key;
  std::string value;
};

class Log {
 public:
  using Where = std::source_location;
  using Fields = std::initializer_list<LogField>;

  // Both must outlive the log. Messages of a level above `level` are left out (--v).
  Log(Clock& clock, LogSink& sink, int level = 0) : clock_(clock), sink_(sink), level_(level) {}
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  void Write(Severity severity, std::string_view text, Fields fields = {},
             Where where = Where::current());

  void Info(std::string_view text, Fields fields = {}, Where where = Where::current()) {
    Write(Severity::kInfo, text, fields, where);
  }
  void Warning(std::string_view text, Fields fields = {}, Where where = Where::current()) {
    Write(Severity::kWarning, text, fields, where);
  }
  void Error(std::string_view text, Fields fields = {}, Where where = Where::current()) {
    Write(Severity::kError, text, fields, where);
  }
  // An Info for those who ask for more; 2 is what an operator may want, 4 and up is for debugging.
  void Verbose(int level, std::string_view text, Fields fields = {},
               Where where = Where::current()) {
    if (IsOn(level)) Write(Severity::kInfo, text, fields, where);
  }

  // Whether messages of that level are written; saves building those that are not.
  bool IsOn(int level) const { return level <= level_.load(std::memory_order_relaxed); }
  void SetLevel(int level) { level_.store(level, std::memory_order_relaxed); }

 private:
  Clock& clock_;
  LogSink& sink_;
  std::atomic<int> level_;
  std::mutex mutex_;
};

}  // namespace skiff
