#include "apiserver/create_rights.h"

#include <memory>
#include <optional>

#include "apiserver/access_of_request.h"
#include "apiserver/authz/forbidden.h"

namespace skiff {

std::function<Result<void>(const ApiRequest&)> RightToCreate(Authorizer& authorizer) {
  return [&authorizer](const ApiRequest& request) -> Result<void> {
    AccessAttributes attributes = AttributesOf(request);
    attributes.verb = "create";
    // The authorizers of today answer before the call returns. One that does not would leave the
    // question open, which counts as no.
    auto answer = std::make_shared<std::optional<AccessAnswer>>();
    authorizer.Authorize(attributes, [answer](AccessAnswer given) { *answer = std::move(given); });
    if (*answer && (*answer)->decision == Decision::kAllow) return {};
    return std::unexpected(ForbiddenStatus(attributes, *answer ? (*answer)->reason : ""));
  };
}

}  // namespace skiff
