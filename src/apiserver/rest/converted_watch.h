// The events of one watch of objects that somebody else converts, in the version of the request.
//
// A number of events that are there are converted together, and the next ones are taken when these
// have been told, so that their order stays and what waits is bounded: the watcher's own queue
// holds the rest, and a webhook that takes too long costs the watch its place in history (410), as
// a slow client does. A fault ends the watch.
//
// Owner: the watch, on the loop of its connection. What comes from other threads waits for Take(),
// which the waker brings about.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/waker.h"
#include "base/status.h"
#include "store/cache/selection.h"
#include "store/cache/watcher.h"

namespace skiff::apiserver {

class WatchConversion {
 public:
  // `fields`: what is selected by fields of the version of the request; null: all.
  WatchConversion(const Endpoint& endpoint, std::shared_ptr<const store::Selection> fields,
                  std::shared_ptr<Waker> waker);
  WatchConversion(const WatchConversion&) = delete;
  WatchConversion& operator=(const WatchConversion&) = delete;
  ~WatchConversion();

  // Not while it is busy.
  void Begin(std::vector<store::WatchItem> items);
  bool busy() const { return batch_ != nullptr; }
  // Does what there is to be done. True: it is not busy any more, and `out` has the items.
  Result<bool> Take(std::vector<store::WatchItem>& out);

 private:
  class Box;
  struct Batch;

  Result<store::EntryRef> Shown(const store::CacheEntry* entry, size_t& next) const;
  Result<void> AppendShown(const store::WatchItem& item, size_t& next,
                           std::vector<store::WatchItem>& out) const;

  ResourceStorage& storage_;
  const object::MessageDesc& version_;
  const std::shared_ptr<const store::Selection> fields_;
  const std::shared_ptr<Box> box_;
  std::shared_ptr<Batch> batch_;  // null: nothing is under way
};

}  // namespace skiff::apiserver
