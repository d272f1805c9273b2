// OpenAPI documents as protobuf: the messages openapi.v2.Document and openapi.v3.Document of
// gnostic, which older clients ask for because they are quicker to read than JSON.
//
// Messages differ from JSON in a few ways that a table of their fields tells: maps are lists of
// named pairs, what may be either of several types is wrapped in a message with one field for each,
// extensions (x-…) and values without a type are YAML text.
#pragma once

#include <string>
#include <string_view>

namespace skiff::apiserver {

// The JSON is such as write_document.h makes.
std::string OpenApiV2ToProtobuf(std::string_view json);
std::string OpenApiV3ToProtobuf(std::string_view json);

}  // namespace skiff::apiserver
