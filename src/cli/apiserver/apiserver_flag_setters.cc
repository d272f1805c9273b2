#include "cli/apiserver/apiserver_flag_setters.h"

#include <algorithm>
#include <array>
#include <utility>

#include "apiserver/admission/plugin.h"
#include "base/limits.h"
#include "base/suggest.h"
#include "cli/common/flag_values.h"
#include "object/scalar/quantity.h"

namespace skiff::cli::flag_setters {
namespace {

using flag_values::SplitList;

// Go's names of what TLS 1.2 and 1.3 have that is still safe, in its order.
constexpr std::array<std::string_view, 17> kCipherSuites{
    "TLS_AES_128_GCM_SHA256",
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
    "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
    "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305",
    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
    "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA",
    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305",
    "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
    "TLS_RSA_WITH_AES_128_GCM_SHA256",
    "TLS_RSA_WITH_AES_256_GCM_SHA384",
};

Result<void> CheckPluginNames(std::string_view text) {
  SKIFF_ASSIGN_OR_RETURN(const std::vector<std::string> given, SplitList(text));
  std::vector<std::string_view> known;
  for (const apiserver::PluginDesc& plugin : apiserver::AllAdmissionPlugins())
    known.push_back(plugin.name);
  for (const std::string& name : given) {
    if (std::ranges::find(known, name) != known.end()) continue;
    return BadRequest(Quoted(name) + " is no admission plugin" + DidYouMean(name, known));
  }
  return {};
}

template <typename Number>
Result<Number> ParseNumber(std::string_view text) {
  Number number{};
  SKIFF_RETURN_IF_ERROR(flag_values::Set(number, text, true));
  return number;
}

std::string ShowBytes(int64_t bytes) {
  return object::Quantity(bytes, object::QuantityFormat::kBinarySI).ToString();
}

}  // namespace

Result<void> SetMinRequestTimeout(Line& line, std::string_view text, bool /*first*/) {
  SKIFF_ASSIGN_OR_RETURN(const int32_t seconds, ParseNumber<int32_t>(text));
  line.options.requests.min_request_timeout = std::chrono::seconds(seconds);
  return {};
}

std::string ShowMinRequestTimeout(Line& line) {
  return std::to_string(line.options.requests.min_request_timeout / std::chrono::seconds(1));
}

Result<void> SetMemoryLimit(Line& line, std::string_view text, bool /*first*/) {
  const Result<object::Quantity> quantity = object::Quantity::Parse(text);
  if (!quantity) return BadRequest(Quoted(text) + " is not a quantity such as 512Mi");
  const int64_t bytes = quantity->Value();
  if (bytes != 0 && bytes < static_cast<int64_t>(limits::kMinMemoryLimitBytes))
    return BadRequest(Quoted(text) + " is less than a server needs, which is " +
                      ShowBytes(limits::kMinMemoryLimitBytes));
  line.options.requests.memory_limit_bytes = bytes;
  return {};
}

std::string ShowMemoryLimit(Line& line) {
  return ShowBytes(line.options.requests.memory_limit_bytes);
}

Result<void> SetSecurePort(Line& line, std::string_view text, bool /*first*/) {
  const Result<uint16_t> port = ParseNumber<uint16_t>(text);
  if (!port || *port == 0) return BadRequest(Quoted(text) + " is not a port from 1 to 65535");
  line.options.secure_port = *port;
  return {};
}

std::string ShowSecurePort(Line& line) { return std::to_string(line.options.secure_port); }

Result<void> SetCipherSuites(Line& line, std::string_view text, bool first) {
  SKIFF_ASSIGN_OR_RETURN(const std::vector<std::string> names, SplitList(text));
  for (const std::string& name : names) {
    if (std::ranges::find(kCipherSuites, name) != kCipherSuites.end()) continue;
    return BadRequest(Quoted(name) + " is not a cipher suite, or not one that is safe" +
                      DidYouMean(name, kCipherSuites));
  }
  return flag_values::Set(line.options.tls.cipher_suites, text, first);
}

std::string ShowCipherSuites(Line& line) {
  return flag_values::Show(line.options.tls.cipher_suites);
}

Result<void> SetTlsMinVersion(Line& line, std::string_view text, bool /*first*/) {
  if (text.empty() || text == "VersionTLS12") {
    line.options.tls.min_version = apiserver::MinTlsVersion::kTls12;
  } else if (text == "VersionTLS13") {
    line.options.tls.min_version = apiserver::MinTlsVersion::kTls13;
  } else if (text == "VersionTLS10" || text == "VersionTLS11") {
    return BadRequest(std::string(text) + " is not safe; VersionTLS12 is the oldest there is");
  } else {
    return BadRequest(Quoted(text) + " is neither VersionTLS12 nor VersionTLS13");
  }
  return {};
}

Result<void> SetAuthorizationMode(Line& line, std::string_view text, bool first) {
  constexpr std::array<apiserver::AuthorizationMode, 4> kModes{
      apiserver::AuthorizationMode::kAlwaysAllow, apiserver::AuthorizationMode::kAlwaysDeny,
      apiserver::AuthorizationMode::kRbac, apiserver::AuthorizationMode::kNode};
  SKIFF_ASSIGN_OR_RETURN(const std::vector<std::string> names, SplitList(text));
  auto& modes = line.options.authorization_modes;
  if (first) modes.clear();
  for (const std::string& name : names) {
    const auto found = std::ranges::find(kModes, name, apiserver::AuthorizationModeName);
    if (found != kModes.end()) {
      modes.push_back(*found);
      continue;
    }
    if (name == "ABAC" || name == "Webhook") {
      return BadRequest(name + " is not supported yet, and its rules would not hold; use RBAC");
    }
    constexpr std::array<std::string_view, 4> kNames{"AlwaysAllow", "AlwaysDeny", "RBAC", "Node"};
    return BadRequest(Quoted(name) + " is no authorization mode" + DidYouMean(name, kNames));
  }
  return {};
}

std::string ShowAuthorizationMode(Line& line) {
  std::vector<std::string> names;
  for (const apiserver::AuthorizationMode mode : line.options.authorization_modes) {
    names.emplace_back(apiserver::AuthorizationModeName(mode));
  }
  return flag_values::Show(names);
}

Result<void> SetEnabledPlugins(Line& line, std::string_view text, bool first) {
  SKIFF_RETURN_IF_ERROR(CheckPluginNames(text));
  return flag_values::Set(line.options.enable_admission_plugins, text, first);
}

std::string ShowEnabledPlugins(Line& line) {
  return flag_values::Show(line.options.enable_admission_plugins);
}

Result<void> SetDisabledPlugins(Line& line, std::string_view text, bool first) {
  SKIFF_RETURN_IF_ERROR(CheckPluginNames(text));
  return flag_values::Set(line.options.disable_admission_plugins, text, first);
}

std::string ShowDisabledPlugins(Line& line) {
  return flag_values::Show(line.options.disable_admission_plugins);
}

Result<void> SetEndpointReconciler(Line& line, std::string_view text, bool /*first*/) {
  if (text != "lease" && text != "none" && text != "master-count") {
    return BadRequest(Quoted(text) + " is neither lease, master-count nor none");
  }
  if (text == "master-count") {
    line.warnings.push_back(
        "--endpoint-reconciler-type: master-count is not supported; lease is used");
  }
  line.options.service.reconcile_endpoints = text != "none";
  return {};
}

std::string ShowEndpointReconciler(Line& line) {
  return line.options.service.reconcile_endpoints ? "lease" : "none";
}

Result<void> SetNodePortRange(Line& line, std::string_view text, bool /*first*/) {
  const auto fault = [text] {
    return BadRequest(Quoted(text) + " is not a range of ports such as 30000-32767");
  };
  const std::string_view trimmed = TrimSpace(text);
  const size_t sign = trimmed.find_first_of("-+");
  const Result<int32_t> low = ParseNumber<int32_t>(trimmed.substr(0, sign));
  if (!low) return fault();
  int32_t high = *low;
  if (sign != std::string_view::npos) {
    const Result<int32_t> second = ParseNumber<int32_t>(trimmed.substr(sign + 1));
    if (!second) return fault();
    high = trimmed[sign] == '+' ? *low + std::min(*second, int32_t{UINT16_MAX}) : *second;
  }
  if (*low < 0 || high > UINT16_MAX || *low > high) return fault();
  line.options.service.node_port_min = *low;
  line.options.service.node_port_max = high;
  return {};
}

std::string ShowNodePortRange(Line& line) {
  return std::to_string(line.options.service.node_port_min) + "-" +
         std::to_string(line.options.service.node_port_max);
}

Result<void> SetWatchCacheSizes(Line& line, std::string_view text, bool first) {
  SKIFF_ASSIGN_OR_RETURN(const std::vector<std::string> pairs, SplitList(text));
  auto& sizes = line.options.storage.watch_cache_sizes;
  if (first) sizes.clear();
  for (const std::string& pair : pairs) {
    const size_t mark = pair.find('#');
    const Result<int64_t> size = ParseNumber<int64_t>(
        mark == std::string::npos ? "" : std::string_view(pair).substr(mark + 1));
    if (!size || *size < 0 || mark == 0) {
      return BadRequest(Quoted(pair) + " is not of the form resource[.group]#size");
    }
    sizes.insert_or_assign(pair.substr(0, mark), *size);
  }
  return {};
}

std::string ShowWatchCacheSizes(Line& line) {
  std::vector<std::string> pairs;
  for (const auto& [name, size] : line.options.storage.watch_cache_sizes) {
    pairs.push_back(name + "#" + std::to_string(size));
  }
  return flag_values::Show(pairs);
}

Result<void> SetStorageBackend(Line& /*line*/, std::string_view text, bool /*first*/) {
  if (text.empty() || text == "etcd3") return {};
  return BadRequest(Quoted(text) + " is not etcd3");
}

std::string ShowNothing(Line& /*line*/) { return ""; }

}  // namespace skiff::cli::flag_setters
