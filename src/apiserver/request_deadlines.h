// An end to requests that nobody answers in time: their clients get a Status with code 504, and
// what is still done for them has no effect on the answer.
//
// Most requests are answered before their handler returns and cost nothing here; the others are
// kept until their answer or their time has come. Owner: the server; outlives the requests.
#pragma once

#include <memory>

#include "apiserver/rest/deadlines.h"
#include "base/clock.h"
#include "serving/request/respond_once.h"

namespace skiff::apiserver {

class RequestDeadlines {
 public:
  explicit RequestDeadlines(Clock& clock) : deadlines_(clock) {}

  // Sees to it that there is an answer by its deadline.
  void Watch(const std::shared_ptr<serving::RespondOnce>& answer);

 private:
  Deadlines deadlines_;
};

}  // namespace skiff::apiserver
