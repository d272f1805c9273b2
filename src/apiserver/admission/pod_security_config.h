// The configuration of PodSecurity: PodSecurityConfiguration of
// pod-security.admission.config.k8s.io.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "apiserver/admission/pod_security/policy.h"
#include "base/status.h"

namespace skiff::apiserver {

struct PodSecurityConfig {
  using Names = std::set<std::string, std::less<>>;

  pod_security::Policy defaults;
  // Whoever or whatever is in one of these is not looked at.
  Names users;
  Names namespaces;
  Names runtime_classes;

  // Without text everything is privileged. kInvalid names everything that is wrong.
  static Result<PodSecurityConfig> Parse(std::string_view json);
};

}  // namespace skiff::apiserver
