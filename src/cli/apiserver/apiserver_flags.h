// The flags of kube-apiserver, all of v1.36; see server_flags.h.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/options.h"
#include "base/status.h"
#include "cli/common/server_flags.h"

namespace skiff::cli {

// What a command line of kube-apiserver says.
struct ApiServerCommandLine : ServerCommandLine {
  apiserver::ApiServerOptions options;
  // Where a certificate is made and kept when none is given.
  std::string cert_dir = "/var/run/kubernetes";
};

using ApiServerFlag = ServerFlag<ApiServerCommandLine>;

// In the order of the help: by section, then by name.
std::vector<ApiServerFlag> AllApiServerFlags();

// Fills in the command line. Options are neither derived nor validated yet.
Result<void> ParseApiServerFlags(std::span<const std::string_view> words,
                                 ApiServerCommandLine& line);

}  // namespace skiff::cli
