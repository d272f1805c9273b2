// One object in the versions that its managers wrote in.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>

#include "base/arena.h"
#include "base/status.h"
#include "object/fields/compare.h"
#include "object/fields/shape.h"
#include "object/value.h"

namespace skiff::apiserver {

class RememberedConversions;

// A tree as merges make it, typed or partly so, and the type that it has or will have.
struct VersionedValue {
  object::Value value;
  const object::MessageDesc* type = nullptr;

  object::FieldShape shape() const { return object::FieldShape::OfMessage(type); }
};

// Converts values, and owns what it made for as long as it lives.
class VersionConverter {
 public:
  // As FieldWriter has it.
  explicit VersionConverter(RememberedConversions* conversions = nullptr)
      : conversions_(conversions) {}

  // The type of the same kind in another version; null if there is no such version, or none that
  // it could be converted to.
  static const object::MessageDesc* TypeIn(const object::MessageDesc* type,
                                           std::string_view api_version);

  Result<VersionedValue> Convert(const VersionedValue& value, const object::MessageDesc* to);

 private:
  RememberedConversions* const conversions_;
  std::deque<object::Document> made_;
};

}  // namespace skiff::apiserver
