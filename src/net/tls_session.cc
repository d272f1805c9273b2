#include "net/tls_session.h"

#include <algorithm>
#include <cstring>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/sslerr.h>

namespace skiff::net {
namespace {

constexpr size_t kRecordBytes = 16 * 1024;

// Whether OpenSSL keeps the room that it makes records in: while there are more to be made.
void KeepBuffers(SSL* ssl, bool keep) {
  if (keep) {
    SSL_clear_mode(ssl, SSL_MODE_RELEASE_BUFFERS);
  } else {
    SSL_set_mode(ssl, SSL_MODE_RELEASE_BUFFERS);
  }
}

}  // namespace

// What OpenSSL takes for a socket: it reads from the session's input and writes to its output.
struct TlsSessionBio {
  static int Read(BIO* bio, char* out, int size) {
    auto* session = static_cast<TlsSession*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    std::string_view& input = session->input_;
    if (input.empty()) {
      BIO_set_retry_read(bio);
      return -1;
    }
    const size_t take = std::min(input.size(), static_cast<size_t>(size));
    std::memcpy(out, input.data(), take);
    input.remove_prefix(take);
    return static_cast<int>(take);
  }

  static int Write(BIO* bio, const char* bytes, int size) {
    auto* session = static_cast<TlsSession*>(BIO_get_data(bio));
    session->output_->Append({bytes, static_cast<size_t>(size)});
    return size;
  }

  static long Control(BIO* bio, int command, long number, void* pointer) {
    static_cast<void>(bio);
    static_cast<void>(number);
    static_cast<void>(pointer);
    return command == BIO_CTRL_FLUSH ? 1 : 0;
  }

  static int Create(BIO* bio) {
    BIO_set_init(bio, 1);
    return 1;
  }

  static BIO_METHOD* Method() {
    static BIO_METHOD* const method = [] {
      BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "skiff");
      BIO_meth_set_read(made, Read);
      BIO_meth_set_write(made, Write);
      BIO_meth_set_ctrl(made, Control);
      BIO_meth_set_create(made, Create);
      return made;
    }();
    return method;
  }
};

TlsSession::TlsSession(SSL* ssl, Side side) : ssl_(ssl) {
  BIO* bio = BIO_new(TlsSessionBio::Method());
  BIO_set_data(bio, this);
  SSL_set_bio(ssl_, bio, bio);
  side == Side::kServer ? SSL_set_accept_state(ssl_) : SSL_set_connect_state(ssl_);
}

TlsSession::~TlsSession() { SSL_free(ssl_); }

TlsSession::State TlsSession::Fail() {
  failure_ = ERR_reason_error_string(ERR_peek_error());
  heard_plain_http_ = ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST;
  ERR_clear_error();
  return state_ = State::kFailed;
}

TlsSession::State TlsSession::Receive(std::string_view sealed, ByteBuffer& plain,
                                      ByteBuffer& sealed_out) {
  if (state_ == State::kFailed) return state_;
  ERR_clear_error();  // SSL_get_error() looks at it, whoever left something there
  input_ = sealed;
  output_ = &sealed_out;
  if (state_ == State::kHandshake) {
    const int done = SSL_do_handshake(ssl_);
    if (done != 1) return SSL_get_error(ssl_, done) == SSL_ERROR_WANT_READ ? state_ : Fail();
    state_ = State::kOpen;
  }
  for (;;) {
    char* to = plain.Reserve(kRecordBytes);
    const int got = SSL_read(ssl_, to, kRecordBytes);
    if (got > 0) {
      plain.CommitTo(to + got);
      continue;
    }
    switch (SSL_get_error(ssl_, got)) {
      case SSL_ERROR_WANT_READ:
        return state_;
      case SSL_ERROR_ZERO_RETURN:
        return state_ = State::kEnded;
      default:
        return Fail();
    }
  }
}

bool TlsSession::Send(std::string_view plain, ByteBuffer& sealed_out) {
  output_ = &sealed_out;
  input_ = {};
  while (!plain.empty()) {
    const size_t size = std::min(plain.size(), kRecordBytes);
    KeepBuffers(ssl_, size < plain.size());
    const int sent = SSL_write(ssl_, plain.data(), static_cast<int>(size));
    if (sent <= 0) {
      Fail();
      return false;
    }
    plain.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

void TlsSession::End(ByteBuffer& sealed_out) {
  if (state_ != State::kOpen && state_ != State::kEnded) return;
  output_ = &sealed_out;
  input_ = {};
  if (SSL_shutdown(ssl_) < 0) ERR_clear_error();
}

bool TlsSession::speaks_http2() const {
  const unsigned char* name = nullptr;
  unsigned int size = 0;
  SSL_get0_alpn_selected(ssl_, &name, &size);
  return size == 2 && std::memcmp(name, "h2", 2) == 0;
}

}  // namespace skiff::net
