// The selectors of an access review: valid or not, and as requirements for authorizers.
//
// Requirements that cannot be understood are left out, which asks for more than the client meant
// and so never allows more than it should; the review says so.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "serving/auth/authorizer.h"
#include "views/authorization.k8s.io/v1.h"

namespace skiff::apiserver {

// Appends what is wrong with the selectors of spec.resourceAttributes.
void ValidateSelectors(const views::authorization_k8s_io_v1::ResourceAttributes& attributes,
                       std::vector<StatusCause>& causes);

struct SelectorRequirements {
  std::vector<serving::SelectedBy> requirements = {};
  bool has_faults = false;  // some were left out

  // "spec.resourceAttributes.fieldSelector ignored due to parse error", or partially; "" if not.
  std::string EvaluationError(std::string_view selector) const;
};
SelectorRequirements FieldRequirementsOf(
    const views::authorization_k8s_io_v1::ResourceAttributes& attributes);
SelectorRequirements LabelRequirementsOf(
    const views::authorization_k8s_io_v1::ResourceAttributes& attributes);

}  // namespace skiff::apiserver
