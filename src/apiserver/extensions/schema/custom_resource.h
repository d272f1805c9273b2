// What a schema does to the objects of its kind, in the order in which a server asks for it. An
// object is a map with apiVersion, kind and metadata among its entries.
//
//   written:  decode → CoerceCustomResource → (conversion to the version that is stored) →
//   DefaultCustomResource →
//             what the strategy sets → ValidateCustomResource or ValidateCustomResourceUpdate →
//             store
//   read:     decode → CoerceCustomResource with `stored` → (conversion, CoerceCustomResource
//   again) →
//             DefaultCustomResource → answer
//
// Metadata of the object itself is not looked at here: it is decoded and validated as that of all
// objects.
#pragma once

#include <vector>

#include "apiserver/extensions/schema/compiled_schema.h"
#include "apiserver/validation/field_errors.h"
#include "base/status.h"
#include "object/field_issue.h"
#include "object/value.h"

namespace skiff::apiserver {

struct CoerceOptions {
  // spec.preserveUnknownFields of old definitions: nothing is pruned.
  bool preserve_unknown_fields = false;
  // Read from the store: metadata of embedded resources is mended instead of refused.
  bool stored = false;
  // Fields that went, for fieldValidation: unknown field "spec.foo". Null: nobody asks.
  std::vector<object::FieldIssue>* issues = nullptr;
};

// Unknown fields and nulls that may not be go; metadata of embedded resources gets its form. An
// error is a BadRequest.
Result<void> CoerceCustomResource(const CompiledSchema& schema, object::Document& object,
                                  const CoerceOptions& options);

// On writing and on reading.
void DefaultCustomResource(const CompiledSchema& schema, object::Document& object);

// Rules of the schema, but those in CEL (x-kubernetes-validations).
void ValidateCustomResource(const CompiledSchema& schema, const object::Value& object,
                            FieldErrors& errors);
// With faults of what did not change held back, if `ratcheting`.
void ValidateCustomResourceUpdate(const CompiledSchema& schema, const object::Value& object,
                                  const object::Value& old, bool ratcheting, FieldErrors& errors);
// Of the subresource: only status is looked at, by the schema of status.
void ValidateCustomResourceStatus(const CompiledSchema& schema, const object::Value& object,
                                  const object::Value& old, bool ratcheting, FieldErrors& errors);

// Whether faults are such that rules in CEL cannot be evaluated: one fault is added that says so,
// in place of theirs.
bool SkipRulesIfInvalid(FieldErrors& errors);

}  // namespace skiff::apiserver
