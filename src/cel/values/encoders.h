// CEL's encoders: base64.encode() and base64.decode(). Decoding also takes texts without padding.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace skiff::cel {

std::string Base64Encode(std::string_view bytes);
Result<std::string> Base64Decode(std::string_view text);

}  // namespace skiff::cel
