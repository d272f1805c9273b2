// The calling side of gRPC: channels to servers, and calls on them.
//
// A client is a thread, an event loop, on which its channels live. A channel is one connection of
// HTTP/2, with TLS, plain, or over a socket in the file system. It connects with its first call.
// When its connection breaks it is not mended: the calls on it end with kUnavailable, further ones
// do so at once, and who wants to go on makes another channel, with the addresses and certificates
// of then. Nothing is ever sent twice: which call may be repeated is for the caller to know.
//
// A call carries any number of messages in both directions and ends with a status. Its time is kept
// here by the client's clock, and told to the server. What the server sends is handed over as it
// comes, so a handler that is slow slows its server, and all other calls of the client: what takes
// long belongs elsewhere.
//
// All calls of these classes are for any thread; handlers are called on the client's.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/limits.h"
#include "base/shared_bytes.h"
#include "base/status.h"
#include "grpc/frame.h"
#include "grpc/status.h"
#include "net/client/client_connection.h"
#include "net/client/client_request.h"
#include "net/client/client_tls.h"
#include "net/client/endpoint.h"
#include "net/event_loop.h"
#include "net/http.h"

namespace skiff::grpc {

class GrpcConnection;

struct GrpcChannelOptions {
  net::ClientEndpoint endpoint;  // with its addresses
  std::shared_ptr<const net::ClientTls> tls = nullptr;
  // Without calls no server is asked whether it is there: many forbid that.
  net::ClientTimes times = {};
  size_t max_message_bytes = limits::kMaxGrpcMessageBytes;  // that the server sends
};

struct GrpcCallOptions {
  std::string path;  // "/etcdserverpb.KV/Range"
  net::HttpHeaders metadata = {};
  Duration timeout = Clock::kForever;
};

// Who waits for what a server sends. Kept by the call until its end.
class GrpcCallHandler {
 public:
  virtual ~GrpcCallHandler() = default;
  virtual void OnMessage(std::string_view message) = 0;
  // Last, exactly once, and never before GrpcChannel::Start() has returned to a caller that is on
  // the client's thread. kDeadlineExceeded and kCanceled may be this side's word; kUnavailable is
  // that of the connection.
  virtual void OnEnd(const GrpcStatus& status) = 0;
};

class GrpcCall final : public std::enable_shared_from_this<GrpcCall>, private net::ResponseHandler {
 public:
  // A framed message. Ignored when the call has ended.
  void Send(SharedBytes frame);
  // There will be no further message.
  void EndInput();
  // Ends soon, with kCanceled, unless it ends otherwise before.
  void Cancel();
  // Messages that the connection has not taken yet, if it has fallen behind.
  size_t unsent() const { return unsent_.load(std::memory_order_relaxed); }

 private:
  friend class GrpcChannel;
  friend class GrpcConnection;
  GrpcCall(std::shared_ptr<GrpcConnection> connection, std::shared_ptr<GrpcCallHandler> handler,
           size_t max_message_bytes);

  // On the client's thread.
  void OnHead(int code, const net::HttpHeaders& headers) override;
  void OnBody(std::string_view bytes) override;
  void OnTrailers(const net::HttpHeaders& trailers) override;
  void OnBodyTaken() override;
  void OnEnd(Result<void> outcome) override;
  GrpcStatus FinalStatus(const Result<void>& outcome) const;
  void Abandon(const GrpcStatus& status);
  void End(const GrpcStatus& status);

  const std::shared_ptr<GrpcConnection> connection_;
  std::shared_ptr<GrpcCallHandler> handler_;  // null: it has ended
  const size_t max_message_bytes_;
  uint64_t id_ = 0;  // on the connection; 0: not begun
  int code_ = 0;     // of HTTP
  bool is_grpc_ = false;
  std::optional<GrpcReader> reader_;
  std::optional<GrpcStatus> status_;
  size_t handed_over_ = 0;  // messages that the connection has and has not taken
  std::atomic<size_t> unsent_ = 0;
};

// Once it is let go of, it closes when the last call on it has ended.
class GrpcChannel {
 public:
  ~GrpcChannel();
  GrpcChannel(const GrpcChannel&) = delete;
  GrpcChannel& operator=(const GrpcChannel&) = delete;

  // Begins with a framed message; with `is_only` it is the only one of the client.
  std::shared_ptr<GrpcCall> Start(GrpcCallOptions options, SharedBytes first, bool is_only,
                                  std::shared_ptr<GrpcCallHandler> handler);
  // Whether a call would be sent now: not before the first one, nor after the connection was lost
  // or the server said goodbye.
  bool is_ready() const;

 private:
  friend class GrpcClient;
  explicit GrpcChannel(std::shared_ptr<GrpcConnection> connection);
  const std::shared_ptr<GrpcConnection> connection_;
};

class GrpcClient {
 public:
  // The clock outlives the client.
  static Result<std::unique_ptr<GrpcClient>> Start(Clock& clock, std::string thread_name);
  ~GrpcClient() { Stop(); }

  std::shared_ptr<GrpcChannel> MakeChannel(GrpcChannelOptions options);
  // Breaks all connections, which ends the calls on them, and ends the thread. Calls that are begun
  // later do nothing. Not from the client's thread.
  void Stop();

 private:
  friend class GrpcConnection;
  // Those that are connected. Touched on the loop.
  struct Connections {
    std::set<std::shared_ptr<GrpcConnection>> open;
    bool closed = false;
  };

  explicit GrpcClient(std::shared_ptr<net::EventLoop> loop) : loop_(std::move(loop)) {}
  bool stopped_ = false;

  const std::shared_ptr<net::EventLoop> loop_;
  const std::shared_ptr<Connections> connections_ = std::make_shared<Connections>();
};

}  // namespace skiff::grpc
