#include "apiserver/defaults/wire_text.h"

namespace skiff::apiserver {

object::WirePath CorePath(std::string_view message, std::string_view path) {
  return object::WirePath::Of(object::FindMessage("core/v1", message), path);
}

std::string_view WireTextAt(const object::WirePath& path, std::string_view message, bool& odd) {
  const auto found = path.Find(message, odd);
  return found ? found->bytes : std::string_view();
}

bool ReadWireEntry(std::string_view bytes, WireEntry& out) {
  for (object::WireReader in(bytes); !in.done();) {
    uint32_t key = 0;
    if (in.ReadKey(&key) != object::WireError::kNone) return false;
    object::WireError error = object::WireError::kNone;
    if (key == object::WireKey(1, object::WireType::kBytes)) {
      error = in.ReadBytes(&out.key);
    } else if (key == object::WireKey(2, object::WireType::kBytes)) {
      error = in.ReadBytes(&out.value);
    } else {
      error = in.Skip(key);
    }
    if (error != object::WireError::kNone) return false;
  }
  return true;
}

}  // namespace skiff::apiserver
