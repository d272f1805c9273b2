// Flags that Kubernetes' servers have in common, for their tables: those of metrics, logs and help,
// and the forms of values that no single server has for itself.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "cli/common/flag_values.h"
#include "cli/common/server_flags.h"
#include "net/tls_options.h"

namespace skiff::cli::common_flags {

// "Name=true,kube:Other=false"
Result<void> ReadFeatureGates(std::string_view text, bool first,
                              std::map<std::string, bool, std::less<>>& gates);
// "1.36" or "kube=1.36", which are all there is.
Result<void> CheckEmulatedVersion(std::string_view text);
// "true", "false", "raw"; "" for false.
Result<void> ReadVersion(std::string_view text, std::string& version);

// "file.crt,file.key:name,*.name"
Result<void> ReadSniCertificate(std::string_view text, bool first,
                                std::vector<net::TlsCertificateFiles>& all);
std::string ShowSniCertificates(const std::vector<net::TlsCertificateFiles>& all);

// Features to turn on or off, which `kMember` finds in the command line.
template <auto kMember>
struct FeatureGatesBinding {
  template <typename Line>
  constexpr operator FlagBinding<Line>() const {
    return {.set = [](Line& line, std::string_view text,
                      bool first) { return ReadFeatureGates(text, first, kMember(line)); },
            .show = [](Line& line) { return flag_values::Show(kMember(line)); }};
  }
};
template <auto kMember>
struct SniBinding {
  template <typename Line>
  constexpr operator FlagBinding<Line>() const {
    return {.set = [](Line& line, std::string_view text,
                      bool first) { return ReadSniCertificate(text, first, kMember(line)); },
            .show = [](Line& line) { return ShowSniCertificates(kMember(line)); }};
  }
};
struct EmulatedVersionBinding {
  template <typename Line>
  constexpr operator FlagBinding<Line>() const {
    return {
        .set = [](Line&, std::string_view text, bool) { return CheckEmulatedVersion(text); },
        .show = [](Line&) { return std::string("[]"); },
    };
  }
};

// The sections "metrics" and "logs". `kLevel` finds the level of the log.
template <typename Line, auto kLevel>
std::vector<ServerFlag<Line>> MetricsAndLogs() {
  constexpr FlagEffect kIgnored = FlagEffect::kIgnored;
  constexpr std::string_view kNoChoice = "metrics cannot be chosen yet";
  constexpr std::string_view kText = "the log is text on standard error";
  return {
      {"allow-metric-labels", "stringToString", "metrics", kNoChoice, kIgnored, "[]"},
      {"allow-metric-labels-manifest", "string", "metrics", kNoChoice, kIgnored},
      {"disabled-metrics", "stringSlice", "metrics", kNoChoice, kIgnored, "[]"},
      {"show-hidden-metrics-for-version", "string", "metrics", kNoChoice, kIgnored},
      {"log-flush-frequency", "duration", "logs", kText, kIgnored, "5s"},
      {"log-json-info-buffer-size", "quantity", "logs", kText, kIgnored, "0"},
      {"log-json-split-stream", "bool", "logs", kText, kIgnored, "false"},
      {"log-text-info-buffer-size", "quantity", "logs", kText, kIgnored, "0"},
      {"log-text-split-stream", "bool", "logs", kText, kIgnored, "false"},
      {"logging-format", "string", "logs", kText, kIgnored, "text"},
      {.name = "v",
       .type = "Level",
       .section = "logs",
       .about = "how much is logged",
       .binding = flag_values::Bind<kLevel>()},
      {"vmodule", "pattern=N,...", "logs", "the log has one level for all files", kIgnored},
  };
}

// The section "global".
template <typename Line>
std::vector<ServerFlag<Line>> HelpAndVersion() {
  return {
      {.name = "help",
       .type = "bool",
       .section = "global",
       .about = "print this help",
       .binding = {.set = [](Line& line, std::string_view text,
                             bool first) { return flag_values::Set(line.help, text, first); },
                   .show = [](Line& line) { return flag_values::Show(line.help); }}},
      {.name = "version",
       .type = "version",
       .section = "global",
       .about = "print the version and end; raw: all that is known of it",
       .binding = {
           .set = [](Line& line, std::string_view text,
                     bool) { return ReadVersion(text, line.version); },
           .show = [](Line& line) { return line.version.empty() ? "false" : line.version; }}},
  };
}

}  // namespace skiff::cli::common_flags
