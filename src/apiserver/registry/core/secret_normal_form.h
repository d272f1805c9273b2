// What a Secret becomes by being read: stringData is put into data.
#pragma once

#include "apiserver/convert/normal_form.h"

namespace skiff::apiserver {

extern const NormalForm kSecretNormalForm;

}  // namespace skiff::apiserver
