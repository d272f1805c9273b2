// What no store takes, whatever it holds and whichever engine it has: empty or long keys, keys that
// are written twice, negative numbers, too much at once.
#pragma once

#include <cstddef>

#include "base/status.h"
#include "store/store.h"

namespace skiff {

// kBadRequest or kRequestEntityTooLarge.
Result<void> CheckTransaction(const Transaction& transaction);
// The bytes of its keys and values.
size_t TransactionBytes(const Transaction& transaction);

}  // namespace skiff
