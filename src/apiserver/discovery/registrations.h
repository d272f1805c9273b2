// What APIServices say of groups and versions that this server does not know by itself: those of
// other servers, with what they serve, and priorities that somebody has changed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/shared_bytes.h"

namespace skiff::apiserver {

struct RegisteredVersion {
  std::string group;
  std::string version;
  int32_t group_priority = 0;
  int32_t version_priority = 0;
  // Another server has it; what follows is about that.
  bool is_remote = false;
  bool is_known = false;  // it has been asked once
  bool is_stale = true;   // when it was last asked there was no answer
  // What it serves: a JSON array of APIResourceDiscovery; empty: nothing.
  SharedBytes resources = {};

  bool operator==(const RegisteredVersion&) const = default;
};
using RegisteredVersions = std::vector<RegisteredVersion>;

class Registrations {
 public:
  virtual ~Registrations() = default;
  // Any thread, as the next: rises with every change.
  virtual uint64_t revision() const = 0;
  // As they are now, each group and version once; never null.
  virtual std::shared_ptr<const RegisteredVersions> versions() const = 0;
};

}  // namespace skiff::apiserver
