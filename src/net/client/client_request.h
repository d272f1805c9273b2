// What a client asks an HTTP server, and who waits for the answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/limits.h"
#include "base/shared_bytes.h"
#include "base/status.h"
#include "net/http.h"

namespace skiff::net {

struct ClientRequest {
  std::string method = "GET";
  std::string path;     // with the query, escaped; begins with '/'
  HttpHeaders headers;  // besides those of the client
  SharedBytes body;
  // Whether more of the body may follow, piece by piece, while the answer comes in; and how much
  // there will be of it, if that is known.
  bool streams_body = false;
  std::optional<uint64_t> body_length = {};
  // Its headers ask for another protocol. If the server agrees (101), what follows in both
  // directions are bytes of that: OnBody() and the body that is streamed. HTTP/1.1 only.
  bool asks_upgrade = false;
  // For the whole of the answer. kForever for a watch.
  Duration timeout = limits::kClientRequestTimeout;
};

// The reason of a cause of errors after which trying again is of no use.
inline constexpr std::string_view kUntrustedServer = "UntrustedServer";

// Who waits for an answer. OnEnd() comes last and exactly once, unless the request was cancelled;
// it may send further requests. An error means that the answer is missing or not complete: kTimeout
// when the time was over, kServiceUnavailable when the request never came to the server or was
// turned away there, kServerTimeout when the connection failed and what became of it is not known.
class ResponseHandler {
 public:
  virtual ~ResponseHandler() = default;
  virtual void OnHead(int code, const HttpHeaders& headers) = 0;
  virtual void OnBody(std::string_view bytes) = 0;
  // What follows the body of an answer. HTTP/2 only.
  virtual void OnTrailers(const HttpHeaders& trailers) { static_cast<void>(trailers); }
  // All that there is so far of a body that is streamed has been taken; once more is wanted.
  virtual void OnBodyTaken() {}
  virtual void OnEnd(Result<void> outcome) = 0;
};

}  // namespace skiff::net
