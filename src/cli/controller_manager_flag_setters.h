// Flags of kube-controller-manager whose text is of a form of its own. Each pair sets and shows one
// flag.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "cli/controller_manager_flags.h"

namespace skiff::controller_manager_setters {

// "*,-ttl,bootstrapsigner"
Result<void> SetControllers(ControllerManagerCommandLine& line, std::string_view text, bool first);
std::string ShowControllers(ControllerManagerCommandLine& line);
// "leases"
Result<void> SetResourceLock(ControllerManagerCommandLine& line, std::string_view text, bool first);
std::string ShowResourceLock(ControllerManagerCommandLine& line);
// "Name=true,kube:Other=false"
Result<void> SetFeatureGates(ControllerManagerCommandLine& line, std::string_view text, bool first);
std::string ShowFeatureGates(ControllerManagerCommandLine& line);
// "1.36" or "kube=1.36"
Result<void> SetEmulatedVersion(ControllerManagerCommandLine& line, std::string_view text,
                                bool first);
std::string ShowEmptyList(ControllerManagerCommandLine& line);
Result<void> SetSecurePort(ControllerManagerCommandLine& line, std::string_view text, bool first);
std::string ShowSecurePort(ControllerManagerCommandLine& line);
Result<void> SetCipherSuites(ControllerManagerCommandLine& line, std::string_view text, bool first);
std::string ShowCipherSuites(ControllerManagerCommandLine& line);
Result<void> SetTlsMinVersion(ControllerManagerCommandLine& line, std::string_view text,
                              bool first);
std::string ShowTlsMinVersion(ControllerManagerCommandLine& line);
// "file.crt,file.key:name,*.name"
Result<void> SetSniCertKey(ControllerManagerCommandLine& line, std::string_view text, bool first);
std::string ShowSniCertKeys(ControllerManagerCommandLine& line);
Result<void> SetVersion(ControllerManagerCommandLine& line, std::string_view text, bool first);
std::string ShowVersion(ControllerManagerCommandLine& line);

}  // namespace skiff::controller_manager_setters
