#include "apiserver/permission_checks.h"

#include <memory>
#include <optional>
#include <string>

#include "object/object_errors.h"
#include "serving/auth/forbidden.h"
#include "serving/request/request_attributes.h"

namespace skiff {
namespace {

// The answer to whether the user of a request may do this instead. The authorizers of today answer
// before the call returns. One that does not would leave the question open, which counts as no.
AuthorizationResult Ask(Authorizer& authorizer, const AccessAttributes& attributes) {
  auto answer = std::make_shared<std::optional<AuthorizationResult>>();
  authorizer.Authorize(attributes,
                       [answer](AuthorizationResult given) { *answer = std::move(given); });
  return answer->value_or(AuthorizationResult{});
}

}  // namespace

std::function<Result<void>(const ApiRequest&)> CreatePermissionCheck(Authorizer& authorizer) {
  return [&authorizer](const ApiRequest& request) -> Result<void> {
    AccessAttributes attributes = AttributesOf(request);
    attributes.verb = "create";
    const AuthorizationResult answer = Ask(authorizer, attributes);
    if (answer.decision == Decision::kAllow) return {};
    return std::unexpected(ForbiddenStatus(attributes, answer.reason));
  };
}

std::function<Result<void>(const ApiRequest&)> UnreadableDeletionCheck(Authorizer& authorizer) {
  return [&authorizer](const ApiRequest& request) -> Result<void> {
    AccessAttributes attributes = AttributesOf(request);
    attributes.verb = "unsafe-delete-ignore-read-errors";
    const AuthorizationResult answer = Ask(authorizer, attributes);
    if (answer.decision == Decision::kAllow) return {};
    return std::unexpected(ForbiddenObject(
        request.info.group, request.info.resource, request.info.name,
        "not permitted to do \"unsafe-delete-ignore-read-errors\", reason: " + answer.reason));
  };
}

}  // namespace skiff
