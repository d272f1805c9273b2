// Endpoint slices count their changes: of anything but the metadata, and of the labels, by which
// those who watch them choose. What clients send as topology is dropped.
#pragma once

#include "apiserver/rest/behaviour.h"

namespace skiff::apiserver {

class EndpointSliceBehaviour final : public ResourceBehaviour {
 public:
  Result<void> PrepareForCreate(WriteContext& write, object::Document& object) override;
  Result<void> PrepareForUpdate(WriteContext& write, object::Document& old,
                                object::Document& object) override;
};

}  // namespace skiff::apiserver
