// What a DaemonSet gets from the server when it is written.
#pragma once

#include "apiserver/rest/behaviour.h"

namespace skiff {

// A daemon set counts the changes of its template in an annotation, which nobody else may set.
class DaemonSetBehaviour final : public ResourceBehaviour {
 public:
  Result<void> PrepareForCreate(WriteContext& write, Document& object) override;
  Result<void> PrepareForUpdate(WriteContext& write, Document& old, Document& object) override;
};

}  // namespace skiff
