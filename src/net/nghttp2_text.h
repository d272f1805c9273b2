// Texts as nghttp2 has them: bytes without a sign, and names with values that it takes a copy of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nghttp2/nghttp2.h>

namespace skiff::net {

inline std::string_view Nghttp2Text(const uint8_t* bytes, size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

inline nghttp2_nv NameValue(std::string_view name, std::string_view value) {
  // nghttp2 copies both before it returns.
  return {.name = reinterpret_cast<uint8_t*>(const_cast<char*>(name.data())),
          .value = reinterpret_cast<uint8_t*>(const_cast<char*>(value.data())),
          .namelen = name.size(),
          .valuelen = value.size(),
          .flags = NGHTTP2_NV_FLAG_NONE};
}

}  // namespace skiff::net
