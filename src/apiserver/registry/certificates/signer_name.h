// Names of signers: "example.com/my-signer".
#pragma once

#include <string_view>

#include "apiserver/validation/field_errors.h"

namespace skiff {

// A domain of two labels or more, and a name.
void ValidateSignerName(std::string_view name, std::string_view field, FieldErrors& errors);
// Whether the signer is one of Kubernetes' own.
bool IsKubernetesSigner(std::string_view name);

}  // namespace skiff
