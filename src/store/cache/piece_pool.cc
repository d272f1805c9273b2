#include "store/cache/piece_pool.h"

#include <algorithm>
#include <utility>

#include "base/buffer.h"

namespace skiff::store {
namespace {

// Below this an object is not looked at: it has little to share.
constexpr size_t kMinObjectBytes = 1024;
constexpr size_t kSeenTexts = 1024;

}  // namespace

PiecePool::Cut PiecePool::Take(const SharedBytes& stored) {
  Cut out{stored, {}};
  if (stored.size() < kMinObjectBytes) return out;
  ByteBuffer cut;
  const bool is_cut = object::CutFieldSets(
      stored.view(), [this](std::string_view text) { return Find(text); }, cut, out.pieces);
  if (!is_cut) {
    out.pieces.clear();
    return out;
  }
  out.bytes = SharedBytes(cut.view());
  return out;
}

std::optional<SharedBytes> PiecePool::Find(std::string_view text) {
  if (const auto held = pieces_.find(text); held != pieces_.end()) return *held;
  if (!SeenBefore(text)) return std::nullopt;
  if (pieces_.size() >= forget_at_) ForgetUnheld();
  return *pieces_.insert(SharedBytes(text)).first;
}

bool PiecePool::SeenBefore(std::string_view text) {
  if (seen_.empty()) seen_.resize(kSeenTexts);
  const uint64_t hash = TextHash()(text);
  const uint64_t mark = hash << 32 ^ text.size();
  return std::exchange(seen_[hash % kSeenTexts], mark) == mark;
}

void PiecePool::ForgetUnheld() {
  std::erase_if(pieces_, [](const SharedBytes& piece) { return piece.is_sole(); });
  forget_at_ = std::max<size_t>(64, pieces_.size() * 2);
}

}  // namespace skiff::store
