// How violations are put into words.
#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skiff::apiserver::pod_security {

using Names = std::vector<std::string>;
using NameSet = std::set<std::string, std::less<>>;  // in the order in which messages show them

inline Names Sorted(const NameSet& names) { return {names.begin(), names.end()}; }

std::string Join(std::span<const std::string> parts, std::string_view between);
// "a", "b": each in quotation marks, nothing escaped.
std::string JoinQuoted(std::span<const std::string> names);
// One of two forms.
std::string_view Plural(std::string_view one, std::string_view more, size_t count);
// container "a"; containers "a", "b".
std::string ContainersNamed(std::span<const std::string> names);
// Who does something: `pod and containers "a", "b"`. Empty: nobody.
std::string Setters(bool pod, std::span<const std::string> containers);

}  // namespace skiff::apiserver::pod_security
