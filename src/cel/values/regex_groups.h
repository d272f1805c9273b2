// Groups of characters that Unicode names, in regular expressions: \p{Greek}, \p{Letter}.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace skiff::cel {

// Knows the groups that it was asked for, since asking RE2 takes long: one for each pattern.
class UnicodeGroups {
 public:
  // The group, or what is not in it, as RE2 takes it, by itself or within brackets; nothing if Go
  // has no group of this name. Within brackets there is nothing for \P{LC}, \P{Assigned} and \p{Cn}
  // either, which RE2 cannot say there.
  std::optional<std::string> Write(std::string_view name, bool negative, bool in_class);

 private:
  bool IsGroupOfRe2(const std::string& name);

  std::set<std::string> known_;
};

}  // namespace skiff::cel
