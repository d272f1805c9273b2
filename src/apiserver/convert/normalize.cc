#include "apiserver/convert/normalize.h"

#include "apiserver/convert/normal_form.h"
#include "apiserver/defaults/defaults.h"
#include "object/open_kind.h"
#include "object/protobuf/embedded_kinds.h"

namespace skiff::apiserver {

Result<void> DefaultAndNormalize(const DefaultPlans& defaults, object::Document& object) {
  if (object.type() != nullptr && object.type()->open != nullptr) {
    object.type()->open->Default(object);
    return {};
  }
  defaults.Apply(object);
  return Normalize(object);
}

Result<void> Normalize(object::Document& object) {
  if (object.type() == nullptr || object.type()->open != nullptr) return {};
  if (const NormalForm* const form = NormalFormOf(object.type()); form != nullptr) {
    SKIFF_RETURN_IF_ERROR(form->normalize(object.root(), object.arena()));
  }
  object::NameEmbeddedKinds(object);
  return {};
}

}  // namespace skiff::apiserver
