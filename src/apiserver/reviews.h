// Resources that are questions: a create is answered with the same object and its status, and
// nothing is stored. Reviews of tokens and of access, and requests for tokens.
#pragma once

#include "apiserver/router.h"
#include "apiserver/security.h"
#include "base/clock.h"

namespace skiff::apiserver {

// Both outlive the router.
void AddReviews(Router& router, Security& security, Clock& clock);

}  // namespace skiff::apiserver
