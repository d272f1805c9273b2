// The rules of a PodCertificateRequest: who asks, with which key, and what was issued.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kPodCertificateRequestRules;

}  // namespace skiff::apiserver
