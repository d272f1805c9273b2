// Runs the control loops that are asked for, each with its own identity, on one executor: within
// the API server's process as well as in a process of its own.
//
// Owner: `skiff up`, kube-controller-manager, simulations. Everything belongs to the executor.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/controller.h"

namespace skiff::controllers {

struct ManagerOptions {
  // As --controllers has it: "*" for what is on by default, a name or alias, "-name" to leave out.
  // The loop that fills secrets with tokens is there whatever this says, if it has a key.
  std::vector<std::string> controllers = {"*"};
  ControllerOptions loops = {};
  // Each loop waits for this long, and up to twice as long, before it starts.
  Duration start_interval = Duration::zero();
};

// kInvalid for a name that no controller has; it says which one was likely meant.
Result<void> CheckControllers(std::span<const std::string> controllers);

struct ManagerEnvironment {
  // The way to the API server with the rights of a service account of kube-system; "" for those of
  // the manager itself. It outlives the manager; asked for the same account twice, it gives the
  // same.
  std::function<client::ClientTransport&(std::string_view service_account)> transport;
  Clock& clock;
  Random& random;
  Log& log;
  ControllerMetrics& metrics;
  client::WorkQueueMetrics* queue_metrics = nullptr;  // outlives the manager
};

class ControllerManager {
 public:
  // Fails as CheckControllers does.
  static Result<std::unique_ptr<ControllerManager>> Make(ManagerOptions options,
                                                         ManagerEnvironment environment);
  virtual ~ControllerManager() = default;

  virtual void Start() = 0;
  // Nothing is begun any more. The manager may be destroyed once its transports are closed and
  // idle() holds.
  virtual void Stop() = 0;
  virtual bool synced() const = 0;
  virtual bool idle() const = 0;
  // Names of the loops that run, ascending.
  virtual std::vector<std::string_view> running() const = 0;
  // What is wrong with each loop, by its name; empty: nothing. A loop is not well once it has been
  // stopped, and when one of its steps lasts longer than any may.
  virtual std::map<std::string, std::string> Faults() const = 0;
};

}  // namespace skiff::controllers
