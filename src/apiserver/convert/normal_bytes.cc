#include "apiserver/convert/normal_bytes.h"

#include <algorithm>
#include <optional>

#include "apiserver/convert/normal_form.h"

namespace skiff::apiserver {
namespace {

using Found = object::WirePath::Found;

// Nothing when the field is there more than once or cannot be read; only decoding tells then.
std::optional<std::string_view> TextAt(const object::WirePath& path, std::string_view message) {
  bool odd = false;
  const std::optional<Found> found = path.Find(message, odd);
  if (odd) return std::nullopt;
  return found ? found->bytes : std::string_view();
}

// The key of a map's entry is its first field.
std::string_view KeyOf(std::string_view entry) {
  object::WireReader in(entry);
  uint32_t key = 0;
  std::string_view out;
  if (in.ReadKey(&key) != object::WireError::kNone ||
      key != object::WireKey(1, object::WireType::kBytes) ||
      in.ReadBytes(&out) != object::WireError::kNone) {
    return {};
  }
  return out;
}

}  // namespace

bool SameText::Holds(std::string_view message) const {
  const std::optional<std::string_view> first = TextAt(one, message);
  return first && first == TextAt(other, message);
}

bool SameAsFirst::Holds(std::string_view message) const {
  std::optional<std::string_view> item;
  const bool sound = items.ForEach(message, [&](const Found& each) {
    if (!item) item = each.bytes;
    return true;
  });
  if (!sound) return false;
  const std::optional<std::string_view> first = TextAt(one, message);
  if (!item) return first && first->empty();
  if (!text.steps().empty()) item = TextAt(text, *item);
  return item && !item->empty() && first == item;
}

bool IsAbsent(const object::WirePath& path, std::string_view message) {
  bool absent = true;
  const bool sound = path.ForEach(message, [&](const Found&) {
    absent = false;
    return true;
  });
  return sound && absent;
}

bool HasNone(const object::WirePath& annotations, std::string_view message,
             std::span<const std::string_view> unwanted) {
  return annotations.ForEach(message, [&](const Found& entry) {
    const std::string_view key = KeyOf(entry.bytes);
    return !key.empty() && std::ranges::find(unwanted, key) == unwanted.end();
  });
}

bool IsNormal(const object::MessageDesc* type, std::string_view message) {
  const NormalForm* const form = NormalFormOf(type);
  return form == nullptr || (form->is_normal != nullptr && form->is_normal(message));
}

}  // namespace skiff::apiserver
