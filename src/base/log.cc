#include "base/log.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>

#include <sys/syscall.h>

#include "base/hex.h"
#include "base/limits.h"

namespace skiff {
namespace {

void AppendNumber(std::string& out, uint64_t number, size_t width, char fill) {
  const std::string digits = std::to_string(number);
  if (digits.size() < width) out.append(width - digits.size(), fill);
  out += digits;
}

// "I1115 14:57:12.123456    4711 server.cc:42] "
void AppendHeader(std::string& out, Severity severity, Duration wall, const Log::Where& where) {
  constexpr std::array<char, 3> kLetters{'I', 'W', 'E'};
  using std::chrono::microseconds;
  const auto since_epoch = std::chrono::floor<microseconds>(wall);
  const auto day = std::chrono::floor<std::chrono::days>(since_epoch);
  const std::chrono::year_month_day date{std::chrono::sys_days(day)};
  const std::chrono::hh_mm_ss time{since_epoch - day};
  out += kLetters[static_cast<size_t>(severity)];
  AppendNumber(out, static_cast<unsigned>(date.month()), 2, '0');
  AppendNumber(out, static_cast<unsigned>(date.day()), 2, '0');
  out += ' ';
  AppendNumber(out, static_cast<uint64_t>(time.hours().count()), 2, '0');
  out += ':';
  AppendNumber(out, static_cast<uint64_t>(time.minutes().count()), 2, '0');
  out += ':';
  AppendNumber(out, static_cast<uint64_t>(time.seconds().count()), 2, '0');
  out += '.';
  AppendNumber(out, static_cast<uint64_t>(time.subseconds().count()), 6, '0');
  out += ' ';
  AppendNumber(out, static_cast<uint64_t>(syscall(SYS_gettid)), 7, ' ');
  out += ' ';
  const std::string_view path = where.file_name();
  out += path.substr(path.rfind('/') + 1);
  out += ':';
  out += std::to_string(where.line());
  out += "] ";
}

// The length of the UTF-8 sequence that `text` begins with; zero when it is none.
size_t SequenceLength(std::string_view text) {
  const auto byte = [text](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  size_t length = 0;
  if (first >= 0xc2 && first <= 0xdf) length = 2;
  if (first >= 0xe0 && first <= 0xef) length = 3;
  if (first >= 0xf0 && first <= 0xf4) length = 4;
  if (length == 0 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, and what lies beyond U+10FFFF.
  if (first == 0xe0 && byte(1) < 0xa0) return 0;
  if (first == 0xed && byte(1) > 0x9f) return 0;
  if (first == 0xf0 && byte(1) < 0x90) return 0;
  if (first == 0xf4 && byte(1) > 0x8f) return 0;
  // The control characters U+0080 to U+009F, which some terminals obey.
  if (first == 0xc2 && byte(1) < 0xa0) return 0;
  return length;
}

void AppendQuoted(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty() && out.size() < limits::kMaxLogLineBytes) {
    const char c = text[0];
    size_t taken = 1;
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c >= ' ' && c < 0x7f) {
      out += c;
    } else if (const size_t length = SequenceLength(text); length != 0) {
      out += text.substr(0, length);
      taken = length;
    } else {
      (out += "\\x") += HexByte(c);
    }
    text.remove_prefix(taken);
  }
  out += text.empty() ? "\"" : "…\"";
}

}  // namespace

void FileLogSink::Write(std::string_view line) {
  while (!line.empty()) {
    const ssize_t written = write(fd_, line.data(), line.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    line.remove_prefix(static_cast<size_t>(written));
  }
}

void MemoryLogSink::Write(std::string_view line) {
  const std::lock_guard lock(mutex_);
  text_ += line;
}

std::string MemoryLogSink::Text() {
  const std::lock_guard lock(mutex_);
  return text_;
}

void Log::Write(Severity severity, std::string_view text, Fields fields, Where where) {
  std::string line;
  AppendHeader(line, severity, clock_.Wall(), where);
  AppendQuoted(line, text);
  for (const LogField& field : fields) {
    if (line.size() >= limits::kMaxLogLineBytes) break;
    line += ' ';
    line += field.key;
    line += '=';
    AppendQuoted(line, field.value);
  }
  line += '\n';
  const std::lock_guard lock(mutex_);
  sink_.Write(line);
}

}  // namespace skiff
