#include "store/cache/cached_event.h"

namespace skiff::store {

EventRef CachedEvent::Change(Revision revision, EntryRef current, EntryRef previous, Duration at) {
  return EventRef::Adopt(
      new CachedEvent(revision, std::move(current), std::move(previous), false, at));
}

EventRef CachedEvent::InitialState(EntryRef object) {
  const Revision revision = object->revision();
  return EventRef::Adopt(new CachedEvent(revision, std::move(object), {}, false, {}));
}

EventRef CachedEvent::Bookmark(Revision revision, bool initial_end) {
  return EventRef::Adopt(new CachedEvent(revision, {}, {}, initial_end, {}));
}

CachedEvent::Encoding& CachedEvent::EncodingFor(EventType type, EncodingSlot slot) const {
  Encodings* places = encodings_.load(std::memory_order_acquire);
  if (places == nullptr) {
    auto* const mine = new Encodings;
    if (encodings_.compare_exchange_strong(places, mine, std::memory_order_acq_rel)) {
      places = mine;
    } else {
      delete mine;  // another thread was faster, and `places` is now its own
    }
  }
  return (*places)[static_cast<size_t>(type) * kEncodingSlotCount + static_cast<size_t>(slot)];
}

void CachedEvent::DropEncodings() const { delete encodings_.exchange(nullptr); }

}  // namespace skiff::store
