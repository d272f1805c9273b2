// Whether a pod meets a level of the Pod Security Standards, and if not, why.
//
// Each level is a set of checks. A check may have several forms, each of which holds from some
// release on; a policy of an older version uses the form of that time. Restricted has all checks of
// baseline, except those that a stricter check of its own replaces.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/admission/pod_security/policy.h"
#include "object/view.h"
#include "views/core/v1.h"

namespace skiff::apiserver::pod_security {

// One check that a pod does not pass.
struct Violation {
  std::string reason;  // "privileged"
  std::string detail;  // "container "a" must not set securityContext.privileged=true"
};

// In the order in which Kubernetes names them: the checks of baseline by name, then the others.
// Empty: the pod is fine.
std::vector<Violation> Evaluate(const LevelVersion& policy,
                                const object::MapView<std::string_view>& annotations,
                                const views::core_v1::PodSpec& spec);

// "reason (detail), reason (detail)".
std::string Describe(const std::vector<Violation>& violations);
// "reason, reason".
std::string Reasons(const std::vector<Violation>& violations);

}  // namespace skiff::apiserver::pod_security
