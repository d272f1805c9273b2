// One connection of a client: connects, speaks TLS if the server does, and carries requests, over
// HTTP/2 many at a time, over HTTP/1.1 one after the other; which of them, the server decides.
//
// Requests may be given to it from the start; they are sent once it is open. It ends by itself when
// the server says so and the last answer is complete, when it fails, or when it was idle for long;
// whoever still waits for an answer then hears why. It asks a silent server whether it is still
// there while answers are awaited. Lives on one event loop, owned by an HttpClient.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/shared_bytes.h"
#include "base/status.h"
#include "net/client/client_protocol.h"
#include "net/client/client_request.h"
#include "net/client/client_tls.h"
#include "net/client/endpoint.h"
#include "net/event_loop.h"
#include "net/http.h"
#include "net/tls_session.h"

namespace skiff::net {

struct ClientTimes {
  Duration connect = limits::kClientConnectTimeout;
  // A server that is silent for so long while answers are awaited is asked whether it is there, and
  // is taken for lost when it says nothing for so long afterwards.
  Duration ping_after = limits::kClientPingAfter;
  Duration ping_timeout = limits::kClientPingAfter;
  // A connection that is not used for so long is closed.
  Duration idle = limits::kClientIdleTimeout;
};

// What the connections of a client have in common: room that is used within one call only.
struct ClientShared {
  const ClientEndpoint& endpoint;
  const ClientTls* tls;  // null: the endpoint has none
  const HttpHeaders& headers;
  // The connection that was opened last speaks HTTP/1.1, and so will the next one, most likely.
  bool http1 = false;
  int32_t window = limits::kClientStreamWindowBytes;  // of each answer, over HTTP/2
  // HTTP/2 or nothing, also without TLS, and all requests at once: those that the server has no
  // room for wait on the connection.
  bool only_http2 = false;
  // Of the store of this process, which may take the last descriptors.
  bool is_of_store = false;
  ClientTimes times = {};
  ByteBuffer input = {};
  ByteBuffer plain = {};
  ByteBuffer sealed = {};
};

class ClientConnection final : public EventLoop::Watcher, private ClientProtocol::Owner {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    // A request has ended, or the server has said how many it takes.
    virtual void OnRoom(ClientConnection& connection) = 0;
    // It turned out that there is no room for a request that was taken already.
    virtual void OnReturned(std::unique_ptr<ClientStream> stream) = 0;
    // It is open, or takes no further requests, as is_usable() tells.
    virtual void OnStateChange(ClientConnection& connection) { static_cast<void>(connection); }
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
  // More of the body of a request that streams it. One that has ended takes nothing.
  void SendMore(uint64_t id, SharedBytes bytes);
  void EndBody(uint64_t id);
  // Whether more of the answer is to be held back, where the server sees that nobody takes it.
  void Hold(uint64_t id, bool held);
  // Whether there was such a request.
  bool Cancel(uint64_t id);

  // Takes no further request, and ends with the last that it has.
  void Drain();

  size_t streams() const { return streams_.size(); }
  // Open, and takes requests.
  bool is_usable() const { return open_ && !closed_ && !draining_; }
  // How many more requests the server would take; none once it has said goodbye.
  bool HasRoom(size_t streams_wanted) const;

 private:
  void OnEvents(uint32_t events) override;
  void OnTurnEnd() override;

  void Connect();
  int StartConnecting();
  void OnConnected();
  void FailAddress(const std::string& why);
  void ReadInput();
  void OnSocketBytes(std::string_view bytes);
  void OnTlsBytes(std::string_view bytes);
  void OnPlainBytes(std::string_view bytes);
  void OnServerClosed();
  void OnOpen();
  void ChooseProtocol();
  void Flush();
  bool SendToSocket(std::string_view bytes);
  bool SendPending();
  void WantTurn();
  void SetTimer(Duration after);
  void BeginDraining();
  void OnTimer();
  void Break(const std::string& why);
  void BreakTls();
  std::string TlsFault() const;

  void OnStreamEnd(ClientStream& stream, Result<void> outcome) override;
  void OnMoreRoom() override { owner_.OnRoom(*this); }
  void OnDeadline(ClientStream& stream);
  void Finish(ClientStream& stream, Result<void> outcome);
  // The same fault, for a request that was sent or was not.
  static Status FaultOf(const ClientStream& stream, const Status& why);
  std::string WithEndpoint(const std::string& why) const;

  EventLoop& loop_;
  Owner& owner_;
  ClientShared& shared_;
  UniqueFd fd_;
  std::unique_ptr<TlsSession> tls_;
  std::unique_ptr<ClientProtocol> protocol_;  // null: it is not known yet
  // By the id of the request, until the protocol has done with it.
  std::map<uint64_t, std::unique_ptr<ClientStream>> streams_;
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

}  // namespace skiff::net
