#include "apiserver/managed_fields/manager_name.h"

#include "base/hex.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "object/json/text.h"

namespace skiff::apiserver {
namespace {

// A character of UTF-8 text, or one byte that is none.
std::string_view FirstCharacter(std::string_view text) {
  const size_t size = Utf8SequenceLength(text.data(), text.data() + text.size());
  return text.substr(0, size == 0 ? 1 : size);
}

uint32_t CodePoint(std::string_view character) {
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(character[i] & 0xff); };
  switch (character.size()) {
    case 2:
      return (byte(0) & 0x1f) << 6 | (byte(1) & 0x3f);
    case 3:
      return (byte(0) & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
    case 4:
      return (byte(0) & 0x07) << 18 | (byte(1) & 0x3f) << 12 | (byte(2) & 0x3f) << 6 |
             (byte(3) & 0x3f);
    default:
      return byte(0) < 0x80 ? byte(0) : 0xfffd;
  }
}

// Controls, spaces but the plain one, and what is only there to format.
bool IsPrintable(uint32_t point) {
  if (point < 0x20 || (point >= 0x7f && point <= 0xa0) || point == 0xad) return false;
  if (point >= 0x2000 && point <= 0x200f) return false;
  if (point >= 0x2028 && point <= 0x202f) return false;
  if (point >= 0x205f && point <= 0x206f) return false;
  return point != 0x3000 && point != 0xfeff && !(point >= 0xe000 && point <= 0xf8ff);
}

}  // namespace

std::string ManagerName(std::string_view parameter, std::string_view user_agent) {
  if (!parameter.empty()) return std::string(parameter);
  std::string out;
  std::string_view rest = user_agent.substr(0, user_agent.find('/'));
  while (!rest.empty()) {
    const std::string_view character = FirstCharacter(rest);
    rest.remove_prefix(character.size());
    if (!IsPrintable(CodePoint(character))) continue;
    if (out.size() + character.size() > kMaxFieldManagerBytes) break;
    out += character;
  }
  return out.empty() ? "unknown" : out;
}

std::vector<StatusCause> FieldManagerFaults(std::string_view parameter) {
  std::vector<StatusCause> out;
  if (parameter.size() > kMaxFieldManagerBytes) {
    out.push_back(
        {"FieldValueTooLong",
         "Too long: may not be more than " + std::to_string(kMaxFieldManagerBytes) + " bytes",
         "fieldManager"});
    parameter = parameter.substr(0, kMaxFieldManagerBytes);
  }
  for (size_t at = 0; at < parameter.size();) {
    const std::string_view character = FirstCharacter(parameter.substr(at));
    if (const uint32_t point = CodePoint(character); !IsPrintable(point)) {
      out.push_back({"FieldValueInvalid",
                     "Invalid value: " + Quoted(parameter) + ": invalid character " + "U+" +
                         HexNumber(point, 4, HexCase::kUpper) + " (at position " +
                         std::to_string(at) + ")",
                     "fieldManager"});
    }
    at += character.size();
  }
  return out;
}

}  // namespace skiff::apiserver
