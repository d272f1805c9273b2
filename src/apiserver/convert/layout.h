// Whether two versions of a kind are the same but for their name.
//
// Most versions that Kubernetes serves side by side are. Their objects need no conversion: stored
// bytes of one can be read as the other, and a document of one is written as the other by naming
// its apiVersion.
#pragma once

#include "object/descriptor.h"

namespace skiff::apiserver {

// The same fields under the same names, tags and types, at every level. Takes a walk over both
// types: ask once per pair and remember.
bool SameLayout(const object::MessageDesc* a, const object::MessageDesc* b);

}  // namespace skiff::apiserver
