// A list that is read from the store itself, for what the cache cannot answer: a past revision
// whose state was not kept, or the newest one when nobody can tell whether the cache has it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "store/cache/entry_builder.h"
#include "store/cache/list_reply.h"
#include "store/cache/selection.h"
#include "store/store.h"

namespace skiff::store {

struct StoreListRequest {
  std::shared_ptr<const Selection> selection;
  Revision at;                 // zero: the newest
  Revision not_older_than;     // of the newest
  std::string start_key = {};  // where to begin, without the prefix; empty: at the beginning
  int64_t limit = 0;           // of matching entries; zero: all
  bool continues = false;      // a later page: decides how "too old" is put
};

// `done` is called once. Reads the store page by page, all at the revision of the first.
void ListFromStore(Store& store, EntryBuilder maker, StoreListRequest request,
                   StoreCallback<ListReply> done);

}  // namespace skiff::store
