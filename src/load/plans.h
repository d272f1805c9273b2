// What a load generator sends: one plan for each scenario.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "load/engine.h"
#include "load/objects.h"

namespace skiff::load {

enum class LoadScenario : uint8_t {
  kGet,
  kList,
  kCreate,
  kUpdate,
  kPatch,
  kDelete,
  kWatch,
  kMixed,
};

enum class LoadAccept : uint8_t { kJson, kProtobuf, kTable };

struct PlanOptions {
  LoadScenario scenario = LoadScenario::kGet;
  LoadAccept accept = LoadAccept::kJson;  // of gets and lists
  std::string selector;                   // of lists, a label selector
  uint64_t limit = 0;                     // of lists; zero: none
  uint64_t objects = 100;                 // that are there already, numbered from zero
  uint64_t count = 0;                     // requests; zero: without end
};

// The names of the operations that a scenario reports, in the order of LoadStep::operation.
std::span<const std::string_view> OperationsOf(LoadScenario scenario);

// For every scenario but kWatch, whose load are creates. The objects must outlive the plan.
std::unique_ptr<LoadPlan> MakePlan(const PlanOptions& options, const LoadObjects& objects);
// `count` creates from number `first` on.
std::unique_ptr<LoadPlan> MakeCreates(const LoadObjects& objects, uint64_t first, uint64_t count);

// Percent-encodes what stands in a query.
std::string QueryEscaped(std::string_view text);

}  // namespace skiff::load
