// What the cache makes of the bytes of an object when they come from the store.
//
// Another server, or an older one, may have stored an object in another version, or without fields
// that have defaults by now. What the cache keeps and serves is the object as it would be written
// today; the bytes in the store stay as they are until somebody writes the object. Objects that
// lack nothing, which is nearly all of them, are kept as they are, and their bytes shared with the
// store.
//
// An object that cannot be read is kept all the same, so that it can be told of by its key, and be
// deleted. In place of its bytes stands why it cannot be read, a text that no decoder takes for an
// object. Selectors cannot tell whether they want it, so it counts as selected: a list or watch
// that it may belong to fails, rather than go on without it.
#pragma once

#include <cstdint>
#include <functional>

#include "base/shared_bytes.h"
#include "base/status.h"

namespace skiff::store {

enum class StoredForm : uint8_t {
  kComplete,    // the bytes are those of the store
  kCompleted,   // the object was completed: the store's bytes are others
  kUnreadable,  // the bytes are no object but a text that says why
};

// The bytes to keep for those of the store: the very same if they lack nothing. The error says why
// they cannot be read. Any thread may call it.
using ReadStored = std::function<Result<SharedBytes>(const SharedBytes& stored)>;

}  // namespace skiff::store
