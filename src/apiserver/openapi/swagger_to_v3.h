// Documents of OpenAPI version 2 as such of version 3, for servers that have nothing else: as
// Kubernetes converts them. Bodies and answers get their media types, references lead to
// components, and what version 3 has no place for is left out. Parameters that are shared stand
// where they are used.
#pragma once

#include <string_view>

#include "base/shared_bytes.h"

namespace skiff::apiserver {

// `part` is of ForeignSwagger::PartOf().
SharedBytes ConvertSwaggerToV3(std::string_view part);

}  // namespace skiff::apiserver
