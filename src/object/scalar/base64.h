// Base64 with the standard alphabet and padding, as JSON carries bytes.
//
// Reading follows Go's base64.StdEncoding: line ends (\r and \n) are skipped wherever they stand,
// padding is required and nothing may follow it, and the unused bits of the last character may be
// anything.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/status.h"

namespace skiff::object {

constexpr size_t Base64EncodedSize(size_t bytes) { return (bytes + 2) / 3 * 4; }
// An upper bound; skipped line ends and padding make the result shorter.
constexpr size_t Base64DecodedMaxSize(size_t chars) { return chars / 4 * 3 + 3; }

// Writes exactly Base64EncodedSize(bytes.size()) characters.
void EncodeBase64(std::string_view bytes, char* out);
void AppendBase64(std::string_view bytes, std::string& out);

// Writes at most Base64DecodedMaxSize(text.size()) bytes and returns how many.
Result<size_t> DecodeBase64(std::string_view text, char* out);
Result<std::string> DecodeBase64(std::string_view text);

}  // namespace skiff::object
