#include "apiserver/managed_fields/prune.h"

#include <algorithm>
#include <vector>

#include "object/fields/extract.h"
#include "object/fields/merge.h"

namespace skiff::apiserver {
namespace {

object::FieldSet NamedFieldsOf(Arena& arena, const VersionedValue& value) {
  return object::WithNamedFields(arena, object::FieldsOf(arena, value.shape(), value.value),
                                 value.shape());
}

// What is left of a value. A conversion makes a whole object of it again, which shows what was
// taken away as unset.
object::FieldSet FieldsLeftIn(Arena& arena, const VersionedValue& left, bool converted) {
  if (converted) return NamedFieldsOf(arena, left);
  return object::WithNamedFields(arena, object::SetFieldsOf(arena, left.shape(), left.value),
                                 left.shape());
}

// All that is owned in one version.
struct OwnedInVersion {
  const object::MessageDesc* type;
  object::FieldSet fields;
};

// The version of the object first: what other versions need for a conversion is then there.
std::vector<OwnedInVersion> OwnedByVersion(Arena& arena, const object::MessageDesc* first,
                                           ManagedFields& managed) {
  std::vector<OwnedInVersion> out = {{first, {}}};
  std::vector<std::vector<object::FieldSet>> owned(
      1);  // beside `out`, which has one for each version
  for (ManagedEntry& entry : managed.entries()) {
    const object::MessageDesc* type = VersionConverter::TypeIn(first, entry.api_version);
    if (type == nullptr) continue;
    const auto found = std::ranges::find(out, type, &OwnedInVersion::type);
    const auto place = static_cast<size_t>(found - out.begin());
    if (found == out.end()) {
      out.push_back({type, {}});
      owned.emplace_back();
    }
    owned[place].push_back(entry.Fields(arena));
  }
  for (size_t i = 0; i < out.size(); ++i) {
    out[i].fields = object::UnionOfAll(arena, std::move(owned[i]));
  }
  return out;
}

VersionedValue Without(Arena& arena, const VersionedValue& value, const object::FieldSet& fields) {
  return {object::WithoutFields(arena, value.shape(), value.value, fields), value.type};
}

}  // namespace

Result<VersionedValue> Prune(Arena& arena, VersionConverter& converter,
                             const VersionedValue& merged, ManagedFields& managed,
                             const object::FieldSet& last, std::string_view last_version) {
  const object::MessageDesc* type = VersionConverter::TypeIn(merged.type, last_version);
  if (last.empty() || type == nullptr) return merged;
  SKIFF_ASSIGN_OR_RETURN(const VersionedValue whole, converter.Convert(merged, type));
  const object::FieldSet before = object::WithNamedFields(arena, last, whole.shape());
  VersionedValue pruned = Without(arena, whole, before);

  // Back comes what anybody owns, version by version.
  VersionedValue full = whole;
  bool converted = false;
  for (const OwnedInVersion& owned : OwnedByVersion(arena, type, managed)) {
    converted |= owned.type != type;
    SKIFF_ASSIGN_OR_RETURN(full, converter.Convert(full, owned.type));
    SKIFF_ASSIGN_OR_RETURN(pruned, converter.Convert(pruned, owned.type));
    const object::FieldSet kept =
        object::Union(arena, FieldsLeftIn(arena, pruned, converted),
                      object::WithNamedFields(arena, owned.fields, full.shape()));
    pruned = Without(arena, full, object::Difference(arena, NamedFieldsOf(arena, full), kept));
  }

  // And what nobody owned and the manager never applied.
  SKIFF_ASSIGN_OR_RETURN(pruned, converter.Convert(pruned, type));
  const object::FieldSet gone = object::Difference(arena, NamedFieldsOf(arena, whole),
                                                   FieldsLeftIn(arena, pruned, converted));
  pruned = Without(arena, whole, object::Intersection(arena, gone, before));
  return converter.Convert(pruned, merged.type);
}

}  // namespace skiff::apiserver
