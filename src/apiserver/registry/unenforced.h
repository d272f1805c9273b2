// Objects that are stored and validated but do nothing yet: admission webhooks, definitions of
// custom resources, API services of other servers. Nobody is to believe that they hold, so that
// every write is answered with a warning, and the log names those that a server finds when it
// starts.
#pragma once

#include <string_view>

#include "apiserver/rest/behaviour.h"
#include "apiserver/rest/storage_set.h"
#include "base/log.h"

namespace skiff::apiserver {

class UnenforcedBehaviour : public ResourceBehaviour {
 public:
  void Check(WriteContext& write, const object::Document* old, const object::Document& object,
             bool follows_rules, FieldErrors& errors) override;
};

// Once the caches are filled.
void LogUnenforced(const StorageSet& storages, Log& log);

}  // namespace skiff::apiserver
