// One client: a socket, TLS on it if so set up, and the protocol that was agreed on.
//
// Owned by the ConnectionOwner of its loop, touched only there. Input is read as it comes; output
// is asked of the protocol at the end of a turn, encrypted and written at once. What the socket
// does not take waits here, and until it is gone nothing more is asked for.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "net/event_loop.h"
#include "net/protocol.h"
#include "net/serving.h"
#include "net/tls_session.h"
#include "net/unique_fd.h"

namespace skiff::net {

class Connection;

class ConnectionOwner {
 public:
  virtual ~ConnectionOwner() = default;
  // The connection is closed and wants to be retired.
  virtual void OnClosed(Connection* connection) = 0;
  // After the handshake: who the client is. False if no connection with it is wanted.
  virtual bool ReadPeer(SSL* ssl, ConnectionPeer& peer) = 0;
};

class Connection final : public EventLoop::Watcher, public HttpProtocol::Host {
 public:
  // Without `tls`, plain.
  Connection(ServingLoop& serving, ConnectionOwner& owner, UniqueFd fd, std::string address,
             std::unique_ptr<TlsSession> tls);
  ~Connection() override;

  // Once.
  void Start();
  // Other CAs of clients count now: who the client is from its next request on.
  void RereadPeer();
  // Finishes what is under way, and ends.
  void Drain();
  // Ends at once.
  void Close();

  void OnEvents(uint32_t events) override;
  void OnTurnEnd() override;
  void WantTurn() override;

 private:
  void ReadInput();
  void OnSocketBytes(std::string_view bytes);
  void OnPlainBytes(std::string_view bytes);
  void OnInputEnd();
  void ChooseProtocol(bool http2);
  void Flush();
  bool SendPlain(std::string_view bytes);
  bool SendToSocket(std::string_view bytes);
  bool SendPending();
  void Abort();
  void Linger();
  Duration Deadline() const;
  void UpdateTimer();
  void OnTimer();

  ServingLoop& serving_;
  ConnectionOwner& owner_;
  EventLoop& loop_;
  UniqueFd fd_;
  ConnectionPeer peer_;
  std::unique_ptr<TlsSession> tls_;
  std::unique_ptr<HttpProtocol> protocol_;
  std::string preface_;  // until the protocol is known
  ByteBuffer pending_;   // not taken by the socket yet, from pending_at_ on
  size_t pending_at_ = 0;
  MemoryCharge pending_memory_;
  size_t unasked_bytes_ = 0;  // of pending_, what TLS said while the rest waited
  const Duration began_;
  Duration since_;  // when the socket last took something, or lingering began
  std::optional<EventLoop::TimerId> timer_;
  bool readable_ = false;
  bool peer_has_ended_ = false;  // as the kernel said; there may be unread bytes before
  bool input_ended_ = false;
  bool has_turn_ = false;
  bool lingering_ = false;
  bool closed_ = false;
};

}  // namespace skiff::net
