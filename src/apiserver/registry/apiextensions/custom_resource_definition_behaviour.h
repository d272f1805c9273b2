// What the server adds to a CustomResourceDefinition.
#pragma once

#include "apiserver/registry/unenforced.h"

namespace skiff {

// A definition remembers in which versions its objects were ever stored.
class CustomResourceDefinitionBehaviour final : public UnenforcedBehaviour {
 public:
  Result<void> PrepareForCreate(WriteContext& write, Document& object) override;
  Result<void> PrepareForUpdate(WriteContext& write, Document& old, Document& object) override;
};

}  // namespace skiff
