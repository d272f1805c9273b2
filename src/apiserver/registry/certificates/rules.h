// The rules of the kinds of certificates.k8s.io.
#pragma once

#include <span>

#include "apiserver/validation/kind_rules.h"

namespace skiff {

std::span<const KindRules> CertificatesRules();

}  // namespace skiff
