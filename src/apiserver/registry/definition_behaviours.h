// What the server adds to objects that extend the API.
#pragma once

#include "apiserver/registry/unenforced.h"

namespace skiff {

// A definition remembers in which versions its objects were ever stored.
class CustomResourceDefinitionBehaviour final : public UnenforcedBehaviour {
 public:
  Result<void> PrepareForCreate(WriteContext& write, Document& object) override;
  Result<void> PrepareForUpdate(WriteContext& write, Document& old, Document& object) override;
};

// A version that the server serves itself is available from the start.
class ApiServiceBehaviour final : public UnenforcedBehaviour {
 public:
  Result<void> PrepareForCreate(WriteContext& write, Document& object) override;
};

}  // namespace skiff
