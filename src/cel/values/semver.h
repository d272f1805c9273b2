// Semantic versions of CEL: semver.org 2.0.0, and a tolerant reading that takes a leading "v", two
// numbers or one, and leading zeros. Errors have the text of Kubernetes' library.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace skiff::cel {

struct Semver {
  struct PreRelease {
    bool is_number = false;
    uint64_t number = 0;
    std::string text;
    bool operator==(const PreRelease&) const = default;
  };

  uint64_t major = 0;
  uint64_t minor = 0;
  uint64_t patch = 0;
  std::vector<PreRelease> pre_release;
  std::vector<std::string> build;
};

// semver(text), semver(text, normalize); isSemver() is whether there is a value.
Result<Semver> SemverFromText(std::string_view text, bool normalize = false);
std::string Text(const Semver& version);

// -1, 0 or 1, by precedence: builds do not count. == in CEL is whether this is 0.
int Compare(const Semver& a, const Semver& b);

}  // namespace skiff::cel
