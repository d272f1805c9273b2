#include "apiserver/registry/core/port_bitmap.h"

#include <algorithm>
#include <charconv>

#include "apiserver/rest/object_output.h"
#include "object/protobuf/envelope.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

constexpr int32_t kMinBand = 16;
constexpr int32_t kMaxBand = 128;
constexpr int32_t kBandShare = 32;

}  // namespace

Result<PortBitmap> PortBitmap::Decode(int32_t first, int32_t last, std::string_view stored) {
  PortBitmap out(first, last);
  SKIFF_ASSIGN_OR_RETURN(const object::Document object, DecodeStored(stored, {}));
  if (object.type() != core::RangeAllocation::Type()) {
    return Fail(StatusReason::kInternalError, "the stored node ports are no RangeAllocation");
  }
  const core::RangeAllocation allocation(object);
  // "30000-32767": where the stored range begins.
  int32_t base = first;
  const std::string_view text = allocation.range();
  std::from_chars(text.data(), text.data() + text.size(), base);
  const std::string_view data = allocation.data();
  for (size_t i = 0; i < data.size(); ++i) {
    const auto byte = static_cast<uint8_t>(data[data.size() - 1 - i]);
    for (int bit = 0; bit < 8; ++bit) {
      if ((byte >> bit & 1) != 0) out.Set(base + static_cast<int32_t>(i) * 8 + bit, true);
    }
  }
  return out;
}

std::string PortBitmap::Encode() const {
  std::string data((taken_.size() + 7) / 8, '\0');
  for (size_t i = 0; i < taken_.size(); ++i) {
    if (!taken_[i]) continue;
    char& byte = data[data.size() - 1 - i / 8];
    byte = static_cast<char>(static_cast<uint8_t>(byte) | 1U << (i % 8));
  }
  data.erase(0, std::min(data.find_first_not_of('\0'), data.size()));
  object::Document out = core::RangeAllocation::New();
  core::MutableRangeAllocation allocation(out);
  allocation.set_range(RangeText());
  allocation.set_data(data);
  std::string bytes;
  object::EncodeStorage(out.root(), &bytes);
  return bytes;
}

std::vector<int32_t> PortBitmap::Taken() const {
  std::vector<int32_t> out;
  for (size_t i = 0; i < taken_.size(); ++i) {
    if (taken_[i]) out.push_back(first_ + static_cast<int32_t>(i));
  }
  return out;
}

int32_t PortBitmap::band() const {
  const auto size = static_cast<int32_t>(taken_.size());
  return size <= kMinBand ? 0 : std::clamp(size / kBandShare, kMinBand, kMaxBand);
}

std::optional<int32_t> PortBitmap::ChooseFree(Random& random) const {
  const auto choose = [&](size_t from, size_t to) -> std::optional<int32_t> {
    size_t free = 0;
    for (size_t i = from; i < to; ++i) free += taken_[i] ? 0 : 1;
    if (free == 0) return std::nullopt;
    size_t left = random.Uniform(free);
    for (size_t i = from; i < to; ++i) {
      if (!taken_[i] && left-- == 0) return first_ + static_cast<int32_t>(i);
    }
    return std::nullopt;
  };
  const auto middle = static_cast<size_t>(band());
  if (const auto upper = choose(middle, taken_.size()); upper) return upper;
  return choose(0, middle);
}

}  // namespace skiff::apiserver
