// Kinds that stand inside of other objects: the claim templates of a stateful set. Each of them has
// a kind and an apiVersion in JSON and none in protobuf. Servers of Kubernetes show them to whoever
// reads the object, whatever its writer gave; what is encoded by itself does not have them.
#pragma once

#include <cstdint>

#include "object/value.h"

namespace skiff::object {

enum class EmbeddedKinds : uint8_t {
  kAsTheyAre,
  kNamed,
};

// Sets both in every such part of a typed object.
void NameEmbeddedKinds(Document& object);

}  // namespace skiff::object
