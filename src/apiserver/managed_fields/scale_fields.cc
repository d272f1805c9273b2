#include "apiserver/managed_fields/scale_fields.h"

#include "apiserver/managed_fields/entries.h"

namespace skiff {
namespace {

constexpr std::string_view kScaleVersion = "autoscaling/v1";

FieldSet Replicas(Arena& arena) {
  const PathElement path[] = {PathElement::Field("spec"), PathElement::Field("replicas")};
  return SetOfPath(arena, path);
}

ManagedFields ReadOf(Arena& arena, const Document& object) {
  return ManagedFields::Read(arena, ManagedFieldsOf(object), object.type()->name,
                             ManagedFields::Trust::kStored)
      .value_or(ManagedFields());
}

bool IsOfVersion(const Document& workload, const ManagedEntry& entry) {
  return entry.api_version == workload.type()->group_version->api_version;
}

// The same manager, whichever of the two objects the entry is of.
bool IsSame(const ManagedEntry& a, const ManagedEntry& b) {
  return a.manager == b.manager && a.applies == b.applies && a.subresource == b.subresource;
}

}  // namespace

void ManagedFieldsToScale(const Document& workload, Document& scale) {
  Arena arena;
  const FieldSet replicas = Replicas(arena);
  ManagedFields managed = ReadOf(arena, workload);
  std::erase_if(managed.entries(), [&](ManagedEntry& entry) {
    return !IsOfVersion(workload, entry) || !IsSubset(replicas, entry.Fields(arena));
  });
  for (ManagedEntry& entry : managed.entries()) {
    entry.SetFields(replicas);
    entry.api_version = kScaleVersion;
  }
  managed.Write(scale);
}

void ManagedFieldsFromScale(const Document& scale, Document& workload) {
  Arena arena;
  const FieldSet replicas = Replicas(arena);
  ManagedFields of_scale = ReadOf(arena, scale);
  ManagedFields managed = ReadOf(arena, workload);
  std::erase_if(managed.entries(), [&](ManagedEntry& entry) {
    if (!IsOfVersion(workload, entry)) return true;
    const FieldSet& fields = entry.Fields(arena);
    if (!IsSubset(replicas, fields)) return false;
    const size_t kept = std::erase_if(
        of_scale.entries(), [&](const ManagedEntry& each) { return IsSame(each, entry); });
    if (kept != 0) return false;
    entry.SetFields(Difference(arena, fields, replicas));
    return entry.Fields(arena).empty();
  });
  for (ManagedEntry& entry : of_scale.entries()) {
    if (!IsSubset(replicas, entry.Fields(arena))) continue;
    entry.api_version = workload.type()->group_version->api_version;
    // Kubernetes gives these entries no time.
    entry.time.reset();
    managed.FindOrAdd(entry) = entry;
  }
  managed.Write(workload);
}

}  // namespace skiff
