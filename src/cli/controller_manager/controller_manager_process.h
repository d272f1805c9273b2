// kube-controller-manager as it runs: its ways to the API server, the election, the loops, and what
// it serves.
//
// Made and asked by the main thread. The loops, the election and the ways to the server belong to
// one event loop, whose thread this owns.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "cli/controller_manager/controller_manager_flags.h"

namespace skiff::cli {

class ControllerManagerProcess {
 public:
  // Reads files, asks the cluster for the CA of clients, and serves. All outlive the process.
  static Result<std::unique_ptr<ControllerManagerProcess>> Start(
      const ControllerManagerCommandLine& line, Clock& clock, Random& random, Log& log);
  virtual ~ControllerManagerProcess() = default;

  // The lease was lost: nothing acts any more, and the process is to end.
  virtual bool lost() const = 0;
  // Ends the loops in order, gives up the lease, and stops serving.
  virtual void Stop() = 0;
  // Any thread, during Stop(): what has not ended, as far as one can tell without waiting.
  virtual std::string UnderWay() const = 0;
};

}  // namespace skiff::cli
