// Field management: what each write does to metadata.managedFields.
//
// Every object that passes here is in the version of the request. An update, whatever made the new
// object, gives the fields that it changed to its manager and takes them from all others; of an
// apply see apply_configuration.h.
//
// Called before admission and strategies, so that what the server itself fills in has no owner.
#pragma once

#include <string_view>

#include "base/status.h"
#include "object/resource.h"
#include "object/value.h"

namespace skiff::apiserver {

class RememberedConversions;

struct FieldWriter {
  std::string_view manager;            // manager_name.h
  std::string_view api_version;        // of the objects
  std::string_view subresource;        // empty: the resource itself
  const object::StorageDesc* storage;  // says which fields the endpoint resets; may be null
  object::Timestamp now;               // whole seconds
  // Of kinds that somebody else converts: what is wanted of it is known when it is tried again.
  // Null: Convert() does it.
  RememberedConversions* conversions = nullptr;
};

// Sets the managedFields of `object`, which is about to replace `live`: an object of the same type
// and without a uid if there is none yet. The client's own managedFields in `object` count if they
// are valid and the write is of the resource itself; an empty list clears all.
void TrackUpdate(const FieldWriter& writer, const object::Document& live, object::Document& object);

// Of an update that is about to be written: if nothing but times in managedFields would change,
// those stay as they are, so that nothing is written at all.
void KeepTimesOfNoChange(const object::Document& old, object::Document& object);

}  // namespace skiff::apiserver
