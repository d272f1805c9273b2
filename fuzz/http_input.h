// What the fuzz targets of HTTP share: a loop that the fuzzer itself drives, and a handler that
// gives answers of every kind and remembers what it was asked.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "net/event_loop.h"
#include "net/gzip.h"
#include "net/protocol.h"
#include "net/serving.h"
#include "net/websocket.h"

namespace skiff {

inline void Require(bool condition) {
  if (!condition) std::abort();
}

// A few pieces, with pauses.
class FuzzSource final : public net::BodySource {
 public:
  explicit FuzzSource(size_t pieces) : left_(pieces) {}
  void OnStart(std::function<void()> wake) override { wake_ = std::move(wake); }
  Result<State> Read(ByteBuffer& out, size_t room) override {
    if (left_ == 13) return Fail(StatusReason::kInternalError, "broken");
    if (left_ == 0) return State::kEnd;
    --left_;
    if (left_ % 3 == 1) {
      wake_();
      return State::kWaiting;
    }
    out.Append(std::string(std::min(room, left_ * 100), 'x'));
    return State::kMore;
  }

 private:
  size_t left_;
  std::function<void()> wake_;
};

class FuzzEndpoint final : public net::WebSocketEndpoint {
 public:
  void OnStart(std::function<void()> wake) override { wake_ = std::move(wake); }
  Result<net::BodySource::State> Write(net::WebSocketWriter& out, size_t room) override {
    static_cast<void>(room);
    for (const std::string& message : std::exchange(messages_, {})) out.Binary(message);
    return net::BodySource::State::kWaiting;
  }
  void OnMessage(bool is_text, std::string message) override {
    messages_.push_back(message + (is_text ? "t" : "b"));
    wake_();
  }

 private:
  std::function<void()> wake_;
  std::vector<std::string> messages_;
};

class FuzzHandler final : public net::HttpHandler {
 public:
  void Handle(net::HttpRequest request, net::Responder responder) override {
    Remember(request, "whole");
    net::HttpResponse response;
    if (net::IsWebSocketRequest(request)) {
      response = net::AcceptWebSocket(request, "", std::make_unique<FuzzEndpoint>());
    } else if (request.path.size() % 4 == 1) {
      response.source = std::make_unique<FuzzSource>(request.path.size());
    } else if (request.path.size() % 4 == 2) {
      response.source = net::MakeGzipSource(std::make_unique<FuzzSource>(request.query.size()));
    } else if (request.path.size() % 4 == 3) {
      return;  // dropped
    } else {
      response = net::PlainTextResponse(200, request.body);
    }
    std::move(responder).Respond(std::move(response));
  }
  void HandleTooLarge(net::HttpRequest request, net::Responder responder) override {
    Remember(request, "too large");
    net::HttpHandler::HandleTooLarge(std::move(request), std::move(responder));
  }

  std::vector<std::string> asked;

 private:
  void Remember(const net::HttpRequest& request, std::string_view how) {
    Require(request.path.starts_with('/'));
    std::string text = std::string(how) + " " + request.method + " " + request.path + "?" +
                       request.query + " " + std::to_string(request.headers.fields().size()) + " " +
                       request.body;
    asked.push_back(std::move(text));
  }
};

// One connection without a socket.
class FuzzConnection final : public net::HttpProtocol::Host {
 public:
  explicit FuzzConnection(bool http2) : loop_(*net::EventLoop::Create(clock_)) {
    loop_->AdoptThread();
    service_.handler = &handler_;
    service_.limits.max_header_bytes = 2000;
    service_.limits.max_body_bytes = 500;
    serving_ = std::make_unique<net::ServingLoop>(loop_, service_);
    protocol_ =
        http2 ? net::MakeHttp2(*serving_, *this, peer_) : net::MakeHttp1(*serving_, *this, peer_);
  }
  ~FuzzConnection() override {
    protocol_.reset();
    Require(service_.requests_in_flight == 0);
  }

  void WantTurn() override {}
  // Feeds the bytes and takes all that is answered. False once the connection would be closed.
  bool Feed(std::string_view bytes) {
    if (!bytes.empty()) protocol_->OnBytes(bytes);
    // A source may give nothing and say that there is more: it is asked again in the next turn.
    for (int empty = 0; empty < 3; ++empty) {
      loop_->RunTurn();
      ByteBuffer out;
      protocol_->Fill(out, 4096);
      output += out.view();
      if (protocol_->broken() || (out.empty() && protocol_->finished())) return false;
      if (!out.empty()) empty = -1;
    }
    return true;
  }
  void End() { protocol_->OnInputEnd(); }
  net::HttpProtocol& protocol() { return *protocol_; }
  const std::vector<std::string>& asked() const { return handler_.asked; }
  ManualClock& clock() { return clock_; }

  std::string output;

 private:
  ManualClock clock_;
  FuzzHandler handler_;
  net::HttpService service_;
  std::shared_ptr<net::EventLoop> loop_;
  std::unique_ptr<net::ServingLoop> serving_;
  net::ConnectionPeer peer_;
  std::unique_ptr<net::HttpProtocol> protocol_;
};

}  // namespace skiff
