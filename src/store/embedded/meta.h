// The few numbers of an embedded store that stand beside its data: kMeta.
#pragma once

#include <cstdint>

#include "base/random.h"
#include "store/embedded/engine.h"

namespace skiff::store {

struct StoreMeta {
  int64_t cluster = 0;  // a random number that tells this store from others
  int64_t revision = 1;
  int64_t compacted = 0;
  int64_t keys = 0;
};

// Of a store that may be served from. An empty engine becomes an empty store; a newer format, an
// import that was not finished and numbers that contradict are refused.
Result<StoreMeta> LoadOrCreateMeta(Engine& engine, Random& random);

// Whether nothing has been stored yet.
Result<bool> IsEmpty(Engine& engine);

void PutMeta(EngineBatch& batch, std::string_view name, int64_t number);

}  // namespace skiff::store
