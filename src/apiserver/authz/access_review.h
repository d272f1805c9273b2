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

namespace skiff {

using ReviewCallback = std::move_only_function<void(Result<Document>)>;

void ReviewAccess(Document review, Authorizer& authorizer, ReviewCallback done);
// `name_space` is that of the request.
void ReviewLocalAccess(Document review, const std::string& name_space, Authorizer& authorizer,
                       ReviewCallback done);
void ReviewOwnAccess(Document review, const UserInfo& user, Authorizer& authorizer,
                     ReviewCallback done);
Result<Document> ReviewOwnRules(const Document& review, const UserInfo& user, RuleResolver& rules);

}  // namespace skiff
