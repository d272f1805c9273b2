// Flags of kube-apiserver whose text is of a form of its own. Each pair sets and shows one flag.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "cli/apiserver/apiserver_flags.h"

namespace skiff::cli::flag_setters {

using Line = ApiServerCommandLine;

// Seconds as a bare number.
Result<void> SetMinRequestTimeout(Line& line, std::string_view text, bool first);
std::string ShowMinRequestTimeout(Line& line);
// A quantity: "512Mi".
Result<void> SetMemoryLimit(Line& line, std::string_view text, bool first);
std::string ShowMemoryLimit(Line& line);
Result<void> SetSecurePort(Line& line, std::string_view text, bool first);
std::string ShowSecurePort(Line& line);
Result<void> SetCipherSuites(Line& line, std::string_view text, bool first);
std::string ShowCipherSuites(Line& line);
Result<void> SetTlsMinVersion(Line& line, std::string_view text, bool first);
Result<void> SetAuthorizationMode(Line& line, std::string_view text, bool first);
std::string ShowAuthorizationMode(Line& line);
Result<void> SetEnabledPlugins(Line& line, std::string_view text, bool first);
std::string ShowEnabledPlugins(Line& line);
Result<void> SetDisabledPlugins(Line& line, std::string_view text, bool first);
std::string ShowDisabledPlugins(Line& line);
// "lease", "master-count" or "none"
Result<void> SetEndpointReconciler(Line& line, std::string_view text, bool first);
std::string ShowEndpointReconciler(Line& line);
// "30000-32767", "30000+2767", "30000"
Result<void> SetNodePortRange(Line& line, std::string_view text, bool first);
std::string ShowNodePortRange(Line& line);
// "pods#100,deployments.apps#0"
Result<void> SetWatchCacheSizes(Line& line, std::string_view text, bool first);
std::string ShowWatchCacheSizes(Line& line);
Result<void> SetStorageBackend(Line& line, std::string_view text, bool first);
std::string ShowNothing(Line& line);

}  // namespace skiff::cli::flag_setters
