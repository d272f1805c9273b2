// Names of those who sign certificates: example.com/signer-name.
#pragma once

#include <string_view>

#include "apiserver/validation/field_errors.h"

namespace skiff::apiserver {

void ValidateSignerName(std::string_view name, std::string_view field, FieldErrors& errors);

}  // namespace skiff::apiserver
