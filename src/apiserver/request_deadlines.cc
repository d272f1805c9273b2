#include "apiserver/request_deadlines.h"

#include <utility>

#include "base/status.h"
#include "object/json/status.h"

namespace skiff::apiserver {
namespace {

net::HttpResponse TimedOut(std::string_view audit_id) {
  const Status status(StatusReason::kTimeout,
                      "Timeout: request did not complete within the allotted timeout");
  net::HttpResponse out;
  out.code = status.code();
  out.headers.Add("audit-id", std::string(audit_id));
  out.headers.Add("cache-control", "no-cache, private");
  out.headers.Add("content-type", "application/json");
  out.body = SharedBytes(object::StatusToJson(status) + "\n");
  return out;
}

}  // namespace

void RequestDeadlines::Watch(const std::shared_ptr<serving::RespondOnce>& answer) {
  if (answer->answered() || answer->deadline == Duration{}) return;
  const std::weak_ptr<serving::RespondOnce> weak = answer;
  const Deadlines::Key key = deadlines_.Add(answer->deadline, [weak] {
    if (const auto waiting = weak.lock()) waiting->RespondInstead(TimedOut(waiting->audit_id()));
  });
  if (!answer->OnAnswer([this, key] { deadlines_.Remove(key); })) deadlines_.Remove(key);
}

}  // namespace skiff::apiserver
