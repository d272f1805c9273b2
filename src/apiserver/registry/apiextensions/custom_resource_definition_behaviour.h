// What the server adds to a CustomResourceDefinition.
#pragma once

#include "apiserver/registry/unenforced.h"

namespace skiff::apiserver {

// A definition remembers in which versions its objects were ever stored.
class CustomResourceDefinitionBehaviour final : public UnenforcedBehaviour {
 public:
  Result<void> PrepareForCreate(WriteContext& write, object::Document& object) override;
  Result<void> PrepareForUpdate(WriteContext& write, object::Document& old,
                                object::Document& object) override;
};

}  // namespace skiff::apiserver
