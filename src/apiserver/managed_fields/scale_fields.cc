#include "apiserver/managed_fields/scale_fields.h"

#include <set>
#include <vector>

#include "apiserver/managed_fields/entries.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kScaleVersion = "autoscaling/v1";

constexpr std::string_view kReplicasOfScale[] = {"spec", "replicas"};

object::FieldSet SetOf(Arena& arena, std::span<const std::string_view> names) {
  std::vector<object::PathElement> path;
  for (const std::string_view name : names) path.push_back(object::PathElement::Field(name));
  return object::SetOfPath(arena, path);
}

ManagedFields ReadOf(Arena& arena, const object::Document& object) {
  return ManagedFields::Read(arena, ManagedFieldsOf(object), object.type()->name,
                             ManagedFields::Trust::kStored)
      .value_or(ManagedFields());
}

bool IsOfVersion(const object::Document& workload, const ManagedEntry& entry) {
  return entry.api_version == workload.type()->group_version->api_version;
}

// The same manager, whichever of the two objects the entry is of.
ManagedEntry::Key ManagerOf(const ManagedEntry& entry) {
  return {entry.manager, entry.applies, entry.subresource, {}};
}

}  // namespace

void ManagedFieldsToScale(const object::Document& workload, std::span<const std::string_view> path,
                          object::Document& scale) {
  Arena arena;
  const object::FieldSet replicas = SetOf(arena, path);
  const object::FieldSet shown = SetOf(arena, kReplicasOfScale);
  ManagedFields managed = ReadOf(arena, workload);
  std::erase_if(managed.entries(), [&](ManagedEntry& entry) {
    return !IsOfVersion(workload, entry) || !object::IsSubset(replicas, entry.Fields(arena));
  });
  for (ManagedEntry& entry : managed.entries()) {
    entry.SetFields(shown);
    entry.api_version = kScaleVersion;
  }
  managed.Write(scale);
}

void ManagedFieldsFromScale(const object::Document& scale, std::span<const std::string_view> path,
                            object::Document& workload) {
  Arena arena;
  const object::FieldSet replicas = SetOf(arena, path);
  const object::FieldSet shown = SetOf(arena, kReplicasOfScale);
  ManagedFields of_scale = ReadOf(arena, scale);
  ManagedFields managed = ReadOf(arena, workload);
  std::set<ManagedEntry::Key> in_scale;
  std::set<ManagedEntry::Key> in_both;
  for (const ManagedEntry& entry : of_scale.entries()) in_scale.insert(ManagerOf(entry));
  std::erase_if(managed.entries(), [&](ManagedEntry& entry) {
    if (!IsOfVersion(workload, entry)) return true;
    const object::FieldSet& fields = entry.Fields(arena);
    if (!object::IsSubset(replicas, fields)) return false;
    if (in_scale.erase(ManagerOf(entry)) != 0) {
      in_both.insert(ManagerOf(entry));
      return false;
    }
    entry.SetFields(object::Difference(arena, fields, replicas));
    return entry.Fields(arena).empty();
  });
  std::vector<ManagedEntry> added;
  for (ManagedEntry& entry : of_scale.entries()) {
    if (in_both.contains(ManagerOf(entry)) || !object::IsSubset(shown, entry.Fields(arena)))
      continue;
    entry.SetFields(replicas);
    entry.api_version = workload.type()->group_version->api_version;
    // Kubernetes gives these entries no time.
    entry.time.reset();
    added.push_back(entry);
  }
  managed.Put(added);
  managed.Write(workload);
}

}  // namespace skiff::apiserver
