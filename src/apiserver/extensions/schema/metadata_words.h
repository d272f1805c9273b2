// Why metadata cannot be read, as Go's decoder says it. Custom resources are decoded without types,
// and their metadata, like that of resources embedded in them, is then read into ObjectMeta: what
// Go says of that reaches the client word by word.
#pragma once

#include <string>
#include <string_view>

#include "object/value.h"

namespace skiff::apiserver {

// "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string". Empty if
// nothing is found.
std::string GoProblemOfMetadata(const object::Value& metadata);

// parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006". Of a text that is no
// time.
std::string GoProblemOfTime(std::string_view text);

}  // namespace skiff::apiserver
