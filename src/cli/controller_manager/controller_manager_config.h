// What /configz of kube-controller-manager shows: the options as the configuration of the version
// kubecontrollermanager.config.k8s.io/v1alpha1, of what is there.
#pragma once

#include <string>

#include "cli/controller_manager/controller_manager_flags.h"

namespace skiff::cli {

std::string ConfigJson(const ControllerManagerCommandLine& line);

}  // namespace skiff::cli
