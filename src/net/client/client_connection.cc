#include "net/client/client_connection.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/x509.h>
#include <sys/epoll.h>
#include <sys/socket.h>

namespace skiff {
namespace {

std::string_view View(const uint8_t* bytes, size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

nghttp2_nv NameValue(std::string_view name, std::string_view value) {
  // nghttp2 copies both before it returns.
  return {.name = reinterpret_cast<uint8_t*>(const_cast<char*>(name.data())),
          .value = reinterpret_cast<uint8_t*>(const_cast<char*>(value.data())),
          .namelen = name.size(),
          .valuelen = value.size(),
          .flags = NGHTTP2_NV_FLAG_NONE};
}

// A socket that is on its way to the address, or the number of the error.
int StartConnecting(const IpAddress& address, uint16_t port, UniqueFd& fd) {
  sockaddr_storage storage{};
  socklen_t size = 0;
  if (address.is_v4()) {
    auto* v4 = reinterpret_cast<sockaddr_in*>(&storage);
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    std::memcpy(&v4->sin_addr, address.bytes(), address.size());
    size = sizeof(*v4);
  } else {
    auto* v6 = reinterpret_cast<sockaddr_in6*>(&storage);
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    std::memcpy(&v6->sin6_addr, address.bytes(), address.size());
    size = sizeof(*v6);
  }
  fd = UniqueFd(socket(storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return errno;
  const int on = 1;
  setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  const int done = connect(fd.get(), reinterpret_cast<const sockaddr*>(&storage), size);
  return done == 0 || errno == EINPROGRESS ? 0 : errno;
}

// What whoever runs the client can do about a certificate of a server.
std::string_view AdviceOn(long fault) {
  switch (fault) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return "; it must be renewed on the server, unless the clock here is wrong";
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return "; the clock here or that of who made it is wrong";
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
      return "; the CA that this client was given is not the one that signed it";
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return "; use a name or address that it is for, or set tls-server-name to one";
    default:
      return "";
  }
}

}  // namespace

// The C side. `user` is the connection.
struct ClientConnection::Callbacks {
  static ClientConnection& Self(void* user) { return *static_cast<ClientConnection*>(user); }
  static Stream* StreamOf(nghttp2_session* session, int32_t id) {
    return static_cast<Stream*>(nghttp2_session_get_stream_user_data(session, id));
  }

  static int OnHeader(nghttp2_session* session, const nghttp2_frame* frame, const uint8_t* name,
                      size_t name_size, const uint8_t* value, size_t value_size, uint8_t flags,
                      void* user) {
    static_cast<void>(flags);
    if (frame->hd.type != NGHTTP2_HEADERS) return 0;
    Stream* stream = StreamOf(session, frame->hd.stream_id);
    if (stream == nullptr || stream->handler == nullptr) return 0;
    return Self(user).OnField(*stream, View(name, name_size), View(value, value_size));
  }

  static int OnFrameRecv(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
    ClientConnection& self = Self(user);
    if (frame->hd.type == NGHTTP2_HEADERS) {
      Stream* stream = StreamOf(session, frame->hd.stream_id);
      if (stream != nullptr) self.OnHead(*stream);
    } else if (frame->hd.type == NGHTTP2_GOAWAY) {
      self.draining_ = true;
    } else if (frame->hd.type == NGHTTP2_SETTINGS) {
      self.owner_.OnRoom(self);
    }
    return 0;
  }

  static int OnFrameSent(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
    static_cast<void>(user);
    if (frame->hd.type != NGHTTP2_HEADERS) return 0;
    if (Stream* stream = StreamOf(session, frame->hd.stream_id)) stream->sent = true;
    return 0;
  }

  static int OnData(nghttp2_session* session, uint8_t flags, int32_t id, const uint8_t* data,
                    size_t size, void* user) {
    static_cast<void>(flags);
    static_cast<void>(user);
    Stream* stream = StreamOf(session, id);
    if (stream != nullptr && stream->handler != nullptr) stream->handler->OnBody(View(data, size));
    return 0;
  }

  static int OnClose(nghttp2_session* session, int32_t id, uint32_t error, void* user) {
    Self(user).OnStreamClosed(id, StreamOf(session, id), error);
    return 0;
  }

  static ssize_t ReadBody(nghttp2_session* session, int32_t id, uint8_t* out, size_t length,
                          uint32_t* flags, nghttp2_data_source* source, void* user) {
    static_cast<void>(session);
    static_cast<void>(id);
    static_cast<void>(user);
    auto& stream = *static_cast<Stream*>(source->ptr);
    const std::string_view left = stream.body.view().substr(stream.body_sent);
    const size_t take = std::min(length, left.size());
    std::copy_n(left.data(), take, out);
    stream.body_sent += take;
    if (take == left.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(take);
  }

  static nghttp2_session_callbacks* Get() {
    static nghttp2_session_callbacks* const callbacks = [] {
      nghttp2_session_callbacks* made = nullptr;
      nghttp2_session_callbacks_new(&made);
      nghttp2_session_callbacks_set_on_header_callback(made, OnHeader);
      nghttp2_session_callbacks_set_on_frame_recv_callback(made, OnFrameRecv);
      nghttp2_session_callbacks_set_on_frame_send_callback(made, OnFrameSent);
      nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, OnData);
      nghttp2_session_callbacks_set_on_stream_close_callback(made, OnClose);
      return made;
    }();
    return callbacks;
  }
};

ClientConnection::ClientConnection(EventLoop& loop, Owner& owner, ClientShared& shared)
    : loop_(loop), owner_(owner), shared_(shared) {
  nghttp2_session_client_new(&session_, Callbacks::Get(), this);
  const std::array settings = {nghttp2_settings_entry{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
                               nghttp2_settings_entry{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE,
                                                      uint32_t{limits::kClientStreamWindowBytes}},
                               nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE,
                                                      uint32_t{limits::kMaxHttpHeaderBytes}}};
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0,
                                        limits::kClientConnectionWindowBytes);
}

ClientConnection::~ClientConnection() {
  if (timer_) loop_.CancelTimer(*timer_);
  for (const auto& [id, stream] : streams_)
    if (stream->timer) loop_.CancelTimer(*stream->timer);
  nghttp2_session_del(session_);
}

void ClientConnection::Start() {
  SetTimer(limits::kClientConnectTimeout);
  Connect();
}

// Tries the addresses one after the other. That none works is told later, so that nobody hears of a
// request's end while sending it.
void ClientConnection::Connect() {
  const auto& addresses = shared_.endpoint.addresses;
  while (next_address_ < addresses.size()) {
    const IpAddress& address = addresses[next_address_++];
    const int error = StartConnecting(address, shared_.endpoint.port, fd_);
    connecting_ = error == 0 && loop_.Add(fd_.get(), this).has_value();
    if (connecting_) return;
    address_fault_ = std::generic_category().message(error);
  }
  fd_.Reset();
  WantTurn();
}

void ClientConnection::FailAddress(const std::string& why) {
  loop_.Remove(fd_.get());
  fd_.Reset();
  tls_.reset();
  connecting_ = false;
  address_fault_ = why;
  Connect();
}

void ClientConnection::OnConnected() {
  int error = 0;
  socklen_t size = sizeof(error);
  getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return FailAddress(std::generic_category().message(error));
  connecting_ = false;
  SSL* ssl = shared_.tls.NewSession(shared_.endpoint);
  if (ssl == nullptr) return Break("TLS cannot begin");
  tls_ = std::make_unique<TlsSession>(ssl, TlsSession::Side::kClient);
  OnSocketBytes({});
}

void ClientConnection::Break(const std::string& why) {
  Close(Status(StatusReason::kServiceUnavailable, shared_.endpoint.ToString() + ": " + why));
}

void ClientConnection::BreakTls() {
  Status why(StatusReason::kServiceUnavailable, shared_.endpoint.ToString() + ": " + TlsFault());
  if (!open_ && SSL_get_verify_result(tls_->ssl()) != X509_V_OK)
    why.AddCause({.reason = std::string(kUntrustedServer), .message = {}, .field = {}});
  Close(why);
}

void ClientConnection::Close(const Status& why) {
  if (std::exchange(closed_, true)) return;
  if (timer_) loop_.CancelTimer(*timer_);
  timer_.reset();
  if (fd_) loop_.Remove(fd_.get());
  std::vector<Stream*> ended;
  for (const auto& [id, stream] : streams_) ended.push_back(stream.get());
  owner_.OnClosed(*this);
  for (Stream* stream : ended) Finish(*stream, std::unexpected(FaultOf(*stream, why)));
}

Status ClientConnection::FaultOf(const Stream& stream, const Status& why) {
  return stream.sent ? Status(StatusReason::kServerTimeout, why.message()) : why;
}

void ClientConnection::WantTurn() {
  if (has_turn_ || closed_) return;
  has_turn_ = true;
  loop_.AtTurnEnd(this);
}

void ClientConnection::OnEvents(uint32_t events) {
  if (closed_) return;
  if (connecting_) {
    if ((events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) == 0) return;
    OnConnected();
    if (closed_ || connecting_ || !fd_) return;
  }
  if ((events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) readable_ = true;
  if ((events & EPOLLOUT) != 0 && !pending_.empty()) WantTurn();
  if (readable_) ReadInput();
}

void ClientConnection::ReadInput() {
  for (int i = 0; readable_ && !closed_ && !input_ended_; ++i) {
    if (i == limits::kHttpPiecesPerTurn) return WantTurn();
    ByteBuffer& input = shared_.input;
    input.Clear();
    char* to = input.Reserve(limits::kHttpReadBytes);
    const ssize_t got = recv(fd_.get(), to, limits::kHttpReadBytes, 0);
    if (got < 0) {
      if (errno == EINTR) continue;
      readable_ = false;
      if (errno == EAGAIN || errno == EWOULDBLOCK) return;
      return Break(std::generic_category().message(errno));
    }
    if (got == 0) return Break("the server closed the connection");
    OnSocketBytes({to, static_cast<size_t>(got)});
  }
}

std::string ClientConnection::TlsFault() const {
  const long verified = SSL_get_verify_result(tls_->ssl());
  if (!open_ && verified != X509_V_OK)
    return std::string("its certificate is not trusted: ") +
           X509_verify_cert_error_string(verified) + std::string(AdviceOn(verified));
  const char* reason = tls_->failure();
  std::string text =
      std::string("TLS failed") + (reason != nullptr ? std::string(": ") + reason : "");
  if (text.ends_with("alert certificate expired"))
    text += "; the certificate of this client must be renewed";
  return text;
}

void ClientConnection::OnSocketBytes(std::string_view bytes) {
  ByteBuffer& plain = shared_.plain;
  ByteBuffer& sealed = shared_.sealed;
  plain.Clear();
  sealed.Clear();
  heard_ = loop_.now();
  const auto state = tls_->Receive(bytes, plain, sealed);
  if (!sealed.empty() && !SendToSocket(sealed.view()))
    return Break(std::generic_category().message(errno));
  if (state == TlsSession::State::kHandshake) return;
  if (state == TlsSession::State::kFailed) return BreakTls();
  if (!open_) {
    if (!tls_->speaks_http2()) return Break("the server does not speak HTTP/2");
    OnOpen();
  }
  if (!plain.empty()) {
    const ssize_t used = nghttp2_session_mem_recv(
        session_, reinterpret_cast<const uint8_t*>(plain.data()), plain.size());
    if (closed_) return;
    if (used < 0) return Break(std::string("HTTP/2: ") + nghttp2_strerror(static_cast<int>(used)));
  }
  if (state == TlsSession::State::kEnded) return Break("the server closed the connection");
  WantTurn();
}

void ClientConnection::OnOpen() {
  open_ = true;
  SetTimer(limits::kClientPingAfter);
}

void ClientConnection::OnTurnEnd() {
  has_turn_ = false;
  if (closed_) return;
  if (!fd_) return Break(address_fault_.empty() ? "it has no address" : address_fault_);
  if (readable_) ReadInput();
  if (!closed_ && open_) Flush();
}

bool ClientConnection::SendToSocket(std::string_view bytes) {
  while (pending_.empty() && !bytes.empty()) {
    const ssize_t sent = send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<size_t>(sent));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      break;
    } else if (errno != EINTR) {
      return false;
    }
  }
  pending_.Append(bytes);
  return true;
}

bool ClientConnection::SendPending() {
  while (pending_at_ < pending_.size()) {
    const std::string_view bytes = pending_.view().substr(pending_at_);
    const ssize_t sent = send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      pending_at_ += static_cast<size_t>(sent);
    } else if (errno != EINTR) {
      return errno == EAGAIN || errno == EWOULDBLOCK;
    }
  }
  pending_.Clear();
  pending_at_ = 0;
  return true;
}

void ClientConnection::Flush() {
  if (!SendPending()) return Break(std::generic_category().message(errno));
  while (pending_.empty()) {
    ByteBuffer& plain = shared_.plain;
    plain.Clear();
    while (plain.size() < limits::kHttpWriteBytes) {
      const uint8_t* bytes = nullptr;
      const ssize_t size = nghttp2_session_mem_send(session_, &bytes);
      if (size < 0)
        return Break(std::string("HTTP/2: ") + nghttp2_strerror(static_cast<int>(size)));
      if (closed_) return;
      if (size == 0) break;
      plain.Append(View(bytes, static_cast<size_t>(size)));
    }
    if (plain.empty()) break;
    ByteBuffer& sealed = shared_.sealed;
    sealed.Clear();
    if (!tls_->Send(plain.view(), sealed)) return Break(TlsFault());
    if (!SendToSocket(sealed.view())) return Break(std::generic_category().message(errno));
  }
  // Neither lets new requests in: a server that said goodbye, and ids of streams that have run out.
  if (nghttp2_session_check_request_allowed(session_) == 0) draining_ = true;
  if (draining_ && streams_.empty()) return Break("the connection is at its end");
  if (nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0)
    Break("the server broke the rules of HTTP/2, or found that this client did");
}

void ClientConnection::SetTimer(Duration after) {
  if (timer_) loop_.CancelTimer(*timer_);
  timer_ = loop_.AddTimer(loop_.clock().Monotonic() + after, [this] { OnTimer(); });
}

void ClientConnection::OnTimer() {
  timer_.reset();
  if (!open_) return Break("no connection in time");
  const Duration silent = loop_.now() - heard_;
  if (streams_.empty() && silent >= limits::kClientIdleTimeout)
    return Break("the connection was not used for long");
  if (!streams_.empty() && silent >= limits::kClientPingAfter) {
    if (pinged_ > heard_) return Break("the server has fallen silent");
    pinged_ = loop_.now();
    nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr);
    WantTurn();
  }
  SetTimer(limits::kClientPingAfter);
}

bool ClientConnection::HasRoom(size_t streams_wanted) const {
  if (closed_ || draining_ || nghttp2_session_check_request_allowed(session_) == 0) return false;
  const uint32_t remote =
      nghttp2_session_get_remote_settings(session_, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
  return streams_.size() < std::min<size_t>(streams_wanted, remote);
}

void ClientConnection::Send(uint64_t id, ClientRequest request, ResponseHandler* handler,
                            Duration deadline) {
  auto stream = std::make_unique<Stream>();
  stream->id = id;
  stream->handler = handler;
  stream->body = std::move(request.body);
  const std::string path = shared_.endpoint.base_path + request.path;
  std::vector<nghttp2_nv> fields = {
      NameValue(":method", request.method), NameValue(":scheme", "https"),
      NameValue(":authority", shared_.endpoint.authority), NameValue(":path", path)};
  for (const HttpHeaders* headers : {&shared_.headers, &std::as_const(request.headers)})
    for (const HttpHeaders::Field& field : headers->fields())
      fields.push_back(NameValue(field.name, field.value));
  const std::string length = std::to_string(stream->body.size());
  if (!stream->body.empty()) fields.push_back(NameValue("content-length", length));
  nghttp2_data_provider provider{};
  provider.source.ptr = stream.get();
  provider.read_callback = Callbacks::ReadBody;
  stream->http2_id =
      nghttp2_submit_request(session_, nullptr, fields.data(), fields.size(),
                             stream->body.empty() ? nullptr : &provider, stream.get());
  if (stream->http2_id < 0) {
    // Only without memory or stream ids; whichever it is, this connection is of no more use.
    draining_ = true;
    stream->http2_id = 0;
  }
  if (deadline != Clock::kForever) {
    stream->timer = loop_.AddTimer(deadline, [this, raw = stream.get()] {
      raw->timer.reset();
      Reset(*raw);
      Finish(*raw, Fail(StatusReason::kTimeout,
                        shared_.endpoint.ToString() + ": no answer within the time given"));
    });
  }
  streams_.emplace(id, std::move(stream));
  WantTurn();
}

bool ClientConnection::Cancel(uint64_t id) {
  const auto found = streams_.find(id);
  if (found == streams_.end() || found->second->handler == nullptr) return false;
  found->second->handler = nullptr;
  Reset(*found->second);
  return true;
}

void ClientConnection::Reset(Stream& stream) {
  if (stream.http2_id != 0)
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream.http2_id, NGHTTP2_CANCEL);
  WantTurn();
}

int ClientConnection::OnField(Stream& stream, std::string_view name, std::string_view value) {
  stream.header_bytes += name.size() + value.size();
  if (stream.headers.fields().size() >= limits::kMaxHttpHeaderFields ||
      stream.header_bytes > limits::kMaxHttpHeaderBytes)
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  if (name == ":status") {
    std::from_chars(value.data(), value.data() + value.size(), stream.code);
  } else if (stream.code != 0) {
    stream.headers.Add(std::string(name), std::string(value));
  }
  return 0;
}

void ClientConnection::OnHead(Stream& stream) {
  if (stream.code >= 200 && stream.handler != nullptr)
    stream.handler->OnHead(stream.code, stream.headers);
  // What comes later are interim answers or trailers, in which nobody is interested.
  stream.headers = HttpHeaders();
  if (stream.code >= 200) stream.code = 0;
}

void ClientConnection::Finish(Stream& stream, Result<void> outcome) {
  if (stream.timer) loop_.CancelTimer(*stream.timer);
  stream.timer.reset();
  ResponseHandler* handler = std::exchange(stream.handler, nullptr);
  if (handler != nullptr) handler->OnEnd(std::move(outcome));
}

void ClientConnection::OnStreamClosed(int32_t http2_id, Stream* stream, uint32_t error) {
  static_cast<void>(http2_id);
  if (stream == nullptr) return;
  const auto found = streams_.find(stream->id);
  if (found == streams_.end()) return;
  const std::unique_ptr<Stream> owned = std::move(found->second);
  streams_.erase(found);
  if (error == NGHTTP2_NO_ERROR) {
    Finish(*owned, {});
  } else {
    // What a server refuses, or leaves undone when it says goodbye, has not been looked at.
    if (error == NGHTTP2_REFUSED_STREAM) owned->sent = false;
    const Status why(
        StatusReason::kServiceUnavailable,
        shared_.endpoint.ToString() + ": the request was reset: " + nghttp2_http2_strerror(error));
    Finish(*owned, std::unexpected(FaultOf(*owned, why)));
  }
  if (!closed_) owner_.OnRoom(*this);
}

}  // namespace skiff
