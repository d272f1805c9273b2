#include "object/protobuf/embedded_kinds.h"

#include "object/descriptor.h"

namespace skiff::object {

void NameEmbeddedKinds(Document& object) {
  // The only such part in all of the API, in each of its versions.
  if (object.type() == nullptr || object.type()->name != "StatefulSet") return;
  Value* const spec = object.root().Find("spec");
  Value* const claims = spec == nullptr ? nullptr : spec->Find("volumeClaimTemplates");
  if (claims == nullptr || !claims->is_list()) return;
  for (Value& claim : claims->items()) {
    const MessageDesc* const type = claim.is_object() ? claim.type() : nullptr;
    if (type == nullptr) continue;
    claim.Set(object.arena(), "kind", Value::String(type->name));
    claim.Set(object.arena(), "apiVersion", Value::String(type->group_version->api_version));
  }
}

}  // namespace skiff::object
