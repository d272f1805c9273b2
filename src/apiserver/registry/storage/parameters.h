// What classes of storage have in common: whom they ask for volumes, and with which parameters.
#pragma once

#include <string_view>

#include "apiserver/validation/field_errors.h"
#include "object/view.h"

namespace skiff::apiserver {

// A driver that makes volumes, or changes them.
void ValidateProvisioner(std::string_view name, std::string_view field, FieldErrors& errors);
// `may_be_empty`: the class works without.
void ValidateParameters(const object::MapView<std::string_view>& parameters, bool may_be_empty,
                        FieldErrors& errors);

}  // namespace skiff::apiserver
