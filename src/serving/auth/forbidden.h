// The answer to a request that is not allowed.
#pragma once

#include <string_view>

#include "object/object_errors.h"
#include "serving/auth/authorizer.h"

namespace skiff::serving {

// `pods "p" is forbidden: User "u" cannot get resource "pods/log" in API group "" in the namespace
// "n"`, with the reason of the answer behind it. What could be taken for HTML is escaped.
Status ForbiddenStatus(const AccessAttributes& attributes, std::string_view reason);

}  // namespace skiff::serving
