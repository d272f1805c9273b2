// What the server adds to an APIService.
#pragma once

#include "apiserver/registry/unenforced.h"

namespace skiff::apiserver {

// A version that the server serves itself is available from the start.
class ApiServiceBehaviour final : public UnenforcedBehaviour {
 public:
  Result<void> PrepareForCreate(WriteContext& write, object::Document& object) override;
};

}  // namespace skiff::apiserver
