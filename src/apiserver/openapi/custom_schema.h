// The schemas of a custom kind and of its list, as OpenAPI documents publish them: what the
// definition says, with the metadata that every object has, and kinds and selectable fields beside
// it.
//
// Version 2 cannot say as much: null, alternatives and defaults are left out, and what may hold
// unknown or no values has neither type nor properties there, since kubectl would refuse such.
#pragma once

#include "apiserver/openapi/custom_kinds.h"
#include "apiserver/openapi/schemas.h"
#include "serving/request/json_writer.h"

namespace skiff::apiserver {

// The members of the object, not its brackets.
void WriteCustomSchema(OpenApiDialect dialect, const CustomKind& kind, Descriptions& descriptions,
                       serving::JsonWriter& json);
void WriteCustomListSchema(OpenApiDialect dialect, const CustomKind& kind,
                           Descriptions& descriptions, serving::JsonWriter& json);

}  // namespace skiff::apiserver
