#include "apiserver/tables/cell.h"

#include <charconv>
#include <cstring>

#include "apiserver/tables/human_duration.h"

namespace skiff::apiserver {

std::string_view CellContext::Join(std::initializer_list<std::string_view> parts) const {
  size_t size = 0;
  for (const std::string_view part : parts) size += part.size();
  if (size == 0) return {};
  char* const start = arena.AllocateChars(size);
  char* to = start;
  for (const std::string_view part : parts) {
    if (part.empty()) continue;
    std::memcpy(to, part.data(), part.size());
    to += part.size();
  }
  return {start, size};
}

std::string_view CellContext::Number(int64_t number) const {
  char digits[20];
  const char* const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  return arena.Copy({digits, static_cast<size_t>(end - digits)});
}

std::string_view CellContext::Age(object::Timestamp time) const {
  if (object::IsZero(time)) return "<unknown>";
  return HumanDuration(NanosecondsBetween(time, now));
}

std::string_view CellContext::HumanDuration(int64_t nanoseconds) const {
  char text[kMaxHumanDurationBytes];
  const char* const end = WriteHumanDuration(nanoseconds, text);
  return arena.Copy({text, static_cast<size_t>(end - text)});
}

}  // namespace skiff::apiserver
