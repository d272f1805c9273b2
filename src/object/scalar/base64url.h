// Base64 with the alphabet for URLs and without padding, as JSON web tokens have it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace skiff::object {

std::string EncodeBase64Url(std::string_view bytes);
// Nothing when a character is not of the alphabet, padding included, or one is left over.
std::optional<std::string> DecodeBase64Url(std::string_view text);

}  // namespace skiff::object
