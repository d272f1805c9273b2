// What a Job gets from the server when it is created.
#pragma once

#include "apiserver/rest/behaviour.h"

namespace skiff::apiserver {

// A job selects its pods by labels that only they have: its uid and name. They are made for it,
// unless it says that it selects by hand.
class JobBehaviour final : public ResourceBehaviour {
 public:
  Result<void> PrepareForCreate(WriteContext& write, object::Document& object) override;
};

}  // namespace skiff::apiserver
