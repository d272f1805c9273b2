// Objects and resources as clients know them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "object/descriptor.h"
#include "object/value.h"

namespace skiff::client {

// Decoded once, immutable, shared by all that look at it. In the version of its resource.
using ObjectPtr = std::shared_ptr<const object::Document>;

// A resource of an API server: built in, where `type` is its kind's, or custom, where it is null
// and objects are trees without a type.
struct ApiResource {
  std::string group;  // "" for the core group
  std::string version;
  std::string name;  // "pods"
  std::string kind;  // "Pod"
  bool namespaced = true;
  const object::MessageDesc* type = nullptr;

  std::string api_version() const { return group.empty() ? version : group + "/" + version; }
  friend bool operator==(const ApiResource& a, const ApiResource& b) {
    return a.group == b.group && a.version == b.version && a.name == b.name;
  }
};

// Of the schema: BuiltIn("apps", "v1", "deployments"). The resource must be there.
const ApiResource& BuiltIn(std::string_view group, std::string_view version, std::string_view name);

// Of any resource that the schema knows; null: it must be a custom one.
const ApiResource* FindBuiltIn(std::string_view group, std::string_view version,
                               std::string_view name);

struct ObjectName {
  std::string name_space;  // "" for cluster-wide ones
  std::string name;
  friend auto operator<=>(const ObjectName&, const ObjectName&) = default;
};

// The metadata that control loops look at, of objects with and without a type.
ObjectName NameOf(const object::Document& object);
std::string_view UidOf(const object::Document& object);
std::string_view ResourceVersionOf(const object::Document& object);
bool IsDeleting(const object::Document& object);

// An object to send: from JSON text, whose kind and apiVersion may be left out, or a copy of one
// that was read, to be changed before it is published again.
Result<ObjectPtr> ParseObject(const ApiResource& resource, std::string_view json);
std::shared_ptr<object::Document> MutableCopy(const object::Document& object);

}  // namespace skiff::client
