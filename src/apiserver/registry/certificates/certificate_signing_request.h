// The rules of a CertificateSigningRequest: what is asked for, and who may answer what.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kCertificateSigningRequestRules;

}  // namespace skiff::apiserver
