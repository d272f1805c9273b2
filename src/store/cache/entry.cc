#include "store/cache/entry.h"

#include <malloc.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <memory>
#include <new>

#include "base/limits.h"

namespace skiff::store {
namespace {

// A word tells where a field's text stands: a bit for "behind the key", else in the storage bytes;
// the offset there; the size.
template <typename Word>
struct FieldWord;
template <>
struct FieldWord<uint32_t> {
  static constexpr unsigned kOffsetBits = 21;
  static constexpr unsigned kSizeBits = 10;
};
template <>
struct FieldWord<uint64_t> {
  static constexpr unsigned kOffsetBits = 31;
  static constexpr unsigned kSizeBits = 32;
};

template <typename Word>
constexpr size_t kSizeLimit = size_t{1} << FieldWord<Word>::kSizeBits;
template <typename Word>
constexpr size_t kOffsetLimit = size_t{1} << FieldWord<Word>::kOffsetBits;

template <typename Word>
Word MakeWord(bool copied, size_t offset, size_t size) {
  using Bits = FieldWord<Word>;
  return static_cast<Word>(Word{copied} << (Bits::kOffsetBits + Bits::kSizeBits) |
                           static_cast<Word>(offset) << Bits::kSizeBits | static_cast<Word>(size));
}

bool LiesIn(std::string_view part, std::string_view whole) {
  const auto from = reinterpret_cast<uintptr_t>(whole.data());
  const auto at = reinterpret_cast<uintptr_t>(part.data());
  return at >= from && at + part.size() <= from + whole.size();
}

}  // namespace

struct CacheEntry::Layout {
  bool wide = false;
  size_t copied_bytes = 0;

  Layout(std::string_view value, std::span<const std::string_view> fields) {
    for (const std::string_view field : fields) {
      const bool copied = !LiesIn(field, value);
      const size_t offset =
          copied ? copied_bytes : static_cast<size_t>(field.data() - value.data());
      wide = wide || field.size() >= kSizeLimit<uint32_t> || offset >= kOffsetLimit<uint32_t>;
      if (copied) copied_bytes += field.size();
    }
  }
};

EntryRef CacheEntry::Make(std::string_view key, Revision revision, SharedBytes value,
                          object::LabelSet labels, std::span<const std::string_view> fields,
                          StoredForm form, object::Pieces pieces) {
  assert(key.size() <= UINT16_MAX && fields.size() <= limits::kMaxCachedFields);
  assert(pieces.size() <= object::kMaxPieces);
  const Layout layout(value.view(), fields);
  const size_t size = sizeof(CacheEntry) + pieces.size_bytes() +
                      fields.size() * (layout.wide ? 8 : 4) + key.size() + layout.copied_bytes;
  return EntryRef::Adopt(new (::operator new(size)) CacheEntry(
      layout, key, revision, std::move(value), std::move(labels), fields, form, pieces));
}

CacheEntry::CacheEntry(const Layout& layout, std::string_view key, Revision revision,
                       SharedBytes value, object::LabelSet labels,
                       std::span<const std::string_view> fields, StoredForm form,
                       object::Pieces pieces)
    : key_size_(static_cast<uint16_t>(key.size())),
      field_count_(static_cast<uint8_t>(fields.size())),
      wide_(layout.wide),
      form_(form),
      piece_count_(static_cast<uint8_t>(pieces.size())),
      revision_(revision),
      value_(std::move(value)),
      labels_(std::move(labels)) {
  std::ranges::uninitialized_copy(
      pieces, std::span(reinterpret_cast<SharedBytes*>(this + 1), pieces.size()));
  std::ranges::copy(key, words() + word_bytes());
  if (wide_) {
    StoreFields<uint64_t>(fields);
  } else {
    StoreFields<uint32_t>(fields);
  }
}

CacheEntry::~CacheEntry() {
  std::destroy_n(reinterpret_cast<SharedBytes*>(this + 1), piece_count_);
}

template <typename Word>
void CacheEntry::StoreFields(std::span<const std::string_view> fields) {
  char* word_at = words();
  char* const copies = words() + word_bytes() + key_size_;
  size_t copied_bytes = 0;
  for (const std::string_view field : fields) {
    const bool copied = !LiesIn(field, value_.view());
    const size_t offset =
        copied ? copied_bytes : static_cast<size_t>(field.data() - value_.view().data());
    const auto word = MakeWord<Word>(copied, offset, field.size());
    std::memcpy(word_at, &word, sizeof(Word));
    word_at += sizeof(Word);
    if (!copied) continue;
    std::ranges::copy(field, copies + copied_bytes);
    copied_bytes += field.size();
  }
}

template <typename Word>
std::string_view CacheEntry::LoadField(size_t index) const {
  using Bits = FieldWord<Word>;
  Word word;
  std::memcpy(&word, words() + index * sizeof(Word), sizeof(Word));
  const auto size = static_cast<size_t>(word & (kSizeLimit<Word> - 1));
  const auto offset = static_cast<size_t>(word >> Bits::kSizeBits & (kOffsetLimit<Word> - 1));
  const bool copied = word >> (Bits::kOffsetBits + Bits::kSizeBits) != 0;
  return {(copied ? text() + key_size_ : value_.view().data()) + offset, size};
}

std::string_view CacheEntry::field(size_t index) const {
  assert(index < field_count_);
  return wide_ ? LoadField<uint64_t>(index) : LoadField<uint32_t>(index);
}

size_t CacheEntry::AllocatedBytes() const {
  return ::malloc_usable_size(const_cast<CacheEntry*>(this));
}

void CacheEntry::Destroy() const {
  auto* const self = const_cast<CacheEntry*>(this);
  self->~CacheEntry();
  ::operator delete(self);
}

}  // namespace skiff::store
