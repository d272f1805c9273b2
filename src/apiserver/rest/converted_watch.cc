#include "apiserver/rest/converted_watch.h"

#include <functional>
#include <mutex>
#include <utility>

#include "apiserver/convert/object_converter.h"
#include "apiserver/rest/converted_reads.h"

namespace skiff::apiserver {

// What is to be done on the loop of the watch. Once that is over it is done wherever it comes from:
// others may wait for it, too.
class WatchConversion::Box {
 public:
  explicit Box(std::shared_ptr<Waker> waker) : waker_(std::move(waker)) {}

  void Post(std::move_only_function<void()> task) {
    {
      const std::lock_guard lock(mutex_);
      if (!closed_) {
        tasks_.push_back(std::move(task));
        task = nullptr;
      }
    }
    if (task) {
      task();
    } else {
      waker_->Wake();
    }
  }
  void Run() {
    for (auto& task : Taken(false)) task();
  }
  void Close() {
    for (auto& task : Taken(true)) task();
  }

 private:
  std::vector<std::move_only_function<void()>> Taken(bool closes) {
    const std::lock_guard lock(mutex_);
    closed_ = closed_ || closes;
    return std::exchange(tasks_, {});
  }

  const std::shared_ptr<Waker> waker_;
  std::mutex mutex_;  // guards what follows
  std::vector<std::move_only_function<void()>> tasks_;
  bool closed_ = false;
};

// The items that are being converted, and what became of their objects.
struct WatchConversion::Batch {
  std::vector<store::WatchItem> items;
  std::optional<Result<ObjectConverter::Objects>> made;
};

namespace {

// Those that a watch by fields has to look at: what an object was before decides what its change
// is for the watch.
template <typename Call>
void ForEachEntry(const store::WatchItem& item, bool by_fields, Call call) {
  if (item.type == store::EventType::kBookmark) return;
  const store::CacheEntry* const shown = item.event->Object(item.type);
  if (!by_fields) return call(shown);
  if (item.event->current() != nullptr) call(item.event->current());
  if (item.event->previous() != nullptr) call(item.event->previous());
}

}  // namespace

WatchConversion::WatchConversion(const Endpoint& endpoint,
                                 std::shared_ptr<const store::Selection> fields,
                                 std::shared_ptr<Waker> waker)
    : storage_(*endpoint.storage),
      version_(*endpoint.resource->kind),
      fields_(std::move(fields)),
      box_(std::make_shared<Box>(std::move(waker))) {}

WatchConversion::~WatchConversion() { box_->Close(); }

void WatchConversion::Begin(std::vector<store::WatchItem> items) {
  batch_ = std::make_shared<Batch>();
  batch_->items = std::move(items);
  ObjectConverter::Objects objects;
  for (const store::WatchItem& item : batch_->items) {
    ForEachEntry(item, fields_ != nullptr, [&](const store::CacheEntry* entry) {
      if (entry->readable()) objects.push_back(entry->value());
    });
  }
  storage_.converter()->Convert(
      std::move(objects), version_, ObjectConverter::Memory::kAnswers,
      [box = box_](std::move_only_function<void()> task) { box->Post(std::move(task)); },
      [batch = batch_](Result<ObjectConverter::Objects> made) {
        batch->made.emplace(std::move(made));
      });
}

Result<store::EntryRef> WatchConversion::Shown(const store::CacheEntry* entry, size_t& next) const {
  if (entry == nullptr) return store::EntryRef();
  if (!entry->readable()) return store::EntryRef(entry);
  return ConvertedEntry(storage_, *entry, std::move((**batch_->made)[next++]));
}

Result<void> WatchConversion::AppendShown(const store::WatchItem& item, size_t& next,
                                          std::vector<store::WatchItem>& out) const {
  const store::CachedEvent& event = *item.event;
  if (item.type == store::EventType::kBookmark) {
    out.push_back(item);
    return {};
  }
  if (fields_ == nullptr) {
    SKIFF_ASSIGN_OR_RETURN(store::EntryRef shown, Shown(event.Object(item.type), next));
    const bool deleted = item.type == store::EventType::kDeleted;
    // What is shown as it is at rest is encoded once for all watches.
    if (shown.get() == event.Object(item.type)) {
      out.push_back(item);
      return {};
    }
    out.push_back({item.type,
                   store::CachedEvent::Change(event.revision(), deleted ? store::EntryRef() : shown,
                                              deleted ? shown : store::EntryRef(), event.at())});
    return {};
  }
  SKIFF_ASSIGN_OR_RETURN(store::EntryRef current, Shown(event.current(), next));
  SKIFF_ASSIGN_OR_RETURN(store::EntryRef previous, Shown(event.previous(), next));
  const bool now = current && fields_->Matches(*current);
  const bool before = previous && fields_->Matches(*previous);
  if (!now && !before) return {};
  const store::EventType type = !before ? store::EventType::kAdded
                                : now   ? store::EventType::kModified
                                        : store::EventType::kDeleted;
  out.push_back({type, store::CachedEvent::Change(event.revision(), std::move(current),
                                                  std::move(previous), event.at())});
  return {};
}

Result<bool> WatchConversion::Take(std::vector<store::WatchItem>& out) {
  box_->Run();
  if (!batch_->made) return false;
  if (!*batch_->made) return std::unexpected(batch_->made->error());
  size_t next = 0;
  for (const store::WatchItem& item : batch_->items) {
    SKIFF_RETURN_IF_ERROR(AppendShown(item, next, out));
  }
  batch_ = nullptr;
  return true;
}

}  // namespace skiff::apiserver
