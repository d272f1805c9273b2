// What the server adds to a CustomResourceDefinition.
#pragma once

#include "apiserver/rest/behaviour.h"

namespace skiff::apiserver {

// A definition remembers in which versions its objects were ever stored, and when it is deleted it
// stays until its objects are gone (extensions/definition_controller.h).
class CustomResourceDefinitionBehaviour final : public ResourceBehaviour {
 public:
  Result<void> PrepareForCreate(WriteContext& write, object::Document& object) override;
  Result<void> PrepareForUpdate(WriteContext& write, object::Document& old,
                                object::Document& object) override;
  Result<bool> KeepsOnDelete(WriteContext& write, const DeleteOptions& options,
                             object::Document& object) override;
};

}  // namespace skiff::apiserver
