// One object as the cache holds it: its key, revision, storage bytes, labels and the values that
// field selectors ask for.
//
// An entry is one small allocation that never changes once it is made; a write of the object makes
// a new one. The storage bytes are shared with the store's, unless the object had to be completed
// when it was read (stored_form.h). Values of fields mostly stand in the
// storage bytes already, so the entry keeps where they stand, four bytes each; only what does not
// (a number as text, an escaped string) is copied behind the key.
//
// Field sets that many objects of a resource have in common are held once for all of them
// (object/protobuf/shared_fields.h): then the entry has bytes of its own, in which they are cut
// out, and shares the pieces. Who reads many entries takes both as they are; for others value()
// joins them.
//
//   header | pieces | one word per field | key | copied values
//
// The key is what follows the resource's prefix in the store: NAMESPACE/NAME, or NAME where there
// are no namespaces.
//
// Threads: entries are counted, and handles may be copied, read and dropped by any thread, each
// with its own handle. Dropping the last one may take the mutex of the labels' symbol table.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "base/shared_bytes.h"
#include "object/protobuf/shared_fields.h"
#include "object/selector/label_set.h"
#include "store/cache/stored_form.h"
#include "store/store.h"

namespace skiff::store {

class CacheEntry;

// A counted handle of an entry; may be null.
class EntryRef {
 public:
  EntryRef() = default;
  inline explicit EntryRef(const CacheEntry* shared);  // counts one more
  inline EntryRef(const EntryRef& other);
  EntryRef(EntryRef&& other) noexcept : entry_(std::exchange(other.entry_, nullptr)) {}
  EntryRef& operator=(EntryRef other) noexcept {
    std::swap(entry_, other.entry_);
    return *this;
  }
  inline ~EntryRef();

  // Takes over a reference that was counted before, and gives one away.
  static EntryRef Adopt(const CacheEntry* counted) {
    EntryRef out;
    out.entry_ = counted;
    return out;
  }
  const CacheEntry* Release() { return std::exchange(entry_, nullptr); }

  const CacheEntry* get() const { return entry_; }
  const CacheEntry& operator*() const { return *entry_; }
  const CacheEntry* operator->() const { return entry_; }
  explicit operator bool() const { return entry_ != nullptr; }
  friend bool operator==(const EntryRef&, const EntryRef&) = default;

 private:
  const CacheEntry* entry_ = nullptr;
};

class CacheEntry {
 public:
  // Up to limits::kMaxCachedFields fields. Their views may point into `value`.
  static EntryRef Make(std::string_view key, Revision revision, SharedBytes value,
                       object::LabelSet labels, std::span<const std::string_view> fields = {},
                       StoredForm form = StoredForm::kComplete, object::Pieces pieces = {});
  CacheEntry(const CacheEntry&) = delete;
  CacheEntry& operator=(const CacheEntry&) = delete;

  std::string_view key() const { return {text(), key_size_}; }
  std::string_view name_space() const {
    const size_t slash = key().find('/');
    return slash == std::string_view::npos ? std::string_view() : key().substr(0, slash);
  }
  // npos + 1 is 0: without a namespace the whole key.
  std::string_view name() const { return key().substr(key().find('/') + 1); }
  Revision revision() const { return revision_; }
  // The storage bytes. New ones each time if there are pieces.
  SharedBytes value() const {
    return piece_count_ == 0 ? value_ : object::JoinFieldSets(value_.view(), pieces());
  }
  // What the entry holds of them: all, or without pieces. These bytes are always the same.
  const SharedBytes& kept() const { return value_; }
  object::Pieces pieces() const {
    return {reinterpret_cast<const SharedBytes*>(this + 1), piece_count_};
  }
  StoredForm form() const { return form_; }
  bool readable() const { return form_ != StoredForm::kUnreadable; }
  const object::LabelSet& labels() const { return labels_; }

  size_t field_count() const { return field_count_; }
  // In the order of ObjectFacts' fields; valid as long as the entry.
  std::string_view field(size_t index) const;

  // What the entry itself takes, without the storage bytes and the labels that it shares.
  size_t AllocatedBytes() const;
  // Reads the entry's head into the cache ahead of its use.
  void Prefetch() const { __builtin_prefetch(this); }

 private:
  friend class EntryRef;
  friend struct IndexNode;
  struct Layout;

  CacheEntry(const Layout& layout, std::string_view key, Revision revision, SharedBytes value,
             object::LabelSet labels, std::span<const std::string_view> fields, StoredForm form,
             object::Pieces pieces);
  ~CacheEntry();

  void Reference() const { references_.fetch_add(1, std::memory_order_relaxed); }
  void Unreference() const {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) Destroy();
  }
  void Destroy() const;

  template <typename Word>
  void StoreFields(std::span<const std::string_view> fields);
  template <typename Word>
  std::string_view LoadField(size_t index) const;

  size_t piece_bytes() const { return piece_count_ * sizeof(SharedBytes); }
  char* words() { return reinterpret_cast<char*>(this + 1) + piece_bytes(); }
  const char* words() const { return reinterpret_cast<const char*>(this + 1) + piece_bytes(); }
  size_t word_bytes() const { return size_t{field_count_} * (wide_ ? 8 : 4); }
  const char* text() const { return words() + word_bytes(); }

  mutable std::atomic<uint32_t> references_{1};
  const uint16_t key_size_;
  const uint8_t field_count_;
  const bool wide_ : 1;  // words of eight bytes, for values that four cannot tell of
  const StoredForm form_ : 2;
  const uint8_t piece_count_ : 5;
  const Revision revision_;
  const SharedBytes value_;
  const object::LabelSet labels_;
};

EntryRef::EntryRef(const CacheEntry* shared) : entry_(shared) {
  if (entry_ != nullptr) entry_->Reference();
}
EntryRef::EntryRef(const EntryRef& other) : EntryRef(other.entry_) {}
EntryRef::~EntryRef() {
  if (entry_ != nullptr) entry_->Unreference();
}

}  // namespace skiff::store
