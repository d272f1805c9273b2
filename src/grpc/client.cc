#include "grpc/client.h"

#include <latch>
#include <map>
#include <utility>

namespace skiff::grpc {
namespace {

constexpr int kHttpOk = 200;

GrpcStatus Unavailable(std::string why) { return {GrpcCode::kUnavailable, std::move(why)}; }

// What an answer means that is not gRPC's, but that of a proxy or of another server.
GrpcStatus StatusOfHttp(int code) {
  GrpcStatus status{GrpcCode::kUnknown,
                    "the server does not speak gRPC: it answered HTTP " + std::to_string(code)};
  switch (code) {
    case 400:
      status.code = GrpcCode::kInternal;
      break;
    case 401:
      status.code = GrpcCode::kUnauthenticated;
      break;
    case 403:
      status.code = GrpcCode::kPermissionDenied;
      break;
    case 404:
      status.code = GrpcCode::kUnimplemented;
      break;
    case 429:
    case 502:
    case 503:
    case 504:
      status.code = GrpcCode::kUnavailable;
      break;
    default:
      break;
  }
  return status;
}

}  // namespace

// A channel without its owner. All but ready() on the loop. Kept by the client from its first call
// until its end.
class GrpcConnection final : public net::ClientConnection::Owner,
                             public std::enable_shared_from_this<GrpcConnection> {
 public:
  GrpcConnection(std::shared_ptr<net::EventLoop> loop,
                 std::shared_ptr<GrpcClient::Connections> connections, GrpcChannelOptions options)
      : loop_(std::move(loop)),
        connections_(std::move(connections)),
        options_(std::move(options)),
        shared_{.endpoint = options_.endpoint,
                .tls = options_.endpoint.tls ? options_.tls.get() : nullptr,
                .headers = headers_,
                .only_http2 = true,
                .is_of_store = true,
                .times = options_.times} {
    headers_.Add("content-type", "application/grpc");
    headers_.Add("te", "trailers");
    headers_.Add("user-agent", "grpc-skiff");
  }

  net::EventLoop& loop() { return *loop_; }
  size_t max_message_bytes() const { return options_.max_message_bytes; }
  bool ready() const { return ready_.load(); }

  void Begin(const std::shared_ptr<GrpcCall>& call, net::ClientRequest request, Duration deadline) {
    if (call->handler_ == nullptr) return;
    if (connection_ == nullptr && !is_over_ && !connections_->closed) Connect();
    if (connection_ == nullptr)
      return call->End(Unavailable(options_.endpoint.ToString() + ": the connection was closed"));
    if (is_open_ && !connection_->is_usable())
      return call->End(
          Unavailable(options_.endpoint.ToString() + ": the server takes no further calls"));
    call->id_ = ++last_id_;
    calls_.emplace(call->id_, call);
    connection_->Send(call->id_, std::move(request), call.get(), deadline);
  }
  void SendMore(uint64_t id, SharedBytes frame) {
    if (connection_ != nullptr) connection_->SendMore(id, std::move(frame));
  }
  void EndBody(uint64_t id) {
    if (connection_ != nullptr) connection_->EndBody(id);
  }
  void Cancel(uint64_t id) {
    if (connection_ != nullptr) connection_->Cancel(id);
    calls_.erase(id);
  }
  void Forget(uint64_t id) { calls_.erase(id); }

  // Nobody will begin another call.
  void Release() {
    if (connection_ == nullptr) return;
    if (calls_.empty() && !is_open_) return Close("the channel was let go of");
    connection_->Drain();
  }
  void Close(std::string why) {
    is_over_ = true;
    if (connection_ != nullptr)
      connection_->Close(Status(StatusReason::kServiceUnavailable, std::move(why)));
  }

 private:
  // Holds what is gone until the loop has no more to do with it.
  struct Keeper final : net::EventLoop::Watcher {
    explicit Keeper(std::shared_ptr<GrpcConnection> kept) : connection(std::move(kept)) {}
    void OnEvents(uint32_t) override {}
    const std::shared_ptr<GrpcConnection> connection;
  };

  void Connect() {
    connections_->open.insert(shared_from_this());
    connection_ = std::make_unique<net::ClientConnection>(*loop_, *this, shared_);
    connection_->Start();
  }

  void OnRoom(net::ClientConnection&) override {}
  void OnReturned(std::unique_ptr<net::ClientStream>) override {}
  void OnStateChange(net::ClientConnection& connection) override {
    is_open_ = true;
    ready_ = connection.is_usable();
  }
  void OnClosed(net::ClientConnection&) override {
    is_over_ = true;
    ready_ = false;
    loop_->Retire(std::move(connection_));
    // Its buffers are here, and may be in use up the stack.
    loop_->Retire(std::make_unique<Keeper>(shared_from_this()));
    connections_->open.erase(shared_from_this());
  }

  const std::shared_ptr<net::EventLoop> loop_;
  const std::shared_ptr<GrpcClient::Connections> connections_;
  const GrpcChannelOptions options_;
  net::HttpHeaders headers_;
  net::ClientShared shared_;
  std::unique_ptr<net::ClientConnection> connection_;
  std::map<uint64_t, std::shared_ptr<GrpcCall>> calls_;
  uint64_t last_id_ = 0;
  bool is_open_ = false;  // or has been
  bool is_over_ = false;
  std::atomic<bool> ready_ = false;
};

// ---- Calls

GrpcCall::GrpcCall(std::shared_ptr<GrpcConnection> connection,
                   std::shared_ptr<GrpcCallHandler> handler, size_t max_message_bytes)
    : connection_(std::move(connection)),
      handler_(std::move(handler)),
      max_message_bytes_(max_message_bytes) {}

void GrpcCall::Send(SharedBytes frame) {
  unsent_.fetch_add(1, std::memory_order_relaxed);
  connection_->loop().Post([self = shared_from_this(), frame = std::move(frame)]() mutable {
    if (self->handler_ == nullptr) return;
    ++self->handed_over_;
    self->connection_->SendMore(self->id_, std::move(frame));
  });
}

void GrpcCall::EndInput() {
  connection_->loop().Post([self = shared_from_this()] {
    if (self->handler_ != nullptr) self->connection_->EndBody(self->id_);
  });
}

void GrpcCall::Cancel() {
  connection_->loop().Post([self = shared_from_this()] {
    self->Abandon({GrpcCode::kCanceled, "the call was cancelled"});
  });
}

void GrpcCall::Abandon(const GrpcStatus& status) {
  if (handler_ == nullptr) return;
  const auto self = shared_from_this();
  connection_->Cancel(id_);
  End(status);
}

void GrpcCall::End(const GrpcStatus& status) {
  const auto self = shared_from_this();
  connection_->Forget(id_);
  if (const auto handler = std::exchange(handler_, nullptr)) handler->OnEnd(status);
}

void GrpcCall::OnHead(int code, const net::HttpHeaders& headers) {
  code_ = code;
  is_grpc_ = headers.Get("content-type").starts_with("application/grpc");
  status_ = ReadGrpcStatus(headers);  // of an answer that is nothing else
  const std::string_view name = headers.Get("grpc-encoding");
  const auto encoding = ParseGrpcEncoding(name);
  if (!encoding)
    return Abandon(
        {GrpcCode::kInternal,
         "the server sends messages in an encoding that nobody asked for: " + std::string(name)});
  reader_.emplace(max_message_bytes_, *encoding);
}

void GrpcCall::OnBody(std::string_view bytes) {
  if (code_ != kHttpOk || !is_grpc_ || handler_ == nullptr) return;
  const auto handler = handler_;
  const GrpcStatus read =
      reader_->Read(bytes, [&](std::string_view message) { handler->OnMessage(message); });
  if (!read.ok()) Abandon(read);
}

void GrpcCall::OnTrailers(const net::HttpHeaders& trailers) { status_ = ReadGrpcStatus(trailers); }

void GrpcCall::OnBodyTaken() {
  unsent_.fetch_sub(std::exchange(handed_over_, 0), std::memory_order_relaxed);
}

void GrpcCall::OnEnd(Result<void> outcome) { End(FinalStatus(outcome)); }

GrpcStatus GrpcCall::FinalStatus(const Result<void>& outcome) const {
  // A server may reset a stream once it has answered.
  if (status_ && (!status_->ok() || outcome)) {
    if (status_->ok() && reader_ && reader_->is_within_message())
      return {GrpcCode::kInternal, "the last message is not complete"};
    return *status_;
  }
  if (!outcome && outcome.error().reason() == StatusReason::kTimeout) return GrpcDeadlineExceeded();
  if (!outcome) return Unavailable(outcome.error().message());
  if (code_ != kHttpOk) return StatusOfHttp(code_);
  if (!is_grpc_)
    return {GrpcCode::kUnknown, "the server does not speak gRPC: its answer is of another type"};
  return {GrpcCode::kInternal, "the answer has no status"};
}

// ---- Channels

GrpcChannel::GrpcChannel(std::shared_ptr<GrpcConnection> connection)
    : connection_(std::move(connection)) {}

GrpcChannel::~GrpcChannel() {
  connection_->loop().Post([connection = connection_] { connection->Release(); });
}

bool GrpcChannel::is_ready() const { return connection_->ready(); }

std::shared_ptr<GrpcCall> GrpcChannel::Start(GrpcCallOptions options, SharedBytes first,
                                             bool is_only,
                                             std::shared_ptr<GrpcCallHandler> handler) {
  std::shared_ptr<GrpcCall> call(
      new GrpcCall(connection_, std::move(handler), connection_->max_message_bytes()));
  const Duration timeout = options.timeout;
  net::ClientRequest request{.method = "POST",
                             .path = std::move(options.path),
                             .headers = std::move(options.metadata),
                             .body = std::move(first),
                             .streams_body = !is_only,
                             .timeout = timeout};
  Duration deadline = Clock::kForever;
  if (timeout != Clock::kForever) {
    request.headers.Add("grpc-timeout", FormatGrpcTimeout(timeout));
    deadline = connection_->loop().clock().Monotonic() + timeout;
  }
  connection_->loop().Post(
      [connection = connection_, call, request = std::move(request), deadline]() mutable {
        connection->Begin(call, std::move(request), deadline);
      });
  return call;
}

// ---- Clients

Result<std::unique_ptr<GrpcClient>> GrpcClient::Start(Clock& clock, std::string thread_name) {
  SKIFF_ASSIGN_OR_RETURN(std::shared_ptr<net::EventLoop> loop, net::EventLoop::Create(clock));
  std::unique_ptr<GrpcClient> client(new GrpcClient(loop));
  loop->Start(std::move(thread_name));
  return client;
}

std::shared_ptr<GrpcChannel> GrpcClient::MakeChannel(GrpcChannelOptions options) {
  return std::shared_ptr<GrpcChannel>(
      new GrpcChannel(std::make_shared<GrpcConnection>(loop_, connections_, std::move(options))));
}

void GrpcClient::Stop() {
  if (std::exchange(stopped_, true)) return;
  std::latch closed(1);
  loop_->Post([this, &closed] {
    connections_->closed = true;
    const auto open = connections_->open;
    for (const auto& connection : open) connection->Close("the client was closed");
    closed.count_down();
  });
  closed.wait();
  loop_->Stop();
}

}  // namespace skiff::grpc
