// Endpoint slices count their changes: of anything but the metadata, and of the labels, by which
// those who watch them choose. What clients send as topology is dropped.
#pragma once

#include "apiserver/rest/behaviour.h"

namespace skiff {

class EndpointSliceBehaviour final : public ResourceBehaviour {
 public:
  Result<void> PrepareForCreate(WriteContext& write, Document& object) override;
  Result<void> PrepareForUpdate(WriteContext& write, Document& old, Document& object) override;
};

}  // namespace skiff
