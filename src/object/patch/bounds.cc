#include "object/patch/bounds.h"

#include <string>

#include "base/limits.h"

namespace skiff::object {
namespace {

constexpr size_t kSeparatorBytes = 2;  // a comma or colon, and half of a pair of brackets
constexpr size_t kQuoteBytes = 2;

// Adds to `bytes`; false when nested too deep. Gives up early past `max_bytes`.
bool Measure(const Value& value, int depth, size_t max_bytes, size_t& bytes) {
  if (bytes > max_bytes) return true;
  switch (value.tag()) {
    case Tag::kList:
    case Tag::kMap:
      break;
    case Tag::kString:
    case Tag::kBytes:
    case Tag::kRawJson:
      bytes += value.AsText().size() + kQuoteBytes;
      return true;
    case Tag::kBool:
    case Tag::kNull:
      bytes += 4;
      return true;
    default:
      bytes += 1;
      return true;
  }
  if (depth >= limits::kMaxDepth) return false;
  bytes += kSeparatorBytes;
  if (value.is_list()) {
    for (const Value& item : value.items()) {
      bytes += 1;
      if (!Measure(item, depth + 1, max_bytes, bytes)) return false;
    }
    return true;
  }
  for (const MapEntry& entry : value.entries()) {
    bytes += entry.key.size() + kQuoteBytes + kSeparatorBytes;
    if (!Measure(entry.value, depth + 1, max_bytes, bytes)) return false;
  }
  return true;
}

}  // namespace

Result<size_t> MeasureJson(const Value& value, size_t max_bytes) {
  size_t bytes = 0;
  if (!Measure(value, 0, max_bytes, bytes)) {
    return Fail(StatusReason::kInvalid,
                "values nest deeper than " + std::to_string(limits::kMaxDepth) + " levels");
  }
  return bytes;
}

Result<void> CheckPatchedDocument(const Value& root) {
  SKIFF_ASSIGN_OR_RETURN(const size_t bytes, MeasureJson(root, limits::kMaxDocumentBytes));
  if (bytes > limits::kMaxDocumentBytes) {
    return Fail(StatusReason::kRequestEntityTooLarge,
                "Request entity too large: the patched object is larger than " +
                    std::to_string(limits::kMaxDocumentBytes) + " bytes");
  }
  return {};
}

}  // namespace skiff::object
