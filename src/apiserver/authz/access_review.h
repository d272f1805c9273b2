// Questions about access, from document to document: SubjectAccessReview (may somebody do this?),
// LocalSubjectAccessReview (the same within a namespace), SelfSubjectAccessReview (may I?) and
// SelfSubjectRulesReview (what may I?), of authorization.k8s.io/v1.
//
// The answer is the question with its status. `done` is called once, before the call returns or
// later; the authorizer and the user live until then.
#pragma once

#include <functional>
#include <string>

#include "apiserver/authz/authorizers.h"
#include "object/object_errors.h"
#include "object/value.h"
#include "serving/auth/authorizer.h"

namespace skiff::apiserver {

using ReviewCallback = std::move_only_function<void(Result<object::Document>)>;

void ReviewAccess(object::Document review, serving::Authorizer& authorizer, ReviewCallback done);
// `name_space` is that of the request.
void ReviewLocalAccess(object::Document review, const std::string& name_space,
                       serving::Authorizer& authorizer, ReviewCallback done);
void ReviewOwnAccess(object::Document review, const serving::UserInfo& user,
                     serving::Authorizer& authorizer, ReviewCallback done);
Result<object::Document> ReviewOwnRules(const object::Document& review,
                                        const serving::UserInfo& user, RuleResolver& rules);

}  // namespace skiff::apiserver
