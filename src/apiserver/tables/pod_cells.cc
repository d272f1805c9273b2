// How a pod's state is told in a few words: the columns Ready, Status, Restarts, Readiness Gates.
#include <algorithm>
#include <array>
#include <string>

#include "apiserver/tables/code_cells.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

using namespace views;
using core_v1::ContainerStatus;
using core_v1::Pod;
using core_v1::PodCondition;

struct PodState {
  std::string reason;
  int64_t restarts = 0;
  object::Timestamp last_restart = object::kZeroTimestamp;
  int64_t ready = 0;
  int64_t total = 0;
};

bool IsSidecar(const core_v1::Container& container) {
  return container.restart_policy().value_or("") == "Always";
}

bool IsSidecar(const Pod& pod, std::string_view init_container) {
  bool sidecar = false;
  for (const core_v1::Container container : pod.spec().init_containers()) {
    if (container.name() == init_container) sidecar = IsSidecar(container);
  }
  return sidecar;
}

// The first condition of the type is the one that counts.
bool HasTrueCondition(const Pod& pod, std::string_view type) {
  for (const PodCondition condition : pod.status().conditions()) {
    if (condition.type() == type) return condition.status() == "True";
  }
  return false;
}

std::string TerminatedReason(const core_v1::ContainerStateTerminated& terminated) {
  if (!terminated.reason().empty()) return std::string(terminated.reason());
  if (terminated.signal() != 0) return "Signal:" + std::to_string(terminated.signal());
  return "ExitCode:" + std::to_string(terminated.exit_code());
}

void CountRestarts(const ContainerStatus& status, int64_t* restarts, object::Timestamp* last) {
  *restarts += status.restart_count();
  if (!status.last_state().has_terminated()) return;
  *last = std::max(*last, status.last_state().terminated().finished_at());
}

// What an init container holds up the pod with; empty if it does not.
std::string InitReason(const ContainerStatus& status, bool sidecar, size_t index, size_t total) {
  const core_v1::ContainerState state = status.state();
  if (state.has_terminated() && state.terminated().exit_code() == 0) return {};
  if (sidecar && status.started().value_or(false)) return {};
  if (state.has_terminated()) return "Init:" + TerminatedReason(state.terminated());
  const std::string_view waits_for = state.waiting().reason();
  if (!waits_for.empty() && waits_for != "PodInitializing") {
    return "Init:" + std::string(waits_for);
  }
  return "Init:" + std::to_string(index) + "/" + std::to_string(total);
}

// Goes through the init containers up to the first that is not done, and says whether there is one.
// `sidecars` gets what is known of those that keep running.
bool IsInitializing(const Pod& pod, PodState* out, PodState* sidecars) {
  const size_t total = pod.spec().init_containers().size();
  size_t index = 0;
  for (const ContainerStatus status : pod.status().init_container_statuses()) {
    const bool sidecar = IsSidecar(pod, status.name());
    CountRestarts(status, &out->restarts, &out->last_restart);
    if (sidecar) CountRestarts(status, &sidecars->restarts, &sidecars->last_restart);
    std::string reason = InitReason(status, sidecar, index++, total);
    if (!reason.empty()) {
      out->reason = std::move(reason);
      return true;
    }
    const bool succeeded =
        status.state().has_terminated() && status.state().terminated().exit_code() == 0;
    if (sidecar && !succeeded && status.ready()) ++out->ready;
  }
  return false;
}

void AddContainers(const Pod& pod, PodState* out) {
  bool running = false;
  std::string error;
  const auto statuses = pod.status().container_statuses();
  for (size_t i = statuses.size(); i-- > 0;) {
    const ContainerStatus status = statuses[i];
    const core_v1::ContainerState state = status.state();
    CountRestarts(status, &out->restarts, &out->last_restart);
    if (!state.waiting().reason().empty()) {
      out->reason = state.waiting().reason();
    } else if (state.has_terminated()) {
      out->reason = TerminatedReason(state.terminated());
      if (state.terminated().exit_code() != 0) error = out->reason;
    } else if (status.ready() && state.has_running()) {
      running = true;
      ++out->ready;
    }
  }
  if (out->reason != "Completed") return;
  const auto conditions = pod.status().conditions();
  const bool ready = std::any_of(conditions.begin(), conditions.end(), [](PodCondition condition) {
    return condition.type() == "Ready" && condition.status() == "True";
  });
  if (running && ready) {
    out->reason = "Running";
  } else if (!error.empty()) {
    out->reason = std::move(error);
  } else if (running) {
    out->reason = "NotReady";
  }
}

PodState StateOf(const Pod& pod) {
  PodState state;
  const core_v1::PodStatus status = pod.status();
  state.total = static_cast<int64_t>(pod.spec().containers().size());
  for (const core_v1::Container container : pod.spec().init_containers()) {
    state.total += IsSidecar(container) ? 1 : 0;
  }
  state.reason = status.reason().empty() ? status.phase() : status.reason();
  for (const PodCondition condition : status.conditions()) {
    if (condition.type() == "PodScheduled" && condition.reason() == "SchedulingGated") {
      state.reason = condition.reason();
    }
  }
  PodState sidecars;
  if (!IsInitializing(pod, &state, &sidecars) || HasTrueCondition(pod, "Initialized")) {
    state.restarts = sidecars.restarts;
    state.last_restart = sidecars.last_restart;
    AddContainers(pod, &state);
  }
  if (pod.metadata().deletion_timestamp()) {
    if (status.reason() == "NodeLost") {
      state.reason = "Unknown";
    } else if (status.phase() != "Succeeded" && status.phase() != "Failed") {
      state.reason = "Terminating";
    }
  }
  return state;
}

Cell PodReady(const CellContext& context) {
  const PodState state = StateOf(Pod(&context.object));
  return context.Concat({context.Number(state.ready), "/", context.Number(state.total)});
}

Cell PodStatusWord(const CellContext& context) {
  return context.Text(StateOf(Pod(&context.object)).reason);
}

Cell PodRestarts(const CellContext& context) {
  const PodState state = StateOf(Pod(&context.object));
  const std::string_view count = context.Number(state.restarts);
  if (state.restarts == 0 || object::IsZero(state.last_restart)) return Cell::Text(count);
  return context.Concat({count, " (", context.Age(state.last_restart), " ago)"});
}

Cell PodReadinessGates(const CellContext& context) {
  const Pod pod(&context.object);
  const auto gates = pod.spec().readiness_gates();
  if (gates.empty()) return Cell::Unset();
  int64_t passed = 0;
  for (const core_v1::PodReadinessGate gate : gates) {
    passed += HasTrueCondition(pod, gate.condition_type()) ? 1 : 0;
  }
  return context.Concat(
      {context.Number(passed), "/", context.Number(static_cast<int64_t>(gates.size()))});
}

#define SKIFF_STATE_PATHS(list)                                        \
  list ".name", list ".ready", list ".restartCount", list ".started",  \
      list ".lastState.terminated.finishedAt", list ".state.running#", \
      list ".state.waiting.reason", list ".state.terminated.reason",   \
      list ".state.terminated.signal", list ".state.terminated.exitCode"

constexpr std::string_view kStatePaths[] = {
    ".metadata.deletionTimestamp",
    ".spec.containers#",
    ".spec.initContainers.name",
    ".spec.initContainers.restartPolicy",
    ".status.phase",
    ".status.reason",
    ".status.conditions.type",
    ".status.conditions.status",
    ".status.conditions.reason",
    SKIFF_STATE_PATHS(".status.initContainerStatuses"),
    SKIFF_STATE_PATHS(".status.containerStatuses"),
};
#undef SKIFF_STATE_PATHS

constexpr std::string_view kGatePaths[] = {
    ".spec.readinessGates.conditionType",
    ".status.conditions.type",
    ".status.conditions.status",
};

constexpr CodeCell kCells[] = {
    {"pod-ready", PodReady, kStatePaths},
    {"pod-status", PodStatusWord, kStatePaths},
    {"pod-restarts", PodRestarts, kStatePaths},
    {"pod-readiness-gates", PodReadinessGates, kGatePaths},
};

}  // namespace

std::span<const CodeCell> PodCells() { return kCells; }

}  // namespace skiff::apiserver
