#include "cli/controller_manager_flag_setters.h"

#include "base/strings.h"
#include "cli/flag_values.h"

namespace skiff::controller_manager_setters {

using Line = ControllerManagerCommandLine;
using flag_values::SplitList;

Result<void> SetControllers(Line& line, std::string_view text, bool first) {
  std::vector<std::string>& controllers = line.manager.controllers;
  SKIFF_RETURN_IF_ERROR(flag_values::Set(controllers, text, first));
  return CheckControllers(controllers);
}
std::string ShowControllers(Line& line) { return flag_values::Show(line.manager.controllers); }

Result<void> SetResourceLock(Line& /*line*/, std::string_view text, bool /*first*/) {
  if (text == "leases") return {};
  return BadRequest(Quoted(text) + " is no kind of lock; there is only leases");
}
std::string ShowResourceLock(Line& /*line*/) { return "leases"; }

Result<void> SetFeatureGates(Line& line, std::string_view text, bool first) {
  std::map<std::string, bool, std::less<>> given;
  SKIFF_ASSIGN_OR_RETURN(const std::vector<std::string> pairs, SplitList(text));
  for (const std::string& pair : pairs) {
    std::string_view rest = TrimSpace(pair);
    if (rest.empty()) continue;
    if (rest.find('=') == std::string_view::npos) {
      return BadRequest(Quoted(rest) + " is not of the form Name=true or Name=false");
    }
    if (rest.starts_with("kube:")) rest.remove_prefix(5);
    SKIFF_RETURN_IF_ERROR(flag_values::Set(given, rest, /*first=*/false));
  }
  if (first) line.feature_gates.clear();
  for (const auto& [name, on] : given) line.feature_gates.insert_or_assign(name, on);
  return {};
}
std::string ShowFeatureGates(Line& line) { return flag_values::Show(line.feature_gates); }

Result<void> SetEmulatedVersion(Line& /*line*/, std::string_view text, bool /*first*/) {
  SKIFF_ASSIGN_OR_RETURN(const std::vector<std::string> versions, SplitList(text));
  for (const std::string& version : versions) {
    if (version == "1.36" || version == "kube=1.36") continue;
    return BadRequest(Quoted(version) + ": versions other than 1.36 cannot be emulated");
  }
  return {};
}
std::string ShowEmptyList(Line& /*line*/) { return "[]"; }

Result<void> SetSecurePort(Line& line, std::string_view text, bool first) {
  if (!flag_values::Set(line.secure_port, text, first)) {
    return BadRequest(Quoted(text) + " is not a port from 1 to 65535, nor 0 for none");
  }
  return {};
}
std::string ShowSecurePort(Line& line) { return flag_values::Show(line.secure_port); }

Result<void> SetCipherSuites(Line& line, std::string_view text, bool first) {
  SKIFF_RETURN_IF_ERROR(flag_values::Set(line.tls.cipher_suites, text, first));
  const Result<std::string> known = CipherList(line.tls.cipher_suites);
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

Result<void> SetSniCertKey(Line& line, std::string_view text, bool first) {
  const size_t colon = text.find(':');
  SKIFF_ASSIGN_OR_RETURN(const std::vector<std::string> files, SplitList(text.substr(0, colon)));
  if (files.size() != 2 || files[0].empty() || files[1].empty()) {
    return BadRequest(Quoted(text) + " is not of the form file.crt,file.key[:name,name]");
  }
  TlsCertificateFiles made{.certificate_file = files[0], .key_file = files[1], .names = {}};
  if (colon != std::string_view::npos) {
    SKIFF_ASSIGN_OR_RETURN(made.names, SplitList(text.substr(colon + 1)));
  }
  if (first) line.tls.by_name.clear();
  line.tls.by_name.push_back(std::move(made));
  return {};
}
std::string ShowSniCertKeys(Line& line) {
  std::string out = "[";
  for (const TlsCertificateFiles& one : line.tls.by_name) {
    if (out.size() > 1) out += ';';
    out += one.certificate_file + "," + one.key_file;
    const std::string names = flag_values::Show(one.names);
    if (!one.names.empty()) out += ":" + names.substr(1, names.size() - 2);
  }
  return out + "]";
}

Result<void> SetVersion(Line& line, std::string_view text, bool /*first*/) {
  bool wanted = true;
  if (text != "raw") SKIFF_RETURN_IF_ERROR(flag_values::Set(wanted, text, true));
  line.version = !wanted ? "" : text == "raw" ? "raw" : "true";
  return {};
}
std::string ShowVersion(Line& line) { return line.version.empty() ? "false" : line.version; }

}  // namespace skiff::controller_manager_setters
