#include "cel/values/encoders.h"

#include "object/scalar/base64.h"

namespace skiff::cel {

std::string Base64Encode(std::string_view bytes) {
  std::string out;
  object::AppendBase64(bytes, out);
  return out;
}

Result<std::string> Base64Decode(std::string_view text) {
  auto decoded = object::DecodeBase64(text);
  if (decoded || text.find('=') != text.npos) return decoded;
  std::string padded;
  for (const char c : text) {
    if (c != '\r' && c != '\n') padded += c;
  }
  if (padded.size() % 4 < 2) return decoded;
  padded.append(4 - padded.size() % 4, '=');
  auto again = object::DecodeBase64(padded);
  return again ? std::move(again) : std::move(decoded);
}

}  // namespace skiff::cel
