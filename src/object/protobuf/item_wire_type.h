// How the types of the schema stand on the wire.
#pragma once

#include "object/descriptor.h"
#include "object/protobuf/wire.h"

namespace skiff::object {

// The wire type of one value of this type, also within a list or a map.
constexpr WireType ItemWireType(FieldType type) {
  switch (type) {
    case FieldType::kBool:
    case FieldType::kInt32:
    case FieldType::kInt64:
    case FieldType::kUint32:
    case FieldType::kUint64:
      return WireType::kVarint;
    case FieldType::kDouble:
      return WireType::kFixed64;
    default:
      return WireType::kBytes;
  }
}

}  // namespace skiff::object
