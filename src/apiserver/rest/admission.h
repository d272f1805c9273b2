// The seam between the handlers of writes and the admission plugins (src/apiserver/admission).
//
// A plugin may change an object before it is validated, or refuse the request; once the object is
// final, it may still refuse. Objects are in the stored version, and `resource` is what the request
// named. A plugin may add writes of other keys to the transaction, with their conditions, so that
// they are committed together with the object or not at all; when a condition fails, everything is
// asked again, but for charges (WriteCharges). What plugins look up is in the watch caches; when
// that lacks an object which may be about to appear, they say which, and the handler waits and asks
// again. What asks somebody else, as webhooks do, is a task, and goes on where the request is
// handled; no thread waits for it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/rest/behaviour.h"
#include "base/maybe_task.h"
#include "base/status.h"
#include "object/resource.h"
#include "object/value.h"
#include "serving/auth/user.h"
#include "store/store.h"

namespace skiff::apiserver {

enum class AdmissionOperation : uint8_t { kCreate, kUpdate, kDelete, kConnect };

class RememberedConversions;
class ResourceStorage;

// An object for lack of which a plugin refused, though it may be there any moment: the cache may be
// behind the store, or a controller is about to make it.
struct AwaitedObject {
  ResourceStorage* storage = nullptr;  // null: nothing is awaited
  std::string name_space;
  std::string name;
  int attempts = 1;  // how often it is worth looking for it
  // Told to plugins: this try is a retry, so that nothing is in doubt any more.
  bool is_retry = false;

  bool IsSameAs(const AwaitedObject& other) const {
    return storage == other.storage && name_space == other.name_space && name == other.name;
  }
};

// What a plugin remembers of a request from its first turn to its second.
struct AdmissionMemory {
  virtual ~AdmissionMemory() = default;
};

// What a write costs (quotas), committed with it, and apart from the rest because it changes with
// every write of others: what lost a race for nothing else is not admitted once more, it only
// charges anew.
struct WriteCharges {
  store::Transaction transaction = {};
  // What the write costs by now, of the object as it will be stored and, on an update, as it is.
  // Called only while the objects that were admitted are the ones that count; any thread. Null:
  // nothing is charged.
  std::move_only_function<Result<store::Transaction>(const object::Document& object,
                                                     const object::Document* old)>
      charge_anew = {};
};

struct AdmissionRequest {
  AdmissionOperation operation;
  const object::ResourceDesc& resource;
  std::string_view subresource;  // empty: the object itself
  std::string_view name_space;
  std::string_view name;  // of a create: as the client chose it, empty if it is to be generated;
                          // known by the time it is validated
  const serving::UserInfo& user;
  object::Timestamp now;
  Random& random;
  bool dry_run = false;
  object::Document* object = nullptr;  // null on delete. Of a connect, its options.
  object::Document* old = nullptr;     // null on create and connect
  const DeleteOptions* delete_options = nullptr;
  store::Transaction& transaction;
  std::vector<std::string>& warnings;
  // What the audit log shall say of the request, by key; null: nobody keeps it.
  std::map<std::string, std::string>* audit_annotations = nullptr;
  // Where charges go; null: into the transaction.
  WriteCharges* charges = nullptr;
  AwaitedObject* awaited = nullptr;  // where plugins say what they lack; null: nobody would wait
  // What came in. Null only in tests of plugins that do not ask for it.
  serving::ApiRequest* origin = nullptr;
  // Of objects that somebody else converts: a plugin that wants them in another version, and finds
  // them not converted yet, is asked again when they are. Null: Convert() does it.
  RememberedConversions* conversions = nullptr;
  // Set by a plugin that let somebody else change the object, who may have undone what plugins
  // before it did: all of them are run once more, and told so.
  bool reinvoke = false;
  bool is_reinvocation = false;
  // What policies have to remember from the first time to the second.
  std::shared_ptr<void> policy_rounds = nullptr;
  std::unique_ptr<AdmissionMemory> webhook_memory = {};
};

// Outlives every request. Called from any thread, several at a time.
class Admission {
 public:
  virtual ~Admission() = default;
  // Before the strategy and validation. The request outlives the task.
  virtual MaybeTask<Result<void>> Mutate(AdmissionRequest& request) = 0;
  // After them; the object must not be changed any more.
  virtual MaybeTask<Result<void>> Validate(AdmissionRequest& request) = 0;
};

}  // namespace skiff::apiserver
