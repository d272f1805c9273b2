// Retries an admission that was refused for lack of something (AwaitedObject).
//
// Admission asks the watch caches, which may be behind a store that others write to as well, and a
// controller may be about to make what is lacking. So the store itself is asked, as often as it is
// worth, and when the cache has caught up with what is there the request is tried once more.
#pragma once

#include <functional>

#include "apiserver/rest/admission.h"
#include "apiserver/rest/endpoint.h"
#include "net/http.h"

namespace skiff::apiserver {

class AdmissionRetry {
 public:
  // What a try begins with: nothing lacks yet.
  AwaitedObject Begin() const;
  // Whether there is something that is worth another retry, after a try that lacked `awaited`.
  bool IsWorthRetrying(const AwaitedObject& awaited);

  // Looks for what the last try lacked and calls `found`, or `given_up`; both where the request is
  // handled. They keep this object alive.
  void AwaitObject(RestContext& context, net::Responder& responder, std::function<void()> found,
                   std::function<void()> given_up);

 private:
  void CatchUp(net::Responder& responder, store::Revision revision, std::function<void()> found);
  void AwaitObjectLater(RestContext& context, net::Responder& responder,
                        std::function<void()> found, std::function<void()> given_up);

  AwaitedObject awaited_;
  int attempts_ = 0;  // for it, so far
  bool has_retried_ = false;
};

}  // namespace skiff::apiserver
