// Who owns an object: its owner references, as read from its metadata, and the patches that change
// them. Works on objects with and without a type, whole or reduced to their metadata.
//
// Every patch names the object's uid, so that it fails on another object of the same name.
#pragma once

#include <compare>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "object/value.h"

namespace skiff::controllers {

inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";
inline constexpr std::string_view kOrphanFinalizer = "orphan";

struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  std::optional<bool> controller = {};
  std::optional<bool> block_owner_deletion = {};

  bool blocks() const { return block_owner_deletion.value_or(false); }
  friend bool operator==(const OwnerReference&, const OwnerReference&) = default;
};

// Where an object is, or where somebody says that it is. Ordered by kind before all else.
struct ObjectIdentity {
  std::string kind;
  std::string api_version;
  std::string name_space;  // "" for cluster-wide ones
  std::string name;
  std::string uid;

  // "[apps/v1/Deployment, namespace: ns, name: web, uid: …]", as events show it.
  std::string ToString() const;
  friend auto operator<=>(const ObjectIdentity&, const ObjectIdentity&) = default;
};

// What a reference says of its owner, if that is in this namespace.
ObjectIdentity IdentityOf(const OwnerReference& reference, std::string_view name_space);
// Whether a reference means that object, wherever its namespace is.
bool Means(const OwnerReference& reference, const ObjectIdentity& owner);

std::vector<OwnerReference> OwnersOf(const object::Document& object);
std::vector<std::string> FinalizersOf(const object::Document& object);
// Whether two states of an object differ in nothing that says who owns it or whether it goes.
bool SameOwnership(const object::Document& a, const object::Document& b);

// A strategic merge patch, for kinds that the server has a schema of: nobody can get ahead of it.
std::string DisownPatch(std::string_view uid, std::span<const std::string> owners);
// Merge patches, for all kinds; they replace the whole list as it was at a resourceVersion.
std::string OwnersPatch(std::string_view uid, std::string_view resource_version,
                        std::span<const OwnerReference> owners);
std::string FinalizersPatch(std::string_view uid, std::string_view resource_version,
                            std::span<const std::string> finalizers);

}  // namespace skiff::controllers
