// TokenReview (whose token is this?) and SelfSubjectReview (who am I?), from document to document.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "object/object_errors.h"
#include "object/value.h"
#include "serving/auth/authenticator.h"

namespace skiff::apiserver {

// `review` is an authentication.k8s.io/v1 TokenReview; the answer is the same with its status. A
// token that is refused is no error but a status that says why. `tokens` live until `done`.
void ReviewToken(object::Document review, serving::TokenAuthenticator& tokens,
                 const std::vector<std::string>& api_audiences,
                 std::move_only_function<void(Result<object::Document>)> done);

// An authentication.k8s.io/v1 SelfSubjectReview.
object::Document ReviewSelf(const serving::UserInfo& user, Clock& clock);

}  // namespace skiff::apiserver
