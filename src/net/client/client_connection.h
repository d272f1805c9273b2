// One HTTP/2 connection of a client: connects, speaks TLS, and carries many requests at a time.
//
// Requests may be given to it from the start; they are sent once it is open. It ends by itself when
// the server says so and the last answer is complete, when it fails, or when it was idle for long;
// whoever still waits for an answer then hears why. It asks a silent server whether it is still
// there while answers are awaited. Lives on one event loop, owned by an HttpClient.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <nghttp2/nghttp2.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/shared_bytes.h"
#include "base/status.h"
#include "net/client/client_tls.h"
#include "net/client/endpoint.h"
#include "net/event_loop.h"
#include "net/http.h"
#include "net/tls_session.h"

namespace skiff {

struct ClientRequest {
  std::string method = "GET";
  std::string path;     // with the query, escaped; begins with '/'
  HttpHeaders headers;  // besides those of the client
  SharedBytes body;
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
  virtual void OnEnd(Result<void> outcome) = 0;
};

// What the connections of a client have in common: room that is used within one call only.
struct ClientShared {
  const ClientEndpoint& endpoint;
  const ClientTls& tls;
  const HttpHeaders& headers;
  ByteBuffer input = {};
  ByteBuffer plain = {};
  ByteBuffer sealed = {};
};

class ClientConnection final : public EventLoop::Watcher {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    // A request has ended, or the server has said how many it takes.
    virtual void OnRoom(ClientConnection& connection) = 0;
    // To be retired; it calls nobody any more.
    virtual void OnClosed(ClientConnection& connection) = 0;
  };

  ClientConnection(EventLoop& loop, Owner& owner, ClientShared& shared);
  ClientConnection(const ClientConnection&) = delete;
  ClientConnection& operator=(const ClientConnection&) = delete;
  ~ClientConnection() override;

  void Start();
  // Those waiting for answers hear `why`.
  void Close(const Status& why);

  void Send(uint64_t id, ClientRequest request, ResponseHandler* handler, Duration deadline);
  // Whether there was such a request.
  bool Cancel(uint64_t id);

  size_t streams() const { return streams_.size(); }
  // How many more requests the server would take; none once it has said goodbye.
  bool HasRoom(size_t streams_wanted) const;

 private:
  struct Stream {
    uint64_t id = 0;
    int32_t http2_id = 0;
    ResponseHandler* handler = nullptr;  // null: nobody waits any more
    SharedBytes body;
    size_t body_sent = 0;
    int code = 0;
    HttpHeaders headers;
    size_t header_bytes = 0;
    std::optional<EventLoop::TimerId> timer;
    bool sent = false;  // its first bytes are on their way
  };
  struct Callbacks;
  friend struct Callbacks;

  void OnEvents(uint32_t events) override;
  void OnTurnEnd() override;

  void Connect();
  void OnConnected();
  void FailAddress(const std::string& why);
  void ReadInput();
  void OnSocketBytes(std::string_view bytes);
  void OnOpen();
  void Flush();
  bool SendToSocket(std::string_view bytes);
  bool SendPending();
  void WantTurn();
  void SetTimer(Duration after);
  void OnTimer();
  void Break(const std::string& why);
  void BreakTls();
  std::string TlsFault() const;

  int OnField(Stream& stream, std::string_view name, std::string_view value);
  void OnHead(Stream& stream);
  void OnStreamClosed(int32_t http2_id, Stream* stream, uint32_t error);
  void Finish(Stream& stream, Result<void> outcome);
  // The same fault, for a request that was sent or was not.
  static Status FaultOf(const Stream& stream, const Status& why);
  void Reset(Stream& stream);

  EventLoop& loop_;
  Owner& owner_;
  ClientShared& shared_;
  UniqueFd fd_;
  std::unique_ptr<TlsSession> tls_;
  nghttp2_session* session_ = nullptr;
  // By the id of the request, until HTTP/2 has done with it.
  std::unordered_map<uint64_t, std::unique_ptr<Stream>> streams_;
  size_t next_address_ = 0;
  std::string address_fault_;
  ByteBuffer pending_;  // sealed, and not taken by the socket yet, from pending_at_ on
  size_t pending_at_ = 0;
  std::optional<EventLoop::TimerId> timer_;
  Duration heard_{};
  Duration pinged_{};
  bool connecting_ = false;
  bool open_ = false;
  bool draining_ = false;
  bool closed_ = false;
  bool has_turn_ = false;
  bool readable_ = false;
  bool input_ended_ = false;
};

}  // namespace skiff
