// WebSocket for handlers: a request of HTTP/1.1 that asks for it is answered with
// AcceptWebSocket(), whose endpoint then gives messages to the client and gets those of the client.
//
// Pings, closing, fragments and bounds are taken care of. A watch is an endpoint that only gives;
// exec and port-forward do both.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/buffer.h"
#include "net/http.h"

namespace skiff::net {

// Appends messages to what is sent.
class WebSocketWriter {
 public:
  explicit WebSocketWriter(ByteBuffer& out) : out_(out) {}
  void Text(std::string_view message);
  void Binary(std::string_view message);
  // Bytes appended since the writer was made, frames included.
  size_t written() const { return out_.size() - start_; }

 private:
  ByteBuffer& out_;
  size_t start_ = out_.size();
};

// What a handler provides. All calls, and the end, on the loop of the connection.
class WebSocketEndpoint {
 public:
  virtual ~WebSocketEndpoint() = default;

  // As of BodySource: once, before all else.
  virtual void OnStart(std::function<void()> wake) { static_cast<void>(wake); }
  // Messages of about `room` bytes, or those that there are. After kEnd, or an error, the
  // connection is closed in order.
  virtual Result<BodySource::State> Write(WebSocketWriter& out, size_t room) = 0;
  // As of BodySource.
  virtual Duration Deadline() const { return Clock::kForever; }
  virtual void OnMessage(bool is_text, std::string message) {
    static_cast<void>(is_text);
    static_cast<void>(message);
  }
  // The client has closed, or has gone; nothing more can be sent.
  virtual void OnClose() {}
  // False holds back what the client sends, until after a wake.
  virtual bool wants_input() const { return true; }
};

// Whether the request asks for a WebSocket: Connection: Upgrade and Upgrade: websocket.
bool IsWebSocketRequest(const HttpRequest& request);
// The sub-protocols that the client offers, in its order.
std::vector<std::string> WebSocketProtocols(const HttpRequest& request);

// The answer that switches protocols, with sub-protocol `protocol` ("": none). An answer of its own
// when the request is no proper WebSocket handshake (400, 426).
HttpResponse AcceptWebSocket(const HttpRequest& request, std::string_view protocol,
                             std::unique_ptr<WebSocketEndpoint> endpoint);

}  // namespace skiff::net
