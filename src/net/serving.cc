#include "net/serving.h"

#include <time.h>

#include <algorithm>
#include <array>

namespace skiff::net {

void HttpService::SetLimits(const HttpLimits& bounds) {
  limits = bounds;
  memory = std::make_shared<MemoryBudget>(limits.memory_bytes);
  heads = std::make_shared<MemoryBudget>(limits.memory_bytes / limits::kHttpHeadShare, memory);
}

std::shared_ptr<MemoryBudget> HttpService::MakeMemory() const {
  return std::make_shared<MemoryBudget>(
      std::min(limits.connection_memory_bytes, limits.memory_bytes / 2), memory);
}

// Room for one head of the largest size, and for its overhead.
std::shared_ptr<MemoryBudget> HttpService::MakeHeadBudget() const {
  return std::make_shared<MemoryBudget>(
      std::min(limits::kHttpHeadsOfConnection * limits.max_header_bytes, heads->bytes()), heads);
}

Duration ServingLoop::AnswerDue(const HttpResponse& answer) const {
  if (answer.source != nullptr) return answer.source->Deadline();
  const HttpLimits& bounds = service.limits;
  return loop->now() + bounds.write_timeout +
         std::chrono::seconds(answer.body.size() / bounds.answer_bytes_per_second);
}

std::string_view HttpDate::Get(Clock& clock) {
  const int64_t second = std::chrono::floor<std::chrono::seconds>(clock.Wall()).count();
  if (second == second_) return text_;
  second_ = second;
  static constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const time_t value = second;
  tm fields{};
  gmtime_r(&value, &fields);
  const auto two = [](int number) {
    return std::string{static_cast<char>('0' + number / 10), static_cast<char>('0' + number % 10)};
  };
  text_ = std::string(kDays[fields.tm_wday]) + ", " + two(fields.tm_mday) + " " +
          kMonths[fields.tm_mon] + " " + std::to_string(fields.tm_year + 1900) + " " +
          two(fields.tm_hour) + ":" + two(fields.tm_min) + ":" + two(fields.tm_sec) + " GMT";
  return text_;
}

}  // namespace skiff::net
