// A cache of responses that were encoded lately, by what they were made of: some objects are read
// again and again without having changed.
//
// A few of them, none of them large; what falls on the same place replaces what is there. One for
// each thread, so that nobody waits for anybody.
#pragma once

#include <array>
#include <cstdint>

#include "apiserver/rest/object_output.h"
#include "base/limits.h"
#include "base/shared_bytes.h"
#include "serving/request/output.h"
#include "store/store.h"

namespace skiff::apiserver {

class ResponseCache {
 public:
  // That of the calling thread.
  static ResponseCache& OfThread();

  // As view.Encode() makes them, which is called unless the same was made before of the very same
  // bytes.
  Result<SharedBytes> Encode(const ObjectView& view, const SharedBytes& stored,
                             store::Revision revision, const serving::OutputFormat& format,
                             object::Pieces pieces = {});

 private:
  struct CachedResponse {
    uint64_t view = 0;
    SharedBytes stored;  // kept, so that no others come to lie in its place
    store::Revision revision{};
    serving::MediaKind media = serving::MediaKind::kJson;
    bool pretty = false;
    SharedBytes body;
  };

  std::array<CachedResponse, limits::kResponseCacheEntries> responses_;
};

}  // namespace skiff::apiserver
