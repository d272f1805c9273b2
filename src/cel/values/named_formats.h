// The formats that CEL's format library knows by name: format.dns1123Label().validate(text).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skiff::cel {

struct NamedFormat {
  std::string_view name;        // "dns1123Label", as in format.named()
  uint64_t max_regex_size = 0;  // what validate() is reckoned to cost
  // What is wrong with a text; nothing if it is good.
  std::vector<std::string> (*validate)(std::string_view text);
};

// All of them, by name. Two are the same format if they are the same object.
std::span<const NamedFormat> NamedFormats();
// Null if there is none of this name.
const NamedFormat* FindNamedFormat(std::string_view name);

}  // namespace skiff::cel
