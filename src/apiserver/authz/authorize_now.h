// Questions to an authorizer from where nobody can wait for the answer. The authorizers of today
// answer before they return; one that does not counts as a no.
#pragma once

#include <string_view>

#include "serving/auth/authorizer.h"

namespace skiff::apiserver {

serving::AuthorizationResult AuthorizeNow(serving::Authorizer& authorizer,
                                          const serving::AccessAttributes& attributes);
// Whether the user may use the signer, by its name or by its domain ("example.com/*").
bool MayUseSigner(serving::Authorizer& authorizer, const serving::UserInfo& user,
                  std::string_view verb, std::string_view signer);

}  // namespace skiff::apiserver
