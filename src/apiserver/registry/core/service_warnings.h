// What is questionable about Services that are valid.
#pragma once

#include <string>
#include <vector>

#include "object/value.h"
#include "views/core/v1.h"

namespace skiff::apiserver {

void WarnAboutService(const object::Document& object, const object::Document* old,
                      const KindSettings&, std::vector<std::string>& warnings);

}  // namespace skiff::apiserver
