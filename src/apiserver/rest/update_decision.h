// What becomes of an object by an update, a patch or an apply: the steps of a write in their order.
#pragma once

#include <string_view>
#include <utility>

#include "apiserver/rest/admission.h"
#include "apiserver/rest/admission_retry.h"
#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/object_change.h"
#include "apiserver/rest/update_object.h"
#include "base/maybe_task.h"
#include "base/status.h"
#include "object/value.h"

namespace skiff::apiserver {

// Of one update, which outlives it. Decides at each try anew; one thread at a time.
class UpdateDecision {
 public:
  explicit UpdateDecision(Update& update) : update_(update) {}

  // Null: there is no such object. It stays until the decision is there.
  Task<Result<Change>> Decide(const CurrentObject* current);

  // The object as it was found at the last try.
  store::Revision found() const { return found_; }
  // What admission lacked then.
  AwaitedObject& awaited() { return awaited_; }
  AdmissionRetry& admission_retry() { return admission_retry_; }
  // From now on the object is written without managedFields. False: it has been already.
  bool DropFields() { return !std::exchange(drops_fields_, true); }

 private:
  serving::ApiRequest& request() { return *update_.request; }
  const Endpoint& endpoint() { return update_.endpoint; }
  const object::ResourceDesc& resource() { return *update_.endpoint.resource; }
  object::Timestamp now();

  // Null charges: what the write costs is in the transaction.
  AdmissionRequest Admit(object::Document& old, object::Document& object, store::Transaction& also,
                         WriteCharges* charges = nullptr);
  bool IsKnownToChangeNothing(store::Revision current);
  // Admission of an object that is to stay as it is. False: a plugin would have it otherwise, so
  // that all of it must be gone through.
  Task<Result<bool>> AdmitUnchanged(object::Document& old);
  // Done again as long as it lacks conversions that can be had.
  MaybeTask<Result<object::Document>> MakeNew(object::Document* shown);
  Task<Result<object::Document>> MakeNewAwaited(object::Document* shown);
  MaybeTask<Result<void>> TrackFields(const object::Document& live, object::Document& object);
  Task<Result<void>> TrackFieldsAwaited(const object::Document& live, object::Document& object);
  // A PUT of an object that does not exist.
  Task<Result<Change>> DecideForNew();
  // What the client says of an object that it thinks is there.
  Result<void> CheckExpectsNothing(object::Document& object);
  // In the words of the storage of Kubernetes.
  Result<void> OtherUid(std::string_view name, std::string_view wanted, std::string_view found);
  // Name and namespace are those of the URL.
  Result<void> CheckIdentity(object::Document& object);
  // The state that the new object is based on must be the current one.
  Result<void> CheckPreconditions(object::Document& old, object::Document& object);

  Update& update_;
  bool drops_fields_ = false;
  store::Revision found_;
  AwaitedObject awaited_;
  AdmissionRetry admission_retry_;
};

}  // namespace skiff::apiserver
