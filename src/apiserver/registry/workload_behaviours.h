// What workloads and jobs get from the server when they are written.
#pragma once

#include "apiserver/rest/behaviour.h"

namespace skiff {

// A job selects its pods by labels that only they have: its uid and name. They are made for it,
// unless it says that it selects by hand.
class JobBehaviour final : public ResourceBehaviour {
 public:
  Result<void> PrepareForCreate(WriteContext& write, Document& object) override;
};

// A daemon set counts the changes of its template in an annotation, which nobody else may set.
class DaemonSetBehaviour final : public ResourceBehaviour {
 public:
  Result<void> PrepareForCreate(WriteContext& write, Document& object) override;
  Result<void> PrepareForUpdate(WriteContext& write, Document& old, Document& object) override;
};

}  // namespace skiff
