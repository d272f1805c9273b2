// What the verbs of resources answer to requests that were made within the process: what is stored,
// still to be decoded by who asked, on a thread of its own.
#pragma once

#include <memory>

#include "apiserver/rest/object_output.h"
#include "base/shared_bytes.h"
#include "store/cache/list_reply.h"
#include "store/cache/watcher.h"
#include "store/store.h"

namespace skiff::apiserver {

// Any thread, like LocalResponse. Null instead of a view: objects are shown as they are stored.
class RestResponse {
 public:
  virtual ~RestResponse() = default;
  // `revision` zero: it has none.
  virtual void Stored(int code, ObjectViewPtr view, const SharedBytes& bytes,
                      store::Revision revision) = 0;
  virtual void Listed(ObjectViewPtr view, store::ListReply reply) = 0;
  virtual void Watching(ObjectViewPtr view, std::unique_ptr<store::Watcher> watcher) = 0;
  // The watcher has something after it had nothing. Locks of the cache are held: no more may be
  // done than to remember it.
  virtual void Wake() = 0;
};

}  // namespace skiff::apiserver
