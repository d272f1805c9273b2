// Selectors of devices (dynamic resource allocation): expressions over `device`.
//
// Attributes and capacities are maps by domain and name; a domain that a device does not have is an
// empty map. cel.bind() and includes() are there besides the base environment.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "base/status.h"
#include "cel/evaluation.h"
#include "cel/program.h"

namespace skiff::cel {

inline constexpr uint64_t kDeviceSelectorCostLimit = 1'000'000;

struct SemanticVersion {
  std::string text;
};
// No value: of a kind that selectors do not know.
using DeviceAttribute = std::variant<std::monostate, int64_t, bool, std::string, SemanticVersion>;

struct Device {
  std::string driver;
  bool allow_multiple_allocations = false;
  std::map<std::string, DeviceAttribute> attributes;  // "name", or "domain/name"
  std::map<std::string, std::string> capacity;        // quantities
};

struct DeviceSelector {
  std::shared_ptr<const Program> program;  // null: see the error
  std::string error;
  bool is_internal = false;  // the error is not one of the text
  uint64_t max_cost = UINT64_MAX;
};

DeviceSelector CompileDeviceSelector(std::string_view expression);
// Whether a device is selected. The evaluation tells the cost, if anything was run.
Result<bool> MatchesDevice(const Program& selector, const Device& device, Evaluation& evaluation);

}  // namespace skiff::cel
