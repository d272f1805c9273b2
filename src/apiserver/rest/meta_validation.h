// The rules that metadata follows in objects of every kind.
#pragma once

#include "apiserver/validation/field_errors.h"
#include "object/resource.h"
#include "object/value.h"

namespace skiff::apiserver {

// What is wrong with the metadata of an object that is about to be stored.
void CheckMeta(const object::ResourceDesc& resource, object::Document& object, FieldErrors& errors);
// What an update changes that it must not.
void CheckMetaUpdate(object::Document& old, object::Document& object, FieldErrors& errors);

}  // namespace skiff::apiserver
