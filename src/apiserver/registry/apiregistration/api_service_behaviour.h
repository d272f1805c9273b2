// What the server adds to an APIService.
#pragma once

#include "apiserver/rest/behaviour.h"

namespace skiff::apiserver {

// A version that the server serves itself is available from the start.
class ApiServiceBehaviour final : public ResourceBehaviour {
 public:
  Result<void> PrepareForCreate(WriteContext& write, object::Document& object) override;
};

}  // namespace skiff::apiserver
