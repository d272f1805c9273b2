// Notes on secrets when their tokens were last used: the label
// kubernetes.io/legacy-token-last-used, which has the date, and so is written once a day at most.
//
// Any thread. The storages and the log outlive it.
#pragma once

#include "apiserver/authn/service_account_tokens.h"
#include "apiserver/rest/storage_set.h"
#include "base/log.h"

namespace skiff::apiserver {

// Writes the label without waiting for it. A secret that is gone or another by now is left alone.
void RecordLegacyTokenUse(const LegacyTokenUse& use, const StorageSet& storages, Log& log);

}  // namespace skiff::apiserver
