// The control loops of `skiff up`: the controller manager in the process of the API server, on a
// thread of its own.
//
// Each loop has the identity and the rights that it would have in a process of its own. Owner:
// `skiff up`, from when the server is ready until before it is drained.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apiserver/server.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "base/status.h"

namespace skiff {

struct UpLoopsOptions {
  std::vector<std::string> controllers;     // as ManagerOptions has them
  std::string root_ca;                      // PEM
  std::string service_account_private_key;  // PEM
};

class UpLoops {
 public:
  // Server, clock, randomness and log outlive the loops.
  static Result<std::unique_ptr<UpLoops>> Start(const UpLoopsOptions& options, ApiServer& server,
                                                Clock& clock, Random& random, Log& log);
  // Ends them in order: nothing is begun any more, what is under way is given up, the thread ends.
  virtual ~UpLoops() = default;
};

}  // namespace skiff
