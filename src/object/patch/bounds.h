// How large and how deep a patch may make a document.
//
// A patch is bounded by the request body, but what it makes of a document need not be: copies
// multiply, and moves nest a deep value inside another. These checks keep every result one that
// the codecs accept.
#pragma once

#include <cstddef>

#include "base/status.h"
#include "object/value.h"

namespace skiff::object {

// The bytes of the value's JSON text, with escapes and fractions estimated low. Stops and returns
// more than `max_bytes` once that is reached. Fails (422) when values nest deeper than
// limits::kMaxDepth, so that whoever recurses into a measured value may do so.
Result<size_t> MeasureJson(const Value& value, size_t max_bytes);

// A patched document must still be one that a request could carry: 413 when it is too large.
Result<void> CheckPatchedDocument(const Value& root);

}  // namespace skiff::object
