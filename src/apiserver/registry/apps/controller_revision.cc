#include "apiserver/registry/apps/controller_revision.h"

#include "apiserver/validation/common.h"
#include "views/apps/v1.h"

namespace skiff::apiserver {
namespace {

namespace apps = views::apps_v1;

const object::Value* DataOf(const object::Document& object) { return object.root().Find("data"); }

void ValidateCreate(const object::Document& object, FieldErrors& errors) {
  ValidateNonNegative(apps::ControllerRevision(object).revision(), "revision", errors);
  const object::Value* data = DataOf(object);
  if (data == nullptr || data->is_null()) return errors.Required("data", "data is mandatory");
  const bool is_object = data->is_map() || data->is_object() ||
                         (data->tag() == object::Tag::kRawJson && data->AsText().starts_with('{'));
  if (!is_object) errors.Required("data", "data must be a valid JSON object");
}

void ValidateUpdate(const object::Document& object, const object::Document& old,
                    FieldErrors& errors) {
  ValidateNonNegative(apps::ControllerRevision(object).revision(), "revision", errors);
  ValidateImmutable(DataOf(old), DataOf(object), "data", errors);
}

}  // namespace

const KindRules kControllerRevisionRules = {.group = "apps",
                                            .kind = "ControllerRevision",
                                            .create = ValidateCreate,
                                            .update = ValidateUpdate};

}  // namespace skiff::apiserver
