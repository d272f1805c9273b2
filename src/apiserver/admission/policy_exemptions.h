// Requests that no policy is asked about: writes of policies and their bindings, which could
// otherwise not be undone, and reviews, on which everything else depends.
#pragma once

#include <string_view>

#include "apiserver/admission/request.h"

namespace skiff::apiserver {

inline constexpr std::string_view kPolicyGroup = "admissionregistration.k8s.io";

inline bool IsExemptFromPolicies(const AdmissionRequest& request) {
  const std::string_view group = GroupOf(request);
  const std::string_view resource = request.resource.name;
  if (group == kPolicyGroup) {
    return resource == "validatingadmissionpolicies" ||
           resource == "validatingadmissionpolicybindings" ||
           resource == "mutatingadmissionpolicies" || resource == "mutatingadmissionpolicybindings";
  }
  if (group == "authentication.k8s.io") {
    return resource == "selfsubjectreviews" || resource == "tokenreviews";
  }
  return group == "authorization.k8s.io" &&
         (resource == "localsubjectaccessreviews" || resource == "selfsubjectaccessreviews" ||
          resource == "selfsubjectrulesreviews" || resource == "subjectaccessreviews");
}

}  // namespace skiff::apiserver
