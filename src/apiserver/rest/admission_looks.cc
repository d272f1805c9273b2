#include "apiserver/rest/admission_looks.h"

#include <string>
#include <utility>

#include "apiserver/rest/resource_storage.h"
#include "base/limits.h"

namespace skiff {

AwaitedObject AdmissionLooks::Begin() const {
  AwaitedObject out;
  out.has_looked = has_looked_;
  return out;
}

bool AdmissionLooks::WorthAnother(const AwaitedObject& awaited) {
  if (!awaited.IsSameAs(awaited_)) looks_ = 0;
  awaited_ = awaited;
  return awaited_.storage != nullptr && looks_ < awaited_.looks;
}

void AdmissionLooks::Look(RestContext& context, Responder& responder, std::function<void()> found,
                          std::function<void()> given_up) {
  ++looks_;
  has_looked_ = true;
  awaited_.storage->cache().Get(
      {awaited_.name_space, awaited_.name, ""},
      [this, &context, &responder, found = std::move(found),
       given_up = std::move(given_up)](const Result<CacheGetReply>& reply) mutable {
        if (reply && reply->entry) {
          return CatchUp(responder, reply->entry->revision(), std::move(found));
        }
        if (looks_ >= awaited_.looks) return responder.Post(std::move(given_up));
        LookLater(context, responder, std::move(found), std::move(given_up));
      });
}

// Admission asks the cache: it must have seen what the store has.
void AdmissionLooks::CatchUp(Responder& responder, Revision revision, std::function<void()> found) {
  awaited_.storage->cache().Get(
      {awaited_.name_space, awaited_.name, std::to_string(revision.value)},
      [&responder, found = std::move(found)](const Result<CacheGetReply>&) mutable {
        responder.Post(std::move(found));
      });
}

void AdmissionLooks::LookLater(RestContext& context, Responder& responder,
                               std::function<void()> found, std::function<void()> given_up) {
  const auto again = [this, &context, &responder, found = std::move(found),
                      given_up = std::move(given_up)] {
    Look(context, responder, found, given_up);
  };
  context.deadlines.Add(context.clock.Monotonic() + limits::kAdmissionLookInterval,
                        [&responder, again] { responder.Post(again); });
}

}  // namespace skiff
