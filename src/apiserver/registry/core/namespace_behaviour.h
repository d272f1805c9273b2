// Namespaces go in two steps: a deletion marks them, and they are gone when whoever empties them
// has taken the finalizers of their spec away.
#pragma once

#include "apiserver/rest/behaviour.h"

namespace skiff {

class NamespaceBehaviour final : public ResourceBehaviour {
 public:
  Result<void> PrepareForCreate(WriteContext& write, Document& object) override;
  Result<void> PrepareForUpdate(WriteContext& write, Document& old, Document& object) override;
  bool IsFinished(WriteContext& write, Document& object) override;
  Result<bool> KeepsOnDelete(WriteContext& write, const DeleteOptions& options,
                             Document& object) override;
};

}  // namespace skiff
