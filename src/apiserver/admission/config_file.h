// --admission-control-config-file: an AdmissionConfiguration in YAML or JSON, which has for each
// plugin its own configuration, or the path of a file with it.
//
//   apiVersion: apiserver.config.k8s.io/v1
//   kind: AdmissionConfiguration
//   plugins:
//   - name: EventRateLimit
//     path: event-rate-limit.yaml        # beside this file
//   - name: PodSecurity
//     configuration:
//       apiVersion: pod-security.admission.config.k8s.io/v1
//       kind: PodSecurityConfiguration
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "object/value.h"

namespace skiff::apiserver {

struct PluginConfig {
  std::string name;
  std::string json;
  std::string source;  // the file that it stands in, for messages
};

struct PluginConfigs {
  std::vector<PluginConfig> plugins;
  // Null: the plugin has none.
  const PluginConfig* Find(std::string_view name) const;
};

// Errors name the file and the place in it.
Result<PluginConfigs> ReadAdmissionConfig(const std::string& path);

// The configuration of a plugin as a document of its kind. Fails unless it is of that kind, and for
// fields that the kind lacks.
Result<object::Document> DecodePluginConfig(std::string_view json, std::string_view api_version,
                                            std::string_view kind);

}  // namespace skiff::apiserver
