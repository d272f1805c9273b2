// Whether an object has been normalised, by its bytes.
#pragma once

#include <span>
#include <string_view>

#include "object/descriptor.h"
#include "object/protobuf/wire_path.h"

namespace skiff::apiserver {

// Whether Normalize() would change nothing in the object of this type that these bytes of protobuf
// (without an envelope) hold. Yes is certain; no may mean that only decoding the object can tell.
bool IsNormal(const object::MessageDesc* type, std::string_view message);

// --- for normal forms

// Two fields that are to hold the same text.
struct SameText {
  object::WirePath one;
  object::WirePath other;

  bool Holds(std::string_view message) const;
};

// A field that is to hold the text of the first item of a list.
struct SameAsFirst {
  object::WirePath one;
  object::WirePath items;
  object::WirePath text = {};  // within an item; without steps: the item is the text

  bool Holds(std::string_view message) const;
};

bool IsAbsent(const object::WirePath& path, std::string_view message);

// Whether the map of annotations has none of these keys.
bool HasNone(const object::WirePath& annotations, std::string_view message,
             std::span<const std::string_view> unwanted);

}  // namespace skiff::apiserver
