#include "apiserver/rest/admission_retry.h"

#include <string>
#include <utility>

#include "apiserver/rest/resource_storage.h"
#include "base/limits.h"

namespace skiff::apiserver {

AwaitedObject AdmissionRetry::Begin() const {
  AwaitedObject out;
  out.is_retry = has_retried_;
  return out;
}

bool AdmissionRetry::IsWorthRetrying(const AwaitedObject& awaited) {
  if (!awaited.IsSameAs(awaited_)) attempts_ = 0;
  awaited_ = awaited;
  return awaited_.storage != nullptr && attempts_ < awaited_.attempts;
}

void AdmissionRetry::AwaitObject(RestContext& context, net::Responder& responder,
                                 std::function<void()> found, std::function<void()> given_up) {
  ++attempts_;
  has_retried_ = true;
  awaited_.storage->cache().Get(
      {awaited_.name_space, awaited_.name, ""},
      [this, &context, &responder, found = std::move(found),
       given_up = std::move(given_up)](const Result<store::CacheGetReply>& reply) mutable {
        if (reply && reply->entry) {
          return CatchUp(responder, reply->entry->revision(), std::move(found));
        }
        if (attempts_ >= awaited_.attempts) return responder.Post(std::move(given_up));
        AwaitObjectLater(context, responder, std::move(found), std::move(given_up));
      });
}

// Admission asks the cache: it must have seen what the store has.
void AdmissionRetry::CatchUp(net::Responder& responder, store::Revision revision,
                             std::function<void()> found) {
  awaited_.storage->cache().Get(
      {awaited_.name_space, awaited_.name, std::to_string(revision.value)},
      [&responder, found = std::move(found)](const Result<store::CacheGetReply>&) mutable {
        responder.Post(std::move(found));
      });
}

void AdmissionRetry::AwaitObjectLater(RestContext& context, net::Responder& responder,
                                      std::function<void()> found, std::function<void()> given_up) {
  const auto again = [this, &context, &responder, found = std::move(found),
                      given_up = std::move(given_up)] {
    AwaitObject(context, responder, found, given_up);
  };
  context.deadlines.Add(context.clock.Monotonic() + limits::kAdmissionLookInterval,
                        [&responder, again] { responder.Post(again); });
}

}  // namespace skiff::apiserver
