// What the expressions of one policy say about a request.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/admission/policy.h"
#include "apiserver/admission/policy_request.h"
#include "base/clock.h"

namespace skiff::apiserver {

// For messages that metrics tell apart.
std::string_view PolicyErrorType(std::string_view message);

struct PolicyMatch {
  bool matches = false;
  std::string error = {};  // one that is to be reported; then it does not match
};
// matchConditions: all have to be true. A condition that is false outweighs others that fail.
PolicyMatch MatchesConditions(const Policy& policy, const PolicyRequest& request,
                              const PolicyInputs::Given& given);

struct PolicyDecision {
  enum class Evaluation : uint8_t { kAdmit, kError, kDeny };
  bool denies = false;
  Evaluation evaluation = Evaluation::kAdmit;
  std::string message = {};
  std::string reason = {};  // empty: none was given
  Duration took = {};
};
struct PolicyAnnotation {
  std::string key;
  std::string value = {};  // empty: nothing is published
  std::string error = {};
  Duration took = {};
};
struct PolicyVerdict {
  std::vector<PolicyDecision> decisions;  // one for each validation, or one fault of all
  std::vector<PolicyAnnotation> annotations;
};
// The clock tells how long each expression takes.
PolicyVerdict EvaluatePolicy(const Policy& policy, const PolicyRequest& request,
                             const PolicyInputs::Given& given, Clock& clock);

}  // namespace skiff::apiserver
