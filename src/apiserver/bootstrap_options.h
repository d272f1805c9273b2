// What the bootstrap takes, from the server's options and the files that they name.
#pragma once

#include "apiserver/bootstrap/bootstrap.h"
#include "apiserver/options.h"
#include "base/status.h"

namespace skiff::apiserver {

// Without the port, which is known when the server listens.
Result<BootstrapOptions> MakeBootstrapOptions(const ApiServerOptions& options);

}  // namespace skiff::apiserver
