// How requests become bytes of a connection and bytes of it become answers: HTTP/2 or HTTP/1.1.
//
// A protocol begins when its connection is open and knows nothing of sockets and TLS. Owner: a
// ClientConnection, which owns the streams too. Lives on its event loop.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/status.h"
#include "net/client/client_request.h"
#include "net/client/endpoint.h"
#include "net/event_loop.h"

namespace skiff::net {

// One request on a connection, until the protocol has done with it.
struct ClientStream {
  uint64_t id = 0;
  ResponseHandler* handler = nullptr;  // null: nobody waits any more
  ClientRequest request = {};
  Duration deadline{};
  std::optional<EventLoop::TimerId> timer = {};
  bool sent = false;  // its first bytes are on their way
  // For the protocol:
  int32_t number = 0;
  size_t body_sent = 0;
  std::deque<SharedBytes> more = {};  // what follows the body of a request that streams it
  bool body_ended = true;             // nothing will be added to it
  bool body_waits = false;            // it has been sent as far as it is there
  bool held = false;                  // its handler wants no more of the answer for now
  size_t withheld = 0;                // bytes of it that made no new window
  bool has_head = false;              // of the answer
  int code = 0;
  HttpHeaders headers = {};
  size_t header_bytes = 0;
};

class ClientProtocol {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    // The answer is complete or was broken off; the stream is gone afterwards.
    virtual void OnStreamEnd(ClientStream& stream, Result<void> outcome) = 0;
    // More requests may be taken than before.
    virtual void OnMoreRoom() = 0;
  };
  // What all requests have: where they go, and their first header fields. Outlives the protocol.
  struct Common {
    const ClientEndpoint& endpoint;
    const HttpHeaders& headers;
    int32_t window = limits::kClientStreamWindowBytes;  // of an answer, over HTTP/2
  };

  virtual ~ClientProtocol() = default;

  virtual void Submit(ClientStream& stream) = 0;
  // There is more of the body of a request that streams it, or it has ended.
  virtual void OnMoreBody(ClientStream& stream) { static_cast<void>(stream); }
  // Whether the handler takes more of the answer has changed.
  virtual void OnHeld(ClientStream& stream) { static_cast<void>(stream); }
  // False: what comes is to be left in the socket.
  virtual bool wants_input() const { return true; }
  // Nobody waits for this one any more. It ends like others, later.
  virtual void Reset(ClientStream& stream) = 0;
  // Bytes from the server. An error breaks the connection. Handlers are called from within.
  virtual Result<void> Receive(std::string_view bytes) = 0;
  // The server has closed the connection, which ends some answers well.
  virtual void OnInputEnd() = 0;
  // Appends what is to be sent, about limits::kHttpWriteBytes at most; nothing when there is none.
  virtual Result<void> Fill(ByteBuffer& out) = 0;
  // How many requests may be under way at a time; none once the connection is to end.
  virtual size_t room() const = 0;
  // Asks the server whether it is there. False: one cannot ask.
  virtual bool Ping() = 0;
};

std::unique_ptr<ClientProtocol> MakeHttp2ClientProtocol(ClientProtocol::Common common,
                                                        ClientProtocol::Owner& owner);
// One request at a time, on a connection that is kept for the next if the server lets it.
std::unique_ptr<ClientProtocol> MakeHttp1ClientProtocol(ClientProtocol::Common common,
                                                        ClientProtocol::Owner& owner);

}  // namespace skiff::net
