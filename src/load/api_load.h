// One run of load against an API server, from beginning to end: a namespace of its own, objects to
// work on, the load, and cleaning up, which also happens when the run fails or is ended early.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "base/status.h"
#include "load/engine.h"
#include "load/fan_out.h"
#include "load/objects.h"
#include "load/plans.h"
#include "load/process_usage.h"

namespace skiff::load {

struct ApiLoadOptions {
  PlanOptions plan;
  LoadKind kind = LoadKind::kConfigMap;
  size_t object_bytes = 1024;
  std::string object_template;  // of objects.h; empty: an object of that size
  std::string resource;         // "GROUP/VERSION/RESOURCE" of a template of another kind
  std::string name_space;       // empty: one is made, with a name that nobody has, and removed
  bool keep = false;            // what was made
  Duration duration = std::chrono::seconds(10);  // kForever with a count
  FanOutOptions fan_out;                         // of LoadScenario::kWatch
  std::optional<int64_t> server_pid;
};

struct ApiLoadReport {
  std::string server_version;
  std::string name_space;
  std::vector<std::string_view> names;  // of the operations
  LoadFigures load;
  std::optional<FanOutFigures> fan_out;
  std::optional<ProcessUsage> before;  // of the server, around the load alone
  std::optional<ProcessUsage> after;
  std::string left_behind;  // why something could not be removed; mostly empty
};

class ApiLoad {
 public:
  // Makes the progress of a step; called anew for each one.
  using StepTick = std::function<LoadTick(std::string_view step)>;

  ApiLoad(LoadEngine& engine, ApiLoadOptions options, Random& random, StepTick step_tick);

  // An error means that the load could not begin.
  Result<ApiLoadReport> Run();

 private:
  Result<void> UseTemplate();
  Result<void> Prepare();
  Result<void> MakeNamespace();
  Result<void> MakeObjects(uint64_t count);
  Result<void> ApplyLoad();
  Result<void> ApplyFanOut();
  void CleanUp();
  Result<void> RemoveObjects();
  Result<LoadResponse> Send(std::string_view method, std::string path, std::string_view body = {});
  Result<void> ReadUsage(std::optional<ProcessUsage>& usage) const;

  LoadEngine& engine_;
  const ApiLoadOptions options_;
  const StepTick step_tick_;
  const std::string run_;
  const std::string name_space_;
  LoadObjects objects_;
  bool made_namespace_ = false;
  ApiLoadReport report_;
};

}  // namespace skiff::load
