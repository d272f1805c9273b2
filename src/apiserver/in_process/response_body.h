// The body of an answer that another server gave to a request of this process, as it comes in.
//
// Owner: whoever waits for it; executor only. Destroying it ends the answer.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "apiserver/in_process/executor_link.h"
#include "base/status.h"
#include "net/http.h"

namespace skiff::apiserver {

class ResponseBody : public std::enable_shared_from_this<ResponseBody> {
 public:
  struct Calls {
    // The owner may let go of it within either.
    std::function<void(std::string_view bytes)> on_bytes;
    // The last call: an error if it was broken off.
    std::function<void(const Result<void>& outcome)> on_end;
  };
  ResponseBody(std::shared_ptr<ExecutorLink> link, net::HttpResponse response, Calls calls);

  // Once.
  void Start();

 private:
  void Read();
  void End(const Result<void>& outcome);

  const std::shared_ptr<ExecutorLink> link_;
  net::HttpResponse response_;
  Calls calls_;
};

}  // namespace skiff::apiserver
