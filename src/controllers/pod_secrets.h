// Which secrets a pod names: in volumes, in the environment of its containers, for its images.
#pragma once

#include <set>
#include <string>

#include "views/core/v1.h"

namespace skiff::controllers {

void AddSecretsOf(const views::core_v1::Pod& pod, std::set<std::string>& names);

}  // namespace skiff::controllers
