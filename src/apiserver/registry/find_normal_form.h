// What objects of kinds become by being read, beyond their defaults.
#pragma once

#include "apiserver/convert/normal_form.h"
#include "object/descriptor.h"

namespace skiff::apiserver {

// Null when objects of the type are as they are.
const NormalForm* FindNormalFormOfKind(const object::MessageDesc* type);

}  // namespace skiff::apiserver
