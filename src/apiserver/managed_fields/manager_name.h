// Who writes: the name under which fields are owned.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace skiff::apiserver {

// As Kubernetes has it.
inline constexpr size_t kMaxFieldManagerBytes = 128;

// The name that the request gives (?fieldManager=), or else the program at the beginning of its
// User-Agent. Never empty.
std::string ManagerName(std::string_view parameter, std::string_view user_agent);

// What is wrong with the name that a request gives.
std::vector<StatusCause> FieldManagerFaults(std::string_view parameter);

}  // namespace skiff::apiserver
