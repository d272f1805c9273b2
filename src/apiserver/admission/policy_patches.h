// What the values of mutations make of an object: JSON patches, and configurations that are merged
// into it as server-side apply does.
#pragma once

#include <expected>
#include <string>

#include "base/arena.h"
#include "base/status.h"
#include "cel/value.h"
#include "object/value.h"

namespace skiff::apiserver {

struct PatchFault {
  std::string message;
  // The policy made something that is no object: no failure that a policy may ignore.
  bool is_internal = false;
};

// A document of the object's type. Of a list of JSONPatch; the object itself where a test fails.
std::expected<object::Document, PatchFault> ApplyPolicyPatches(Arena& arena,
                                                               const cel::Val& patches,
                                                               const object::Document& object);
// Of an Object{…}. Parts that are owned as a whole cannot be set.
std::expected<object::Document, PatchFault> ApplyPolicyObject(Arena& arena, const cel::Val& value,
                                                              const object::Document& object);

}  // namespace skiff::apiserver
