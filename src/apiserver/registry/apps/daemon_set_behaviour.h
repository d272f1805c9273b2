// What a DaemonSet gets from the server when it is written.
#pragma once

#include "apiserver/rest/behaviour.h"

namespace skiff::apiserver {

// A daemon set counts the changes of its template in an annotation, which nobody else may set.
class DaemonSetBehaviour final : public ResourceBehaviour {
 public:
  Result<void> PrepareForCreate(WriteContext& write, object::Document& object) override;
  Result<void> PrepareForUpdate(WriteContext& write, object::Document& old,
                                object::Document& object) override;
};

}  // namespace skiff::apiserver
