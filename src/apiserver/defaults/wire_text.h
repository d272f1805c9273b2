// Reading the bytes of messages, for rules that tell from them whether they would change nothing.
#pragma once

#include <string_view>

#include "object/protobuf/wire_path.h"

namespace skiff::apiserver {

// A path of a message of core/v1.
object::WirePath CorePath(std::string_view message, std::string_view path);

// Text at a path, empty when there is none.
std::string_view WireTextAt(const object::WirePath& path, std::string_view message, bool& odd);

// An entry of a map; false when it cannot be read.
struct WireEntry {
  std::string_view key;
  std::string_view value;
};
bool ReadWireEntry(std::string_view bytes, WireEntry& out);

}  // namespace skiff::apiserver
