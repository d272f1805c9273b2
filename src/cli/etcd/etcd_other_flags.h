// Flags of etcd, from 3.4 to 3.6, that `skiff etcd` knows by name alone.
#pragma once

#include <span>
#include <string_view>

namespace skiff::cli {

// Flags that have no meaning for one member on an embedded store: they are taken and ignored. The
// first take a value, the second are switches.
std::span<const std::string_view> IgnoredEtcdFlags();
std::span<const std::string_view> IgnoredEtcdSwitches();
// To ignore these would be less safe than was asked for, another cluster, or another API.
std::span<const std::string_view> RefusedEtcdFlags();
std::span<const std::string_view> RefusedEtcdSwitches();

}  // namespace skiff::cli
