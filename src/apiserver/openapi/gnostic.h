// OpenAPI documents as protobuf: the messages openapi.v2.Document and openapi.v3.Document of
// gnostic, which older clients ask for because they are quicker to read than JSON.
//
// Messages differ from JSON in a few ways that a table of their fields tells: maps are lists of
// named pairs, what may be either of several types is wrapped in a message with one field for each,
// extensions (x-…) and values without a type are YAML text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace skiff::apiserver {

// The JSON is such as write_document.h makes; or, if `is_ours` does not hold, has parts of other
// servers in it. Of these, members that the messages do not have are left out, and what has another
// shape has no such form at all: nothing.
std::optional<std::string> OpenApiV2ToProtobuf(std::string_view json, bool is_ours = true);
std::optional<std::string> OpenApiV3ToProtobuf(std::string_view json, bool is_ours = true);

}  // namespace skiff::apiserver
