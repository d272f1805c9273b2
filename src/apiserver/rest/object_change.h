// Changes one stored object under optimistic concurrency: reads it, lets the caller decide what
// becomes of it, and commits that if the object is still as it was read; otherwise it reads and
// asks again. If nothing but a quota has changed, the decision stands, and is only charged anew.
// Every create, update, patch and delete goes through here.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "apiserver/rest/admission.h"
#include "apiserver/rest/resource_storage.h"
#include "base/maybe_task.h"
#include "base/shared_bytes.h"
#include "base/status.h"
#include "object/value.h"
#include "store/store.h"

namespace skiff::apiserver {

// The object as it is now.
struct CurrentObject {
  SharedBytes bytes;
  store::Revision revision;
  // The bytes in the store are others, which lack something or are in another version.
  bool completed = false;
  // Why it cannot be read. Such an object can only be removed.
  std::optional<Status> unreadable = {};
  const object::MessageDesc* stored_type = nullptr;  // what the resource stores

  // In the stored version, with its resourceVersion.
  Result<object::Document> Decode() const;
};

// What is to become of an object.
struct Change {
  enum class Kind : uint8_t { kWrite, kRemove, kNothing };
  Kind kind = Kind::kNothing;
  // In the stored version, or that of the change. Its resourceVersion is not stored. Of a removal,
  // what is answered;
  // nothing if the object cannot be read.
  object::Document object = {};
  // Other keys that change with it. The first condition and write, those of the object itself, are
  // added in front.
  store::Transaction also = {};
  // Charged for it, besides.
  WriteCharges charges = {};
};

struct Changed {
  // As stored, or in the version of the change; after a removal, what Change has.
  SharedBytes bytes;
  store::Revision revision;  // of the write; of the last state if nothing was written
  bool created = false;
  bool removed = false;
};

struct ObjectChange {
  ResourceStorage* storage = nullptr;
  std::string name_space = {};
  std::string name = {};
  bool dry_run = false;
  // The object is thought to be absent: it is not read before the first try.
  bool assume_absent = false;
  // A removal for which the object need not be read: what the store itself cannot read is then an
  // object that is unreadable, and of no known revision.
  bool removes_unreadable = false;
  // The version in which the object is decided on and answered, of a storage with a converter;
  // null: the stored one.
  const object::MessageDesc* version = nullptr;
  // What is there only stands in the way: it is not converted, and `decide` gets it as it is at
  // rest.
  bool only_creates = false;
  // Called for each try with the current state, which stays until the decision is there; null:
  // there is no such object.
  std::move_only_function<MaybeTask<Result<Change>>(const CurrentObject*)> decide = {};
  // Where to go on after waiting for the store, whose threads must not be kept; by default on them
  // all the same. A decision that has to be waited for resumes where it likes.
  std::function<void(std::move_only_function<void()>)> post = {};
};

// `done` is called once, through `post` if the store had to be waited for.
void ChangeObject(ObjectChange change, store::StoreCallback<Changed> done);

}  // namespace skiff::apiserver
