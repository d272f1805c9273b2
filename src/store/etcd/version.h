// etcd's version, as its members tell it, and what follows from it.
#pragma once

#include <optional>
#include <string_view>

namespace skiff::store {

struct EtcdVersion {
  int major = 0;
  int minor = 0;
  int patch = 0;
  friend auto operator<=>(EtcdVersion, EtcdVersion) = default;
};

// "3.5.13", "3.6.0-alpha.0", "3.4.23+git"; nothing if it is none.
std::optional<EtcdVersion> ParseEtcdVersion(std::string_view text);

// Whether the progress that a member tells of never runs ahead of its events. Fixed in 3.4.31 and
// 3.5.13 (etcd issues 15220 and 17507).
bool HasReliableProgress(EtcdVersion version);

}  // namespace skiff::store
