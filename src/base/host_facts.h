// What a machine says of itself, for those who must not ask it.
#pragma once

#include <optional>
#include <string>

#include "base/ip_address.h"

namespace skiff {

struct HostFacts {
  std::optional<IpAddress> default_address;  // of the interface that the default route leaves by
  std::string host_name;
};

}  // namespace skiff
