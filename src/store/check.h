// What no store takes, whatever it holds.
#pragma once

#include <cstddef>

#include "store/store.h"

namespace skiff::store {

// kBadRequest for negative numbers.
Result<void> CheckRange(const RangeRequest& request);

// kBadRequest for empty keys and keys that are written twice; kRequestEntityTooLarge beyond the
// bounds of limits.h.
Result<void> CheckTransaction(const Transaction& transaction);

// The bytes of the keys and values that it writes.
size_t TransactionBytes(const Transaction& transaction);

}  // namespace skiff::store
