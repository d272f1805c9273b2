// Flags of kube-controller-manager whose text is of a form of its own. Each pair sets and shows one
// flag.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "cli/controller_manager/controller_manager_flags.h"

namespace skiff::cli::controller_manager_setters {

// "*,-ttl,bootstrapsigner"
Result<void> SetControllers(ControllerManagerCommandLine& line, std::string_view text, bool first);
std::string ShowControllers(ControllerManagerCommandLine& line);
// "leases"
Result<void> SetResourceLock(ControllerManagerCommandLine& line, std::string_view text, bool first);
std::string ShowResourceLock(ControllerManagerCommandLine& line);
Result<void> SetSecurePort(ControllerManagerCommandLine& line, std::string_view text, bool first);
std::string ShowSecurePort(ControllerManagerCommandLine& line);
Result<void> SetCipherSuites(ControllerManagerCommandLine& line, std::string_view text, bool first);
std::string ShowCipherSuites(ControllerManagerCommandLine& line);
Result<void> SetTlsMinVersion(ControllerManagerCommandLine& line, std::string_view text,
                              bool first);
std::string ShowTlsMinVersion(ControllerManagerCommandLine& line);

}  // namespace skiff::cli::controller_manager_setters
