#include "apiserver/extensions/schema/custom_resource.h"

#include <algorithm>
#include <string_view>

#include "apiserver/extensions/schema/defaults.h"
#include "apiserver/extensions/schema/embedded.h"
#include "apiserver/extensions/schema/list_types.h"
#include "apiserver/extensions/schema/prune.h"
#include "apiserver/extensions/schema/value_validator.h"

namespace skiff::apiserver {
namespace {

// Lists that were wrong before may stay so.
void ValidateListsOfUpdate(const SchemaNode& schema, const object::Value& object,
                           const object::Value& old, FieldErrors& errors) {
  if (!schema.is(SchemaNode::kKeyedLists)) return;
  FieldErrors found(errors.settings());
  ValidateListTypes(schema, object, found);
  if (found.empty()) return;
  FieldErrors before(errors.settings());
  ValidateListTypes(schema, old, before);
  if (before.empty()) errors.Append(std::move(found));
}

}  // namespace

Result<void> CoerceCustomResource(const CompiledSchema& schema, object::Document& object,
                                  const CoerceOptions& options) {
  const SchemaNode& root = schema.root();
  object::Value& value = object.root();
  if (!options.preserve_unknown_fields) {
    PruneUnknownFields(root, true, value, object.arena(), options.issues);
    PruneNulls(root, value, object.arena());
  }
  return CoerceEmbedded(root, false, value, object.arena(),
                        {.drop_invalid = options.stored, .issues = options.issues});
}

void DefaultCustomResource(const CompiledSchema& schema, object::Document& object) {
  ApplyDefaults(schema.root(), object.root(), object.arena());
}

void ValidateCustomResource(const CompiledSchema& schema, const object::Value& object,
                            FieldErrors& errors) {
  ValidateValue(schema, schema.root(), object, nullptr, "", errors);
  ValidateEmbedded(schema.root(), false, object, errors);
  ValidateListTypes(schema.root(), object, errors);
}

void ValidateCustomResourceUpdate(const CompiledSchema& schema, const object::Value& object,
                                  const object::Value& old, bool ratcheting, FieldErrors& errors) {
  ValidateValue(schema, schema.root(), object, ratcheting ? &old : nullptr, "", errors);
  ValidateEmbedded(schema.root(), false, object, errors);
  ValidateListsOfUpdate(schema.root(), object, old, errors);
}

void ValidateCustomResourceStatus(const CompiledSchema& schema, const object::Value& object,
                                  const object::Value& old, bool ratcheting, FieldErrors& errors) {
  const SchemaNode* node = schema.root().FindProperty("status");
  const object::Value* status = object.Find("status");
  if (status != nullptr && node != nullptr) {
    const object::Value* before = ratcheting ? old.Find("status") : nullptr;
    ValidateValue(schema, *node, *status, before, "status", errors);
  }
  ValidateListsOfUpdate(schema.root(), object, old, errors);
}

bool SkipRulesIfInvalid(FieldErrors& errors) {
  constexpr std::string_view kBlocking[] = {"FieldValueNotSupported", "FieldValueRequired",
                                            "FieldValueTooLong", "FieldValueTooMany",
                                            "FieldValueTypeInvalid"};
  const bool blocks = std::ranges::any_of(errors.causes(), [&](const StatusCause& cause) {
    return std::ranges::find(kBlocking, cause.reason) != std::end(kBlocking);
  });
  if (!blocks) return false;
  errors.Append({StatusCause{"FieldValueInvalid",
                             "Invalid value: null: some validation rules were not checked because "
                             "the object was invalid; correct the existing errors to complete "
                             "validation",
                             "<nil>"}});
  return true;
}

}  // namespace skiff::apiserver
