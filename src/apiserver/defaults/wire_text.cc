#include "apiserver/defaults/wire_text.h"

namespace skiff {

WirePath CorePath(std::string_view message, std::string_view path) {
  return WirePath::Of(FindMessage("core/v1", message), path);
}

std::string_view WireTextAt(const WirePath& path, std::string_view message, bool& odd) {
  const auto found = path.Find(message, odd);
  return found ? found->bytes : std::string_view();
}

bool ReadWireEntry(std::string_view bytes, WireEntry& out) {
  for (WireReader in(bytes); !in.done();) {
    uint32_t key = 0;
    if (in.ReadKey(&key) != WireError::kNone) return false;
    WireError error = WireError::kNone;
    if (key == WireKey(1, WireType::kBytes)) {
      error = in.ReadBytes(&out.key);
    } else if (key == WireKey(2, WireType::kBytes)) {
      error = in.ReadBytes(&out.value);
    } else {
      error = in.Skip(key);
    }
    if (error != WireError::kNone) return false;
  }
  return true;
}

}  // namespace skiff
