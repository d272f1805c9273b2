// Resources inside custom resources (x-kubernetes-embedded-resource): they have apiVersion, kind
// and metadata, which follow the rules of every object.
#pragma once

#include <vector>

#include "apiserver/extensions/schema/compiled_schema.h"
#include "apiserver/validation/field_errors.h"
#include "base/arena.h"
#include "base/status.h"
#include "object/field_issue.h"
#include "object/value.h"

namespace skiff::apiserver {

struct EmbeddedResourceOptions {
  // Fields of metadata that have a wrong type go, instead of being an error: for what is stored.
  bool drop_invalid = false;
  std::vector<object::FieldIssue>* issues = nullptr;  // fields that metadata does not have
};

// Brings the metadata of all of them into the form that it has in typed objects: unknown fields go.
// An error is a BadRequest whose message names the field, which is its cause too. `is_resource`:
// the value is one though its schema does not say so.
Result<void> CoerceEmbedded(const SchemaNode& schema, bool is_resource, object::Value& value,
                            Arena& arena, const EmbeddedResourceOptions& options);

// Reports below the place where `errors` is.
void ValidateEmbedded(const SchemaNode& schema, bool is_resource, const object::Value& value,
                      FieldErrors& errors);

}  // namespace skiff::apiserver
