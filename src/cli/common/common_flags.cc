#include "cli/common/common_flags.h"

#include <utility>

#include "base/strings.h"

namespace skiff::cli::common_flags {

using flag_values::SplitList;

Result<void> ReadFeatureGates(std::string_view text, bool first,
                              std::map<std::string, bool, std::less<>>& gates) {
  std::map<std::string, bool, std::less<>> given;
  SKIFF_ASSIGN_OR_RETURN(const std::vector<std::string> pairs, SplitList(text));
  for (const std::string& pair : pairs) {
    std::string_view rest = TrimSpace(pair);
    if (rest.empty()) continue;
    const size_t equals = rest.find('=');
    if (equals == std::string_view::npos) {
      return BadRequest(Quoted(rest) + " is not of the form Name=true or Name=false");
    }
    const size_t colon = rest.substr(0, equals).find(':');
    if (colon != std::string_view::npos) {
      if (rest.substr(0, colon) != "kube") {
        return BadRequest(Quoted(rest.substr(0, colon)) + " is no component; leave it out");
      }
      rest.remove_prefix(colon + 1);
    }
    SKIFF_RETURN_IF_ERROR(flag_values::Set(given, rest, /*first=*/false));
  }
  if (first) gates.clear();
  for (const auto& [name, on] : given) gates.insert_or_assign(name, on);
  return {};
}

Result<void> CheckEmulatedVersion(std::string_view text) {
  SKIFF_ASSIGN_OR_RETURN(const std::vector<std::string> versions, SplitList(text));
  for (const std::string& version : versions) {
    if (version == "1.36" || version == "kube=1.36") continue;
    return BadRequest(Quoted(version) + ": versions other than 1.36 cannot be emulated");
  }
  return {};
}

Result<void> ReadVersion(std::string_view text, std::string& version) {
  SKIFF_RETURN_IF_ERROR(flag_values::CheckSyntax("version", text));
  bool wanted = true;
  if (text != "raw") SKIFF_RETURN_IF_ERROR(flag_values::Set(wanted, text, true));
  version = !wanted ? "" : text == "raw" ? "raw" : "true";
  return {};
}

Result<void> ReadSniCertificate(std::string_view text, bool first,
                                std::vector<net::TlsCertificateFiles>& all) {
  const size_t colon = text.find(':');
  SKIFF_ASSIGN_OR_RETURN(const std::vector<std::string> files, SplitList(text.substr(0, colon)));
  if (files.size() != 2 || files[0].empty() || files[1].empty()) {
    return BadRequest(Quoted(text) + " is not of the form file.crt,file.key[:name,name]");
  }
  net::TlsCertificateFiles read{.certificate_file = files[0], .key_file = files[1], .names = {}};
  if (colon != std::string_view::npos) {
    SKIFF_ASSIGN_OR_RETURN(read.names, SplitList(text.substr(colon + 1)));
  }
  if (first) all.clear();
  all.push_back(std::move(read));
  return {};
}

std::string ShowSniCertificates(const std::vector<net::TlsCertificateFiles>& all) {
  std::string out = "[";
  for (const net::TlsCertificateFiles& one : all) {
    if (out.size() > 1) out += ';';
    out += one.certificate_file + "," + one.key_file;
    const std::string names = flag_values::Show(one.names);
    if (!one.names.empty()) out += ":" + names.substr(1, names.size() - 2);
  }
  return out + "]";
}

}  // namespace skiff::cli::common_flags
