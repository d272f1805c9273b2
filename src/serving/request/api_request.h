// One request on its way through the server: what came in, what the stages of the pipeline found
// out about it, and the means to answer it.
//
// Owner: the stage or handler that works on it, which passes it on; whoever answers it, ends it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "net/http.h"
#include "serving/auth/user.h"
#include "serving/request/local_response.h"
#include "serving/request/query.h"
#include "serving/request/request_info.h"
#include "serving/request/respond_once.h"

namespace skiff::serving {

// Counts a request for as long as it lives.
class InFlight {
 public:
  InFlight() = default;
  // `count` has been raised already.
  explicit InFlight(std::atomic<int64_t>* count) : count_(count) {}
  InFlight(InFlight&& other) noexcept : count_(std::exchange(other.count_, nullptr)) {}
  InFlight& operator=(InFlight&& other) noexcept {
    std::swap(count_, other.count_);
    return *this;
  }
  ~InFlight() {
    if (count_ != nullptr) count_->fetch_sub(1, std::memory_order_relaxed);
  }

 private:
  std::atomic<int64_t>* count_ = nullptr;
};

struct ApiRequest {
  net::HttpRequest http;
  net::Responder responder;
  QueryParameters query = {};
  RequestInfo info = {};
  UserInfo user = {};
  std::string audit_id = {};
  Duration started{0};       // Clock::Monotonic()
  Duration deadline{0};      // of the answer; long-running requests have none: zero
  size_t stage = 0;          // of the pipeline that it has reached
  bool awaits_body = false;  // only the head has come
  // What it names is served here; until that is known, its names may be inventions of the client.
  bool is_routed = false;
  // The objects that it is about are not typed: as a whole they have no protobuf form.
  bool is_untyped = false;
  InFlight in_flight = {};
  // Keeps alive what the request is answered by, where that may go while the server runs; null
  // where it lives as long as the server.
  std::shared_ptr<const void> served_by = {};
  // What the responder answers through; null where nobody else may answer.
  std::shared_ptr<RespondOnce> once = {};
  // Of the answer, whatever it will be: what the stages of the pipeline add.
  net::HttpHeaders answer_headers = {};
  // Of requests that are made within the process: who takes the answer, and the object that is the
  // body, which is then not in `http`.
  std::shared_ptr<LocalResponse> local = {};
  std::shared_ptr<const object::Document> body = {};
  // Told once, when the answer begins: its code, and its length if that is known.
  std::function<void(const ApiRequest& request, int code, size_t bytes)> on_answer = {};
  // What the client should know beside the answer: texts of Warning headers.
  std::vector<std::string> warnings = {};
};

using ApiRequestPtr = std::unique_ptr<ApiRequest>;

}  // namespace skiff::serving
