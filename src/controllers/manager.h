// Runs the control loops that are asked for, each with its own identity, on one executor: within
// the API server's process as well as in a process of its own.
//
// Owner: `skiff up`, kube-controller-manager, simulations. Everything belongs to the executor.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/metrics.h"
#include "controllers/controller.h"

namespace skiff {

struct ManagerOptions {
  // As --controllers has it: "*" for what is on by default, a name or alias, "-name" to leave out.
  std::vector<std::string> controllers = {"*"};
  ControllerOptions loops = {};
};

// kInvalid for a name that no controller has; it says which one was likely meant.
Result<void> CheckControllers(std::span<const std::string> controllers);

struct ManagerEnvironment {
  // The way to the API server with the rights of a service account of kube-system; "" for those of
  // the manager itself. It outlives the manager; asked for the same account twice, it gives the
  // same.
  std::function<ClientTransport&(std::string_view service_account)> transport;
  Clock& clock;
  Random& random;
  Log& log;
  MetricsRegistry& metrics;
  WorkQueueMetrics* queue_metrics = nullptr;  // outlives the manager
};

class ControllerManager {
 public:
  // Fails as CheckControllers does. There is one manager to a registry of metrics.
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
};

}  // namespace skiff
