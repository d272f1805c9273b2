// A client of one server, over HTTP/2 or, if the server speaks nothing else or has no TLS, over
// HTTP/1.1: what asks an API server, from one event loop.
//
// Over HTTP/2 requests share few connections. A request goes to the connection with the fewest
// streams; another connection is opened when all have `streams_per_connection`, and with
// `connections` of them all full, requests wait their turn. Over HTTP/1.1 each request that is
// under way has a connection of its own, up to limits::kClientHttp1Connections. A connection that
// the server ends or that fails is replaced by the next request. Nothing is sent twice: whether to
// try again is for the caller to decide.
//
// Answers are handed over piece by piece as they come in, so a watch or a long list is never held
// in memory here; a handler that is slow slows its loop, and so its server.
//
// All calls and callbacks belong to the loop's thread. Close() before the loop stops; destroy on
// the loop's thread, or once it has stopped.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/limits.h"
#include "base/shared_bytes.h"
#include "base/status.h"
#include "net/client/client_connection.h"
#include "net/client/client_tls.h"
#include "net/client/endpoint.h"
#include "net/event_loop.h"
#include "net/http.h"

namespace skiff::net {

struct HttpClientOptions {
  ClientEndpoint endpoint;               // with its addresses
  std::shared_ptr<const ClientTls> tls;  // null for an endpoint without
  HttpHeaders headers;                   // of every request, such as authorization and user-agent
  size_t connections = limits::kClientConnections;
  size_t streams_per_connection = limits::kHttp2MaxStreams;
  // How much of an answer the server may send while its handler holds back, over HTTP/2.
  int32_t stream_window_bytes = limits::kClientStreamWindowBytes;
  // The server speaks HTTP/1.1, since nothing else was offered (ClientTlsOptions).
  bool only_http1 = false;
};

class HttpClient final : public ClientConnection::Owner {
 public:
  using RequestId = uint64_t;

  HttpClient(std::shared_ptr<EventLoop> loop, HttpClientOptions options);
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;
  ~HttpClient() override;

  // The handler must live until its OnEnd() or Cancel(), and is never called during this call.
  RequestId Send(ClientRequest request, ResponseHandler* handler);
  // More of the body of a request that streams it, and its end. Nothing may be sent before the
  // handler has heard OnBodyTaken(), since until then the request may have no connection.
  void SendMore(RequestId id, SharedBytes bytes);
  void EndBody(RequestId id);
  // For handlers that cannot take more of an answer for now: the little that is on its way still
  // comes, and then the server waits, until it is let go on.
  void Hold(RequestId id) { SetHeld(id, true); }
  void LetGoOn(RequestId id) { SetHeld(id, false); }
  // Ends a request without a further word to its handler. One that has ended is none.
  void Cancel(RequestId id);
  // Ends everything; handlers hear that the client was closed. Requests sent later fail.
  void Close();

  size_t connections() const { return connections_.size(); }
  size_t waiting() const { return waiting_.size(); }
  // Requests that have not ended, sent or not.
  size_t open() const;
  const ClientEndpoint& endpoint() const { return options_.endpoint; }

 private:
  struct Waiting {
    RequestId id;
    ClientRequest request;
    ResponseHandler* handler;
    Duration deadline;
  };

  void OnRoom(ClientConnection& connection) override;
  void OnReturned(std::unique_ptr<ClientStream> stream) override;
  void OnClosed(ClientConnection& connection) override;

  void SetHeld(RequestId id, bool held);
  ClientConnection* FindRoom();
  void DropIdle(ClientConnection& connection);
  void SendWaiting();
  void FailLater(ResponseHandler* handler, RequestId id, Status why);
  void CheckWaiting();

  const std::shared_ptr<EventLoop> loop_;
  const HttpClientOptions options_;
  ClientShared shared_;
  std::vector<std::unique_ptr<ClientConnection>> connections_;
  std::deque<Waiting> waiting_;
  // Requests that could not even wait, until their handlers hear of it.
  std::vector<Waiting> refused_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::optional<EventLoop::TimerId> waiting_timer_;
  RequestId next_id_ = 1;
  bool closed_ = false;
};

}  // namespace skiff::net
