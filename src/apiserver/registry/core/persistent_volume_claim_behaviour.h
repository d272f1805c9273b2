// What writing a PersistentVolumeClaim does to it, and reading one that is stored: dataSource and
// dataSourceRef say the same.
#pragma once

#include "apiserver/registry/kind_strategy.h"
#include "apiserver/rest/stored_objects.h"

namespace skiff::apiserver {

extern const KindStrategy kPersistentVolumeClaimStrategy;

ReadCompletion CompletionOfClaims();

}  // namespace skiff::apiserver
