// The TLS of one connection, between buffers: bytes of the socket in, plain bytes out, and the
// other way around. It holds no buffers of its own while nothing is under way.
#pragma once

#include <cstdint>
#include <string_view>

#include <openssl/ssl.h>

#include "base/buffer.h"

namespace skiff::net {

class TlsSession {
 public:
  enum class State : uint8_t {
    kHandshake,
    kOpen,
    kEnded,   // the other side said that it will send nothing more
    kFailed,  // close; what is in the output may tell the other side why
  };
  enum class Side : uint8_t { kServer, kClient };

  // Takes the SSL over. A client speaks first: its first Receive() is of nothing.
  explicit TlsSession(SSL* ssl, Side side = Side::kServer);
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;
  ~TlsSession();

  // Takes all of `sealed`, appends to `plain` what it contained and to `sealed_out` what TLS has to
  // say to it.
  State Receive(std::string_view sealed, ByteBuffer& plain, ByteBuffer& sealed_out);
  // After the handshake. False when the session has failed.
  bool Send(std::string_view plain, ByteBuffer& sealed_out);
  // The last word.
  void End(ByteBuffer& sealed_out);

  State state() const { return state_; }
  // Why it has failed, in OpenSSL's words; null when it does not say.
  const char* failure() const { return failure_; }
  bool speaks_http2() const;
  // After kFailed: the client did not speak TLS at all but plain HTTP.
  bool heard_plain_http() const { return heard_plain_http_; }
  SSL* ssl() { return ssl_; }

 private:
  friend struct TlsSessionBio;

  State Fail();

  SSL* ssl_;
  State state_ = State::kHandshake;
  const char* failure_ = nullptr;
  bool heard_plain_http_ = false;
  std::string_view input_;        // during Receive()
  ByteBuffer* output_ = nullptr;  // during all calls
};

}  // namespace skiff::net
