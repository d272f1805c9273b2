// Namespaces go in two steps: a deletion marks them, and they are gone when whoever empties them
// has taken the finalizers of their spec away.
#pragma once

#include "apiserver/rest/behaviour.h"

namespace skiff::apiserver {

class NamespaceBehaviour final : public ResourceBehaviour {
 public:
  Result<void> PrepareForCreate(WriteContext& write, object::Document& object) override;
  Result<void> PrepareForUpdate(WriteContext& write, object::Document& old,
                                object::Document& object) override;
  bool IsFinished(WriteContext& write, object::Document& object) override;
  Result<bool> KeepsOnDelete(WriteContext& write, const DeleteOptions& options,
                             object::Document& object) override;
};

}  // namespace skiff::apiserver
