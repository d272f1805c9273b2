// Two documents about the server itself: /version, and the index at / of the paths that it has.
// Both are JSON over several lines, whatever the client accepts.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "apiserver/discovery/registrations.h"
#include "apiserver/discovery/served_resources.h"
#include "serving/request/document.h"

namespace skiff::apiserver {

struct BuildInfo {
  std::string_view kubernetes_version;  // "v1.36.4": whose API it is
  std::string_view skiff_version;       // "v0.1.0"
  std::string_view git_commit = {};     // empty: not known
};

// gitVersion is "v1.36.4+skiff.0.1.0", which orders as v1.36.4 does. No Go is involved, and the
// fields that name its version and compiler say what is there instead.
serving::DocumentResponse VersionDocument(const BuildInfo& build);

// The paths of discovery and those given, sorted.
serving::DocumentResponse IndexDocument(const ServedResources& served,
                                        std::span<const RegisteredVersion> registered,
                                        std::span<const std::string> more_paths);

}  // namespace skiff::apiserver
