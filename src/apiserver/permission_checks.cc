#include "apiserver/permission_checks.h"

#include <memory>
#include <optional>
#include <string>

#include "object/object_errors.h"
#include "serving/auth/forbidden.h"
#include "serving/request/request_attributes.h"

namespace skiff::apiserver {
namespace {

// The answer to whether the user of a request may do this instead. The authorizers of today answer
// before the call returns. One that does not would leave the question open, which counts as no.
serving::AuthorizationResult Ask(serving::Authorizer& authorizer,
                                 const serving::AccessAttributes& attributes) {
  auto answer = std::make_shared<std::optional<serving::AuthorizationResult>>();
  authorizer.Authorize(
      attributes, [answer](serving::AuthorizationResult given) { *answer = std::move(given); });
  return answer->value_or(serving::AuthorizationResult{});
}

}  // namespace

std::function<Result<void>(const serving::ApiRequest&)> CreatePermissionCheck(
    serving::Authorizer& authorizer) {
  return [&authorizer](const serving::ApiRequest& request) -> Result<void> {
    serving::AccessAttributes attributes = serving::AttributesOf(request);
    attributes.verb = "create";
    const serving::AuthorizationResult answer = Ask(authorizer, attributes);
    if (answer.decision == serving::Decision::kAllow) return {};
    return std::unexpected(serving::ForbiddenStatus(attributes, answer.reason));
  };
}

std::function<Result<void>(const serving::ApiRequest&)> UnreadableDeletionCheck(
    serving::Authorizer& authorizer) {
  return [&authorizer](const serving::ApiRequest& request) -> Result<void> {
    serving::AccessAttributes attributes = serving::AttributesOf(request);
    attributes.verb = "unsafe-delete-ignore-read-errors";
    const serving::AuthorizationResult answer = Ask(authorizer, attributes);
    if (answer.decision == serving::Decision::kAllow) return {};
    return std::unexpected(object::ForbiddenObject(
        request.info.group, request.info.resource, request.info.name,
        "not permitted to do \"unsafe-delete-ignore-read-errors\", reason: " + answer.reason));
  };
}

}  // namespace skiff::apiserver
