#include "cli/controller_manager/controller_manager_flag_setters.h"

#include "base/strings.h"
#include "cli/common/flag_values.h"

namespace skiff::cli::controller_manager_setters {

using Line = ControllerManagerCommandLine;
using flag_values::SplitList;

Result<void> SetControllers(Line& line, std::string_view text, bool first) {
  std::vector<std::string>& controllers = line.manager.controllers;
  SKIFF_RETURN_IF_ERROR(flag_values::Set(controllers, text, first));
  return controllers::CheckControllers(controllers);
}
std::string ShowControllers(Line& line) { return flag_values::Show(line.manager.controllers); }

Result<void> SetResourceLock(Line& /*line*/, std::string_view text, bool /*first*/) {
  if (text == "leases") return {};
  return BadRequest(Quoted(text) + " is no kind of lock; there is only leases");
}
std::string ShowResourceLock(Line& /*line*/) { return "leases"; }

Result<void> SetSecurePort(Line& line, std::string_view text, bool first) {
  if (!flag_values::Set(line.secure_port, text, first)) {
    return BadRequest(Quoted(text) + " is not a port from 1 to 65535, nor 0 for none");
  }
  return {};
}
std::string ShowSecurePort(Line& line) { return flag_values::Show(line.secure_port); }

Result<void> SetCipherSuites(Line& line, std::string_view text, bool first) {
  SKIFF_RETURN_IF_ERROR(flag_values::Set(line.tls.cipher_suites, text, first));
  const Result<std::string> known = net::CipherList(line.tls.cipher_suites);
  return known ? Result<void>() : std::unexpected(known.error());
}
std::string ShowCipherSuites(Line& line) { return flag_values::Show(line.tls.cipher_suites); }

Result<void> SetTlsMinVersion(Line& line, std::string_view text, bool /*first*/) {
  if (!text.empty() && text != "VersionTLS12" && text != "VersionTLS13") {
    return BadRequest(Quoted(text) + " is neither VersionTLS12 nor VersionTLS13");
  }
  line.tls.min_version = text;
  return {};
}
std::string ShowTlsMinVersion(Line& line) { return line.tls.min_version; }

}  // namespace skiff::cli::controller_manager_setters
