#include "net/client/client_connection.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/x509.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/descriptors.h"
#include "net/send.h"

namespace skiff::net {
namespace {

// The number of the error.
int ConnectTo(const sockaddr_storage& address, socklen_t size, UniqueFd& fd) {
  fd = UniqueFd(socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return errno;
  const int on = 1;
  if (address.ss_family != AF_UNIX) setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  const int done = connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), size);
  return done == 0 || errno == EINPROGRESS ? 0 : errno;
}

int ConnectToPath(const std::string& path, UniqueFd& fd) {
  sockaddr_storage storage{};
  auto* address = reinterpret_cast<sockaddr_un*>(&storage);
  if (path.size() >= sizeof(address->sun_path)) return ENAMETOOLONG;
  address->sun_family = AF_UNIX;
  path.copy(address->sun_path, path.size());
  return ConnectTo(storage, sizeof(*address), fd);
}

int ConnectToAddress(const IpAddress& address, uint16_t port, UniqueFd& fd) {
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
  return ConnectTo(storage, size, fd);
}

// HTTP/1.1 has no way to ask a silent server whether it is there; the kernel asks its machine.
void KeepAlive(int fd) {
  const int on = 1;
  const int seconds = static_cast<int>(limits::kClientPingAfter.count());
  const int probes = 2;
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof(seconds));
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &seconds, sizeof(seconds));
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
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

ClientConnection::ClientConnection(EventLoop& loop, Owner& owner, ClientShared& shared)
    : loop_(loop), owner_(owner), shared_(shared) {}

ClientConnection::~ClientConnection() {
  if (timer_) loop_.CancelTimer(*timer_);
  for (const auto& [id, stream] : streams_)
    if (stream->timer) loop_.CancelTimer(*stream->timer);
}

void ClientConnection::Start() {
  SetTimer(shared_.times.connect);
  Connect();
}

// Tries the addresses one after the other. That none works is told later, so that nobody hears of a
// request's end while sending it.
void ClientConnection::Connect() {
  const ClientEndpoint& endpoint = shared_.endpoint;
  const size_t count = endpoint.unix_path.empty() ? endpoint.addresses.size() : 1;
  while (next_address_ < count) {
    const int error = StartConnecting();
    connecting_ = error == 0 && loop_.Add(fd_.get(), this).has_value();
    if (connecting_) return;
    address_fault_ = std::generic_category().message(error);
  }
  fd_.Reset();
  WantTurn();
}

// A socket that is on its way to the next address, or the number of the error.
int ClientConnection::StartConnecting() {
  const ClientEndpoint& endpoint = shared_.endpoint;
  const size_t next = next_address_++;
  const int error = endpoint.unix_path.empty()
                        ? ConnectToAddress(endpoint.addresses[next], endpoint.port, fd_)
                        : ConnectToPath(endpoint.unix_path, fd_);
  if (error != 0 || shared_.is_of_store || LeavesEnoughForStore(fd_.get())) return error;
  fd_.Reset();
  return EMFILE;
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
  if (shared_.tls == nullptr) return OnOpen();
  SSL* ssl = shared_.tls->NewSession(shared_.endpoint);
  if (ssl == nullptr) return Break("TLS cannot begin");
  tls_ = std::make_unique<TlsSession>(ssl, TlsSession::Side::kClient);
  OnSocketBytes({});
}

void ClientConnection::Break(const std::string& why) {
  Close(Status(StatusReason::kServiceUnavailable, WithEndpoint(why)));
}

std::string ClientConnection::WithEndpoint(const std::string& why) const {
  return shared_.endpoint.ToString() + ": " + why;
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
  std::vector<ClientStream*> ended;
  for (const auto& [id, stream] : streams_) ended.push_back(stream.get());
  owner_.OnClosed(*this);
  for (ClientStream* stream : ended) Finish(*stream, std::unexpected(FaultOf(*stream, why)));
}

Status ClientConnection::FaultOf(const ClientStream& stream, const Status& why) {
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
    if (protocol_ != nullptr && !protocol_->wants_input()) return;
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
    if (got == 0) return OnServerClosed();
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
  heard_ = loop_.now();
  if (shared_.tls != nullptr) return OnTlsBytes(bytes);
  OnPlainBytes(bytes);
  if (!closed_) WantTurn();
}

void ClientConnection::OnTlsBytes(std::string_view bytes) {
  ByteBuffer& plain = shared_.plain;
  ByteBuffer& sealed = shared_.sealed;
  plain.Clear();
  sealed.Clear();
  const auto state = tls_->Receive(bytes, plain, sealed);
  if (!sealed.empty() && !SendToSocket(sealed.view()))
    return Break(std::generic_category().message(errno));
  if (state == TlsSession::State::kHandshake) return;
  if (state == TlsSession::State::kFailed) return BreakTls();
  if (!open_) OnOpen();
  if (!closed_ && !plain.empty()) OnPlainBytes(plain.view());
  if (closed_) return;
  if (state == TlsSession::State::kEnded) return OnServerClosed();
  WantTurn();
}

void ClientConnection::OnPlainBytes(std::string_view bytes) {
  const Result<void> read = protocol_->Receive(bytes);
  if (!closed_ && !read) Break(read.error().message());
}

// Some answers end so.
void ClientConnection::OnServerClosed() {
  if (protocol_ != nullptr) protocol_->OnInputEnd();
  if (!closed_) Break("the server closed the connection");
}

void ClientConnection::OnOpen() {
  open_ = true;
  heard_ = loop_.now();
  SetTimer(shared_.times.ping_after);
  if (shared_.only_http2 && tls_ != nullptr && !tls_->speaks_http2())
    return Break("the server does not speak HTTP/2");
  ChooseProtocol();
  WantTurn();
  owner_.OnStateChange(*this);
}

// Requests that were taken before anybody knew may be more than there is room for.
void ClientConnection::ChooseProtocol() {
  shared_.http1 = !shared_.only_http2 && (tls_ == nullptr || !tls_->speaks_http2());
  const ClientProtocol::Common common{
      .endpoint = shared_.endpoint, .headers = shared_.headers, .window = shared_.window};
  protocol_ = shared_.http1 ? MakeHttp1ClientProtocol(common, *this)
                            : MakeHttp2ClientProtocol(common, *this);
  if (shared_.http1) KeepAlive(fd_.get());
  const size_t room = shared_.only_http2 ? streams_.size() : protocol_->room();
  size_t taken = 0;
  for (auto at = streams_.begin(); at != streams_.end();) {
    if (taken++ < room) {
      protocol_->Submit(*at->second);
      ++at;
      continue;
    }
    std::unique_ptr<ClientStream> returned = std::move(at->second);
    at = streams_.erase(at);
    if (returned->timer) loop_.CancelTimer(*returned->timer);
    returned->timer.reset();
    owner_.OnReturned(std::move(returned));
  }
}

void ClientConnection::OnTurnEnd() {
  has_turn_ = false;
  if (closed_) return;
  if (!fd_) return Break(address_fault_.empty() ? "it has no address" : address_fault_);
  if (readable_) ReadInput();
  if (!closed_ && open_) Flush();
}

bool ClientConnection::SendToSocket(std::string_view bytes) {
  if (pending_.empty() && !SendNow(fd_, bytes)) return false;
  pending_.Append(bytes);
  return true;
}

bool ClientConnection::SendPending() {
  std::string_view rest = pending_.view().substr(pending_at_);
  const bool is_whole = SendNow(fd_, rest);
  pending_at_ = pending_.size() - rest.size();
  if (!is_whole || !rest.empty()) return is_whole;
  pending_.Clear();
  pending_at_ = 0;
  return true;
}

void ClientConnection::Flush() {
  if (!SendPending()) return Break(std::generic_category().message(errno));
  while (pending_.empty()) {
    ByteBuffer& plain = shared_.plain;
    plain.Clear();
    const Result<void> filled = protocol_->Fill(plain);
    if (closed_) return;
    if (!filled) return Break(filled.error().message());
    if (plain.empty()) break;
    ByteBuffer& sealed = tls_ == nullptr ? plain : shared_.sealed;
    if (tls_ != nullptr) {
      sealed.Clear();
      if (!tls_->Send(plain.view(), sealed)) return Break(TlsFault());
    }
    if (!SendToSocket(sealed.view())) return Break(std::generic_category().message(errno));
  }
  if (protocol_->room() == 0) BeginDraining();
  if (draining_ && streams_.empty()) Break("the connection is at its end");
}

void ClientConnection::BeginDraining() {
  if (std::exchange(draining_, true)) return;
  owner_.OnStateChange(*this);
}

void ClientConnection::SetTimer(Duration after) {
  if (timer_) loop_.CancelTimer(*timer_);
  timer_ = loop_.AddTimer(loop_.clock().Monotonic() + after, [this] { OnTimer(); });
}

void ClientConnection::OnTimer() {
  timer_.reset();
  if (!open_) return Break("no connection in time");
  const ClientTimes& times = shared_.times;
  const Duration silent = loop_.now() - heard_;
  if (streams_.empty() && silent >= times.idle)
    return Break("the connection was not used for long");
  const bool is_asked = pinged_ > heard_;
  // What has come and was not read yet, since this loop was late, counts as a word.
  if (!streams_.empty() && !readable_ && silent >= times.ping_after) {
    if (is_asked && loop_.now() - pinged_ >= times.ping_timeout)
      return Break("the server has fallen silent");
    if (!is_asked && protocol_->Ping()) pinged_ = loop_.now();
    WantTurn();
  }
  const bool awaits_ping = pinged_ > heard_;
  SetTimer(awaits_ping ? std::min(times.ping_after, times.ping_timeout) : times.ping_after);
}

bool ClientConnection::HasRoom(size_t streams_wanted) const {
  if (closed_ || draining_) return false;
  const size_t room = protocol_ != nullptr ? protocol_->room() : shared_.http1 ? 1 : streams_wanted;
  return streams_.size() < std::min(streams_wanted, room);
}

void ClientConnection::Send(uint64_t id, ClientRequest request, ResponseHandler* handler,
                            Duration deadline) {
  auto made = std::make_unique<ClientStream>();
  ClientStream& stream = *made;
  stream.id = id;
  stream.handler = handler;
  stream.request = std::move(request);
  stream.body_ended = !stream.request.streams_body;
  stream.deadline = deadline;
  if (deadline != Clock::kForever)
    stream.timer = loop_.AddTimer(deadline, [this, &stream] { OnDeadline(stream); });
  streams_.emplace(id, std::move(made));
  if (protocol_ != nullptr) protocol_->Submit(stream);
  WantTurn();
}

void ClientConnection::OnDeadline(ClientStream& stream) {
  stream.timer.reset();
  const uint64_t id = stream.id;
  if (protocol_ != nullptr) protocol_->Reset(stream);
  WantTurn();
  Finish(stream, Fail(StatusReason::kTimeout, WithEndpoint("no answer within the time given")));
  if (protocol_ == nullptr) streams_.erase(id);
}

void ClientConnection::SendMore(uint64_t id, SharedBytes bytes) {
  const auto found = streams_.find(id);
  if (found == streams_.end() || found->second->body_ended || bytes.empty()) return;
  found->second->more.push_back(std::move(bytes));
  if (protocol_ != nullptr) protocol_->OnMoreBody(*found->second);
  WantTurn();
}

void ClientConnection::EndBody(uint64_t id) {
  const auto found = streams_.find(id);
  if (found == streams_.end() || std::exchange(found->second->body_ended, true)) return;
  if (protocol_ != nullptr) protocol_->OnMoreBody(*found->second);
  WantTurn();
}

void ClientConnection::Hold(uint64_t id, bool held) {
  const auto found = streams_.find(id);
  if (found == streams_.end() || std::exchange(found->second->held, held) == held) return;
  if (protocol_ != nullptr) protocol_->OnHeld(*found->second);
  WantTurn();
}

bool ClientConnection::Cancel(uint64_t id) {
  const auto found = streams_.find(id);
  if (found == streams_.end() || found->second->handler == nullptr) return false;
  ClientStream& stream = *found->second;
  stream.handler = nullptr;
  if (protocol_ != nullptr) {
    protocol_->Reset(stream);
    WantTurn();
    return true;
  }
  if (stream.timer) loop_.CancelTimer(*stream.timer);
  streams_.erase(found);
  return true;
}

void ClientConnection::Drain() {
  draining_ = true;
  WantTurn();
}

void ClientConnection::Finish(ClientStream& stream, Result<void> outcome) {
  if (stream.timer) loop_.CancelTimer(*stream.timer);
  stream.timer.reset();
  ResponseHandler* handler = std::exchange(stream.handler, nullptr);
  if (handler != nullptr) handler->OnEnd(std::move(outcome));
}

void ClientConnection::OnStreamEnd(ClientStream& stream, Result<void> outcome) {
  const auto found = streams_.find(stream.id);
  if (found == streams_.end()) return;
  const std::unique_ptr<ClientStream> owned = std::move(found->second);
  streams_.erase(found);
  if (!outcome) {
    const Status why(outcome.error().reason(), WithEndpoint(outcome.error().message()));
    outcome = std::unexpected(FaultOf(*owned, why));
  }
  Finish(*owned, std::move(outcome));
  if (!closed_) owner_.OnRoom(*this);
}

}  // namespace skiff::net
