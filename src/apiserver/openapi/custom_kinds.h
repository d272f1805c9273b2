// Kinds that are defined at run time, as OpenAPI documents show them. Whoever serves definitions
// gives them to OpenApi by this interface.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "object/resource.h"
#include "object/value.h"

namespace skiff::apiserver {

// One version of a definition.
struct CustomKind {
  const object::ResourceDesc* resource;
  // A JSONSchemaProps, typed. Null: there is none, or it is not structural.
  const object::Value* schema = nullptr;
  std::vector<std::string_view> selectable_fields = {};  // as they are written: ".spec.color"
  bool preserves_unknown_fields = false;                 // of the definition
};

struct CustomGroupVersion {
  std::string group;
  std::string version;
  // Another whenever a kind of it is.
  std::string fingerprint;
};

class CustomKinds {
 public:
  using Visit = std::function<void(std::span<const CustomKind> kinds)>;

  virtual ~CustomKinds() = default;
  // Those that are served now.
  virtual std::vector<CustomGroupVersion> GroupVersions() const = 0;
  // Of one of them; empty: it is not served.
  virtual std::string FingerprintOf(std::string_view group, std::string_view version) const = 0;
  // The kinds of one of them, by the names of their resources; false if there are none. They live
  // as long as the call of `visit`.
  virtual bool WithKinds(std::string_view group, std::string_view version,
                         const Visit& visit) const = 0;
};

}  // namespace skiff::apiserver
