// One change of one object, shared by the event ring and by every watcher that is told of it, with
// its encodings: each is made once, by whoever needs it first, and shared by all.
//
// What a watcher sees depends on its selectors: a change that brings the object into its view is
// ADDED, one that takes it out of view is DELETED and shows the object as it was before, with the
// revision of the change.
//
// Threads: events are counted and immutable but for their encodings, which any thread may ask for.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>

#include "base/clock.h"
#include "base/shared_bytes.h"
#include "store/cache/entry.h"
#include "store/store.h"

namespace skiff::store {

// As a watcher sees it.
enum class EventType : uint8_t { kAdded, kModified, kDeleted, kBookmark };
inline constexpr size_t kEventTypeCount = 4;

// One place for each form in which the server sends events. The cache does not look at them; which
// form takes which place is agreed by those who encode (event_encoding.h).
enum class EncodingSlot : uint8_t {
  kJson,
  kProtobuf,
  kJsonTable,
  kProtobufTable,
  kJsonMetadata,
  kProtobufMetadata,
};
inline constexpr size_t kEncodingSlotCount = 6;

class CachedEvent;

// A counted handle of an event; may be null.
class EventRef {
 public:
  EventRef() = default;
  inline explicit EventRef(const CachedEvent* shared);  // counts one more
  EventRef(const EventRef& other) : EventRef(other.event_) {}
  EventRef(EventRef&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  EventRef& operator=(EventRef other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  inline ~EventRef();

  static EventRef Adopt(const CachedEvent* counted) {
    EventRef out;
    out.event_ = counted;
    return out;
  }
  const CachedEvent* Release() { return std::exchange(event_, nullptr); }

  const CachedEvent* get() const { return event_; }
  const CachedEvent& operator*() const { return *event_; }
  const CachedEvent* operator->() const { return event_; }
  explicit operator bool() const { return event_ != nullptr; }

 private:
  const CachedEvent* event_ = nullptr;
};

class CachedEvent {
 public:
  // `current` is null for a deletion, `previous` for a creation.
  static EventRef Change(Revision revision, EntryRef current, EntryRef previous, Duration at);
  // An object of the state that a watch begins with.
  static EventRef InitialState(EntryRef object);
  // No change up to and including this revision is still to come. `initial_end`: and that was the
  // state to begin with.
  static EventRef Bookmark(Revision revision, bool initial_end);

  CachedEvent(const CachedEvent&) = delete;
  CachedEvent& operator=(const CachedEvent&) = delete;

  Revision revision() const { return revision_; }
  const CacheEntry* current() const { return current_.get(); }
  const CacheEntry* previous() const { return previous_.get(); }
  bool initial_end() const { return initial_end_; }
  Duration at() const { return at_; }
  // What a watcher that sees the event as `type` is shown, at revision(); null for bookmarks.
  const CacheEntry* Object(EventType type) const {
    return type == EventType::kDeleted ? previous() : current();
  }
  // Bytes of storage that the event keeps alive.
  size_t bytes() const {
    return sizeof(CachedEvent) + (current_ ? current_->kept().size() : 0) +
           (previous_ ? previous_->kept().size() : 0);
  }

  // The bytes of this form, made by encode() -> SharedBytes if nobody has asked for them before.
  // Others who ask meanwhile wait for it.
  template <typename Encode>
  SharedBytes Encoded(EventType type, EncodingSlot slot, Encode encode) const {
    Encoding& encoding = EncodingFor(type, slot);
    std::call_once(encoding.once, [&] { encoding.bytes = encode(); });
    return encoding.bytes;
  }

  // Whether the caller's handle is the only one.
  bool unshared() const { return references_.load(std::memory_order_acquire) == 1; }
  // Forgets the encodings, to be made again if need be. Only for an unshared event.
  void DropEncodings() const;

 private:
  friend class EventRef;
  struct Encoding {
    std::once_flag once;
    SharedBytes bytes;
  };
  using Encodings = std::array<Encoding, kEventTypeCount * kEncodingSlotCount>;

  CachedEvent(Revision revision, EntryRef current, EntryRef previous, bool initial_end, Duration at)
      : initial_end_(initial_end),
        revision_(revision),
        current_(std::move(current)),
        previous_(std::move(previous)),
        at_(at) {}
  ~CachedEvent() { DropEncodings(); }

  Encoding& EncodingFor(EventType type, EncodingSlot slot) const;
  void Reference() const { references_.fetch_add(1, std::memory_order_relaxed); }
  void Unreference() const {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  mutable std::atomic<uint32_t> references_{1};
  const bool initial_end_;
  const Revision revision_;
  const EntryRef current_;
  const EntryRef previous_;
  const Duration at_;
  // Few events are encoded at all while they are in the ring, so the places come on demand.
  mutable std::atomic<Encodings*> encodings_{nullptr};
};

EventRef::EventRef(const CachedEvent* shared) : event_(shared) {
  if (event_ != nullptr) event_->Reference();
}
EventRef::~EventRef() {
  if (event_ != nullptr) event_->Unreference();
}

}  // namespace skiff::store
