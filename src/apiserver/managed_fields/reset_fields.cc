#include "apiserver/managed_fields/reset_fields.h"

#include <vector>

namespace skiff::apiserver {
namespace {

// The set of paths such as "metadata.labels" and "spec.containers[*].resources".
object::FieldSet ReadPaths(Arena& arena, std::span<const std::string_view> paths) {
  object::FieldSet out;
  std::vector<object::PathElement> steps;
  for (std::string_view path : paths) {
    steps.clear();
    while (!path.empty()) {
      const size_t dot = std::min(path.find('.'), path.size());
      std::string_view name = path.substr(0, dot);
      path.remove_prefix(std::min(dot + 1, path.size()));
      const bool items = name.ends_with("[*]");
      if (items) name.remove_suffix(3);
      steps.push_back(object::PathElement::Field(name));
      if (items) steps.push_back(object::PathElement::Index(-1));
    }
    out = object::Union(arena, out, object::SetOfPath(arena, steps));
  }
  return out;
}

}  // namespace

ResetFields::ResetFields(Arena& arena, const object::StorageDesc* storage,
                         std::string_view subresource) {
  if (storage == nullptr) return;
  const std::string_view endpoint = subresource.empty() ? "main" : subresource;
  if (const object::EndpointPaths* found = storage->FindReset(endpoint); found != nullptr) {
    excluded_ = ReadPaths(arena, found->paths);
  }
}

object::FieldSet ResetFields::Apply(Arena& arena, const object::FieldSet& set) const {
  return object::RecursiveDifference(arena, set, excluded_);
}

const object::FieldSet& UnownedFields() {
  // Built once; the arena lives as long as the process.
  static Arena arena;
  static const object::FieldSet set = [] {
    static constexpr std::string_view kPaths[] = {"apiVersion",
                                                  "kind",
                                                  "metadata",
                                                  "metadata.name",
                                                  "metadata.namespace",
                                                  "metadata.creationTimestamp",
                                                  "metadata.selfLink",
                                                  "metadata.uid",
                                                  "metadata.generation",
                                                  "metadata.clusterName",
                                                  "metadata.managedFields",
                                                  "metadata.resourceVersion"};
    return ReadPaths(arena, kPaths);
  }();
  return set;
}

}  // namespace skiff::apiserver
