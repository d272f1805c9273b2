#include "store/check.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/strings.h"

namespace skiff::store {
namespace {

Result<void> CheckKey(std::string_view key) {
  if (key.empty()) return BadRequest("a key of the store must not be empty");
  if (key.size() <= limits::kMaxStoreKeyBytes) return {};
  return Fail(StatusReason::kRequestEntityTooLarge,
              "the key " + Quoted(key) + " has " + std::to_string(key.size()) +
                  " bytes, and at most " + std::to_string(limits::kMaxStoreKeyBytes) +
                  " are taken");
}

}  // namespace

Result<void> CheckRange(const RangeRequest& request) {
  if (request.at.value < 0)
    return BadRequest("a range cannot be read at revision " + std::to_string(request.at.value));
  if (request.limit < 0)
    return BadRequest("the limit of a range is " + std::to_string(request.limit));
  return {};
}

size_t TransactionBytes(const Transaction& transaction) {
  size_t bytes = 0;
  for (const Write& write : transaction.writes) bytes += write.key.size() + write.value.size();
  return bytes;
}

Result<void> CheckTransaction(const Transaction& transaction) {
  for (const Condition& condition : transaction.conditions) {
    SKIFF_RETURN_IF_ERROR(CheckKey(condition.key));
    if (condition.expected.value < 0) {
      return BadRequest("the expected revision of key " + Quoted(condition.key) + " is negative");
    }
  }
  if (std::max(transaction.writes.size(), transaction.conditions.size()) >
      limits::kMaxStoreTransactionWrites) {
    return Fail(StatusReason::kRequestEntityTooLarge,
                "a transaction has " + std::to_string(transaction.writes.size()) + " writes and " +
                    std::to_string(transaction.conditions.size()) + " conditions, and at most " +
                    std::to_string(limits::kMaxStoreTransactionWrites) + " of each are taken");
  }
  const size_t bytes = TransactionBytes(transaction);
  if (bytes > limits::kMaxStoreTransactionBytes) {
    return Fail(StatusReason::kRequestEntityTooLarge,
                "a transaction has " + std::to_string(bytes) +
                    " bytes of keys and values, and at most " +
                    std::to_string(limits::kMaxStoreTransactionBytes) + " are taken");
  }
  for (const Write& write : transaction.writes) SKIFF_RETURN_IF_ERROR(CheckKey(write.key));
  if (transaction.writes.size() < 2) return {};
  std::vector<std::string_view> keys;
  for (const Write& write : transaction.writes) keys.push_back(write.key);
  std::ranges::sort(keys);
  const auto twice = std::ranges::adjacent_find(keys);
  if (twice == keys.end()) return {};
  return BadRequest("a transaction writes the key " + Quoted(*twice) + " twice");
}

}  // namespace skiff::store
