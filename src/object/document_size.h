// The bound on the size of what decoders take.
#pragma once

#include <algorithm>
#include <string>

#include "base/limits.h"
#include "base/status.h"

namespace skiff::object {

// Fails if a document is larger than the caller allows, or than values can count.
inline Result<void> CheckDocumentSize(size_t bytes, size_t max_bytes) {
  const size_t limit = std::min(max_bytes, limits::kMaxCountedBytes);
  if (bytes <= limit) return {};
  return Fail(StatusReason::kRequestEntityTooLarge, "the document has " + std::to_string(bytes) +
                                                        " bytes; the limit is " +
                                                        std::to_string(limit));
}

}  // namespace skiff::object
