// What the server adds to an APIService.
#pragma once

#include "apiserver/registry/unenforced.h"

namespace skiff {

// A version that the server serves itself is available from the start.
class ApiServiceBehaviour final : public UnenforcedBehaviour {
 public:
  Result<void> PrepareForCreate(WriteContext& write, Document& object) override;
};

}  // namespace skiff
