#include "net/connection.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/limits.h"
#include "net/send.h"

namespace skiff::net {
namespace {

// A deadline that has passed and is still there is looked at again after this.
constexpr std::chrono::milliseconds kOverdueRetry{10};
// As Go tells a client that has confused http with https.
constexpr std::string_view kPlainHttpAnswer =
    "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";

}  // namespace

Connection::Connection(ServingLoop& serving, ConnectionOwner& owner, UniqueFd fd,
                       std::string address, std::unique_ptr<TlsSession> tls)
    : serving_(serving),
      owner_(owner),
      loop_(*serving.loop),
      fd_(std::move(fd)),
      tls_(std::move(tls)),
      pending_memory_(serving.service.memory),
      began_(serving.loop->now()),
      since_(began_) {
  peer_.address = std::move(address);
}

Connection::~Connection() {
  if (timer_) loop_.CancelTimer(*timer_);
}

void Connection::Start() {
  if (!loop_.Add(fd_.get(), this)) return Close();
  UpdateTimer();
}

void Connection::Close() {
  if (closed_) return;
  closed_ = true;
  if (timer_) loop_.CancelTimer(*timer_);
  timer_.reset();
  loop_.Remove(fd_.get());
  owner_.OnClosed(this);
}

// So that the client sees an error and not an end.
void Connection::Abort() {
  if (closed_) return;
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  Close();
}

void Connection::WantTurn() {
  if (has_turn_ || closed_) return;
  has_turn_ = true;
  loop_.AtTurnEnd(this);
}

void Connection::OnEvents(uint32_t events) {
  if (closed_) return;
  if ((events & (EPOLLERR | EPOLLHUP)) != 0) return Close();
  if ((events & (EPOLLIN | EPOLLRDHUP)) != 0) readable_ = true;
  if ((events & EPOLLRDHUP) != 0) peer_has_ended_ = true;
  if ((events & EPOLLOUT) != 0 && !pending_.empty()) WantTurn();
  if (readable_) ReadInput();
  if (!closed_ && !has_turn_) UpdateTimer();
}

void Connection::ReadInput() {
  for (int i = 0; readable_ && !closed_ && !input_ended_; ++i) {
    if (protocol_ != nullptr && !lingering_ && !protocol_->wants_input()) return;
    if (i == limits::kHttpPiecesPerTurn || (i > 0 && loop_.overdue())) return WantTurn();
    ByteBuffer& input = serving_.input;
    input.Clear();
    char* to = input.Reserve(limits::kHttpReadBytes);
    const ssize_t got = recv(fd_.get(), to, limits::kHttpReadBytes, 0);
    if (got < 0) {
      if (errno == EINTR) continue;
      readable_ = false;
      if (errno != EAGAIN && errno != EWOULDBLOCK) Close();
      return;
    }
    if (got == 0) return OnInputEnd();
    // A short read means that there is no more, unless the end comes next.
    if (static_cast<size_t>(got) < limits::kHttpReadBytes && !peer_has_ended_) readable_ = false;
    if (!lingering_) OnSocketBytes({to, static_cast<size_t>(got)});
  }
}

void Connection::OnInputEnd() {
  readable_ = false;
  if (input_ended_) return;
  input_ended_ = true;
  if (lingering_ || protocol_ == nullptr) return Close();
  protocol_->OnInputEnd();
  WantTurn();
}

void Connection::OnSocketBytes(std::string_view bytes) {
  if (tls_ == nullptr) return OnPlainBytes(bytes);
  ByteBuffer& plain = serving_.plain_input;
  ByteBuffer& sealed_out = serving_.sealed_output;
  plain.Clear();
  sealed_out.Clear();
  const auto state = tls_->Receive(bytes, plain, sealed_out);
  if (tls_->heard_plain_http()) {
    SendToSocket(kPlainHttpAnswer);
    return Close();
  }
  // Answers are asked for only when nothing waits any more, but a client that makes TLS itself talk
  // and does not listen has to be stopped.
  if (!pending_.empty()) unasked_bytes_ += sealed_out.size();
  if (unasked_bytes_ > limits::kMaxHttpPendingBytes) return Close();
  if (!sealed_out.empty() && !SendToSocket(sealed_out.view())) return Close();
  if (state == TlsSession::State::kHandshake) return;
  if (state == TlsSession::State::kFailed) return Close();
  if (protocol_ == nullptr) {
    if (!owner_.ReadPeer(tls_->ssl(), peer_)) return Close();
    ChooseProtocol(tls_->speaks_http2());
  }
  if (!plain.empty()) protocol_->OnBytes(plain.view());
  if (state == TlsSession::State::kEnded && !closed_) OnInputEnd();
}

void Connection::OnPlainBytes(std::string_view bytes) {
  if (protocol_ != nullptr) return protocol_->OnBytes(bytes);
  // A plain client that knows that HTTP/2 is spoken here says so with its first bytes.
  preface_.append(bytes);
  const size_t compared = std::min(preface_.size(), kHttp2Preface.size());
  const bool matches = preface_.starts_with(kHttp2Preface.substr(0, compared));
  if (matches && compared < kHttp2Preface.size()) return;
  ChooseProtocol(matches);
  protocol_->OnBytes(preface_);
  std::string().swap(preface_);
}

void Connection::ChooseProtocol(bool http2) {
  protocol_ = http2 ? MakeHttp2(serving_, *this, peer_) : MakeHttp1(serving_, *this, peer_);
}

void Connection::OnTurnEnd() {
  has_turn_ = false;
  if (closed_) return;
  if (readable_) ReadInput();
  if (!closed_) Flush();
  if (!closed_) UpdateTimer();
}

bool Connection::SendToSocket(std::string_view bytes) {
  if (pending_.empty()) {
    since_ = loop_.now();
    if (!SendNow(fd_, bytes)) return false;
  }
  pending_.Append(bytes);
  pending_memory_.AddAnyway(bytes.size());
  return true;
}

bool Connection::SendPending() {
  std::string_view rest = pending_.view().substr(pending_at_);
  const bool is_whole = SendNow(fd_, rest);
  if (const size_t left_at = pending_.size() - rest.size(); left_at != pending_at_) {
    pending_at_ = left_at;
    since_ = loop_.now();
  }
  if (!is_whole || !rest.empty()) return is_whole;
  pending_ = ByteBuffer();
  pending_memory_.Clear();
  pending_at_ = 0;
  unasked_bytes_ = 0;
  return true;
}

bool Connection::SendPlain(std::string_view bytes) {
  if (tls_ == nullptr) return SendToSocket(bytes);
  ByteBuffer& sealed = serving_.sealed_output;
  sealed.Clear();
  return tls_->Send(bytes, sealed) && SendToSocket(sealed.view());
}

void Connection::Flush() {
  if (!SendPending()) return Close();
  if (protocol_ == nullptr || lingering_) return;
  for (int i = 0; pending_.empty(); ++i) {
    if (i == limits::kHttpPiecesPerTurn || (i > 0 && loop_.overdue())) return WantTurn();
    ByteBuffer& output = serving_.output;
    output.Clear();
    protocol_->Fill(output, limits::kHttpWriteBytes);
    if (!output.empty() && !SendPlain(output.view())) return Close();
    if (protocol_->broken()) return Abort();
    if (!output.empty()) continue;
    if (protocol_->finished()) Linger();
    // Input may be wanted again, now that something was sent.
    if (!closed_ && readable_ && protocol_->wants_input()) WantTurn();
    return;
  }
  if (protocol_->broken()) Abort();
}

// Says goodbye, and reads on for a while: closing over unread input would make the kernel throw
// away what the client has not fetched yet.
void Connection::Linger() {
  if (tls_ != nullptr) {
    ByteBuffer& sealed = serving_.sealed_output;
    sealed.Clear();
    tls_->End(sealed);
    if (!sealed.empty() && !SendToSocket(sealed.view())) return Close();
  }
  if (input_ended_ || !pending_.empty() || shutdown(fd_.get(), SHUT_WR) != 0) return Close();
  lingering_ = true;
  since_ = loop_.now();
  if (readable_) ReadInput();
}

Duration Connection::Deadline() const {
  const HttpLimits& bounds = serving_.service.limits;
  if (lingering_) return since_ + limits::kHttpLinger;
  if (protocol_ == nullptr)
    return began_ + (tls_ == nullptr ? bounds.header_timeout : bounds.handshake_timeout);
  const Duration deadline = protocol_->deadline();
  return pending_.empty() ? deadline : std::min(deadline, since_ + bounds.write_timeout);
}

// Deadlines move later all the time, so the timer is left alone as long as it is not too late; it
// looks again when it comes.
void Connection::UpdateTimer() {
  Duration deadline = Deadline();
  if (deadline == Clock::kForever || (timer_ && timer_->first <= deadline)) return;
  if (timer_) loop_.CancelTimer(*timer_);
  deadline = std::max<Duration>(deadline, loop_.now() + kOverdueRetry);
  timer_ = loop_.AddTimer(deadline, [this] { OnTimer(); });
}

void Connection::OnTimer() {
  timer_.reset();
  if (Deadline() <= loop_.now()) {
    if (protocol_ == nullptr || lingering_) return Close();
    if (protocol_->deadline() > loop_.now()) return Abort();
    protocol_->OnDeadline();
  }
  if (!closed_) UpdateTimer();
}

void Connection::RereadPeer() {
  if (closed_ || lingering_ || tls_ == nullptr || protocol_ == nullptr) return;
  if (!owner_.ReadPeer(tls_->ssl(), peer_)) return Close();
  // A resumed session came without the links between the certificate and its CA. The client may
  // show them on a new connection.
  if (peer_.refused && SSL_session_reused(tls_->ssl()) == 1) Drain();
}

void Connection::Drain() {
  if (closed_ || lingering_) return;
  if (protocol_ == nullptr) return Close();
  protocol_->Drain();
}

}  // namespace skiff::net
