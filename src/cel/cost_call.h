// What a call can cost, by its function, and how large its result can be.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cel/ast.h"
#include "cel/cost_estimate.h"

namespace skiff::cel {

// An argument or receiver.
struct CostArgument {
  const Expr* expr = nullptr;
  const Type* type = nullptr;
  std::vector<std::string> path;  // empty: not of a variable
  std::optional<SizeRange> size;  // by itself
};

struct CallEstimate {
  CostRange cost;
  std::optional<SizeRange> result_size;
};

// Of libraries: without the arguments. Nothing: CEL's own rules apply.
std::optional<CallEstimate> EstimateLibraryCall(std::string_view function,
                                                std::string_view overload,
                                                const CostArgument* target,
                                                std::span<const CostArgument> args,
                                                const SizeSource* sizes);

}  // namespace skiff::cel
