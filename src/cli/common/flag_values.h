// How the flags of servers become values and values become text. Beside the table itself
// this is all that knows the types of pflag.
#pragma once

#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

#include "base/clock.h"
#include "base/ip_address.h"
#include "base/status.h"
#include "base/strings.h"
#include "cli/common/server_flags.h"

namespace skiff::cli::flag_values {

// Each sets `target` from the text of a flag. The error says what is expected.
Result<void> Set(std::string& target, std::string_view text, bool first);
Result<void> Set(bool& target, std::string_view text, bool first);
Result<void> Set(double& target, std::string_view text, bool first);
Result<void> Set(Duration& target, std::string_view text, bool first);
Result<void> Set(IpAddress& target, std::string_view text, bool first);
Result<void> Set(std::optional<IpAddress>& target, std::string_view text, bool first);
Result<void> Set(std::vector<std::string>& target, std::string_view text, bool first);
Result<void> Set(std::vector<int32_t>& target, std::string_view text, bool first);
Result<void> Set(std::vector<IpRange>& target, std::string_view text, bool first);
// "a=true,b=false"; a name alone stands for true.
Result<void> Set(std::map<std::string, bool, std::less<>>& target, std::string_view text,
                 bool first);

template <typename Number>
requires(std::is_integral_v<Number> &&
         !std::is_same_v<Number, bool>) Result<void> Set(Number& target, std::string_view text,
                                                         bool /*first*/) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec == std::errc::result_out_of_range) {
    return BadRequest(Quoted(text) + " is out of range");
  }
  if (parsed.ec != std::errc() || parsed.ptr != end) {
    return BadRequest(Quoted(text) + " is not a whole number");
  }
  target = number;
  return {};
}

// The values between commas, which may stand in double quotes (CSV), as a list of pflag.
Result<std::vector<std::string>> SplitList(std::string_view text);

std::string Show(const std::string& value);
std::string Show(bool value);
std::string Show(double value);
std::string Show(Duration value);
std::string Show(const IpAddress& value);
std::string Show(const std::optional<IpAddress>& value);
std::string Show(const std::vector<std::string>& value);
std::string Show(const std::vector<int32_t>& value);
std::string Show(const std::vector<IpRange>& value);
std::string Show(const std::map<std::string, bool, std::less<>>& value);
template <typename Number>
requires(std::is_integral_v<Number> && !std::is_same_v<Number, bool>) std::string
    Show(Number value) {
  return std::to_string(value);
}

// How to find a member of a command line.
#define SKIFF_MEMBER(member) \
  [](auto& line) -> auto& { return line.member; }

// Becomes the binding of any command line that `kMember` finds its member in.
template <auto kMember>
struct MemberBinding {
  template <typename Line>
  constexpr operator FlagBinding<Line>() const {
    return {.set = [](Line& line, std::string_view text,
                      bool first) { return Set(kMember(line), text, first); },
            .show = [](Line& line) { return Show(kMember(line)); }};
  }
};
// The flag sets the member that `kMember` finds.
template <auto kMember>
constexpr MemberBinding<kMember> Bind() {
  return {};
}

// Likewise, for a list whose values are not split at commas (pflag's stringArray).
template <auto kMember>
struct ArrayBinding {
  template <typename Line>
  constexpr operator FlagBinding<Line>() const {
    return {.set = [](Line& line, std::string_view text, bool first) -> Result<void> {
              if (first) kMember(line).clear();
              kMember(line).emplace_back(text);
              return {};
            },
            .show = [](Line& line) { return Show(kMember(line)); }};
  }
};
template <auto kMember>
constexpr ArrayBinding<kMember> BindArray() {
  return {};
}

// Whether the text is one that a flag of that type takes.
Result<void> CheckSyntax(std::string_view type, std::string_view text);
// Whether the two texts mean the same to a flag of that type.
bool MeansTheSame(std::string_view type, std::string_view a, std::string_view b);

}  // namespace skiff::cli::flag_values
