// What a resource does beyond what its schema says: the seam between the handlers, which are the
// same for all resources, and src/apiserver/registry, which has a file for each that is special.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/validation/kind_settings.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/status.h"
#include "object/resource.h"
#include "object/value.h"
#include "serving/request/api_request.h"
#include "store/store.h"

namespace skiff::apiserver {

// One write under way. Objects are in the stored version. A behaviour may add writes of other keys
// to the transaction, with their conditions; if one of those fails, everything is prepared anew.
struct WriteContext {
  const object::ResourceDesc& resource;
  std::string_view subresource;  // empty: the object itself
  object::Timestamp now;
  Random& random;
  const serving::UserInfo* user;  // null: the server itself
  store::Transaction& transaction;
  const KindSettings& settings;
  bool dry_run = false;
  // Where texts of Warning headers go; null: nobody reads them.
  std::vector<std::string>* warnings = nullptr;
  std::string_view verb = {};  // of the request: "create", "update", "patch"
};

class FieldErrors;

// How an object goes away.
struct DeleteOptions {
  std::optional<int64_t> grace_period_seconds = {};
  std::string uid = {};               // precondition
  std::string resource_version = {};  // precondition
  std::string propagation = {};       // Orphan, Background, Foreground, or empty
  std::optional<bool> orphan_dependents = {};
  bool dry_run = false;
  // ignoreStoreReadErrorWithClusterBreakingPotential: the object cannot be read, and goes unseen.
  bool unreadable = false;
};

// Methods may be called from any thread, several at a time.
class ResourceBehaviour {
 public:
  virtual ~ResourceBehaviour() = default;

  // After the schema's actions and before validation.
  virtual Result<void> PrepareForCreate(WriteContext&, object::Document& object) {
    static_cast<void>(object);
    return {};
  }
  virtual Result<void> PrepareForUpdate(WriteContext&, object::Document& old,
                                        object::Document& object) {
    static_cast<void>(old), static_cast<void>(object);
    return {};
  }
  // What can be wrong with the object beyond the rules of its kind, which see nothing but objects;
  // those are asked first, and `follows_rules` is what they found. What is added here stands before
  // what they report. `old` is null when the object is new. The place for warnings, too.
  virtual void Check(WriteContext&, const object::Document* old, const object::Document& object,
                     bool follows_rules, FieldErrors& errors) {
    static_cast<void>(old), static_cast<void>(object), static_cast<void>(follows_rules);
    static_cast<void>(errors);
  }
  // Whether an update leaves nothing to wait for, so that the object goes; beyond the rule for
  // finalizers, which holds for all.
  virtual bool IsFinished(WriteContext&, object::Document& object) {
    static_cast<void>(object);
    return false;
  }
  // Whether the object needs to stay, for a grace period: how many seconds. Only of resources whose
  // schema says that they are deleted gracefully.
  virtual int64_t GracePeriodSeconds(const DeleteOptions& options, object::Document& object) {
    static_cast<void>(options), static_cast<void>(object);
    return 0;
  }
  // Before an object goes for good; it may refuse, or keep the object by changing it and returning
  // true.
  virtual Result<bool> KeepsOnDelete(WriteContext&, const DeleteOptions&,
                                     object::Document& object) {
    static_cast<void>(object);
    return false;
  }
  // The object is going in this transaction.
  virtual Result<void> OnRemove(WriteContext&, object::Document& object) {
    static_cast<void>(object);
    return {};
  }
};

}  // namespace skiff::apiserver
