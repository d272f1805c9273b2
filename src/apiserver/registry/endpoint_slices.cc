#include "apiserver/registry/endpoint_slices.h"

#include "apiserver/rest/object_meta.h"

namespace skiff {
namespace {

bool SameMember(const Value* a, const Value* b) {
  static constexpr Value kAbsent{};
  return DeepEqual(a != nullptr ? *a : kAbsent, b != nullptr ? *b : kAbsent);
}

}  // namespace

Result<void> EndpointSliceBehaviour::PrepareForUpdate(WriteContext&, Document& old,
                                                      Document& object) {
  bool changed = !SameMember(MetaOf(old).Find("labels"), MetaOf(object).Find("labels"));
  for (const std::string_view name : {"addressType", "endpoints", "ports"}) {
    changed |= !SameMember(old.root().Find(name), object.root().Find(name));
  }
  if (changed) MetaOf(object).SetGeneration(MetaOf(old).generation() + 1);
  return {};
}

}  // namespace skiff
