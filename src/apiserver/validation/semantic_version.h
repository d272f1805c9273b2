// Semantic versions, https://semver.org: "1.36.0-alpha.1+build".
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skiff::apiserver {

class SemanticVersion {
 public:
  SemanticVersion() = default;  // 0.0.0
  // Nothing unless the text has all three numbers, none with leading zeros.
  static std::optional<SemanticVersion> Parse(std::string_view text);

  // By precedence: builds do not count, and what precedes a release is less than it.
  std::strong_ordering operator<=>(const SemanticVersion& other) const;
  bool operator==(const SemanticVersion& other) const {
    return (*this <=> other) == std::strong_ordering::equal;
  }

 private:
  std::array<uint64_t, 3> numbers_{};
  std::vector<std::string> before_release_;
};

}  // namespace skiff::apiserver
