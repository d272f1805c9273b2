// The control loops of `skiff up`: the controller manager in the process of the API server, on a
// thread of its own.
//
// Each loop has the identity and the rights that it would have in a process of its own. Where
// several servers share a store, they elect one whose loops run, by the lease that
// kube-controller-manager takes too. Who loses the lease stops its loops, and when nothing of them
// is under way any more it takes part again. Owner: `skiff up`, from when the server is ready until
// before it is drained.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apiserver/server.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "base/status.h"
#include "client/leader_election.h"

namespace skiff::cli {

struct UpControllersOptions {
  std::vector<std::string> controllers;         // as ManagerOptions has them
  std::string root_ca;                          // PEM
  std::string service_account_private_key;      // PEM
  bool elect = false;                           // other servers may use the same store
  client::LeaderElectionOptions election = {};  // its times; the rest is filled in
};

class UpControllers {
 public:
  // Server, clock, randomness and log outlive the loops.
  static Result<std::unique_ptr<UpControllers>> Start(const UpControllersOptions& options,
                                                      apiserver::ApiServer& server, Clock& clock,
                                                      Random& random, Log& log);
  // Ends them in order: nothing is begun any more, what is under way is given up, the lease is
  // handed on, the thread ends.
  virtual ~UpControllers() = default;

  // Whether the loops run here. Any thread but theirs.
  virtual bool leads() = 0;
};

}  // namespace skiff::cli
