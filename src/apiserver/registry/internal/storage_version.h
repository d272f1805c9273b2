// The rules of a StorageVersion: what each server encodes, decodes and serves.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kStorageVersionRules;

}  // namespace skiff::apiserver
