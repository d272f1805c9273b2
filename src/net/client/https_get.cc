#include "net/client/https_get.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <system_error>

#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include "base/limits.h"
#include "crypto/openssl.h"

namespace skiff::net {
namespace {

class Connection {
 public:
  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() {
    if (fd_ >= 0) close(fd_);
  }

  Result<void> Open(const HttpsTarget& target, Duration timeout);
  int fd() const { return fd_; }

 private:
  int fd_ = -1;
};

std::unexpected<Status> Unreachable(const HttpsTarget& target, std::string_view why) {
  return Fail(StatusReason::kServiceUnavailable,
              target.address.WithPort(target.port) + ": " + std::string(why));
}

std::unexpected<Status> TlsFailed(const HttpsTarget& target, const SSL* session) {
  std::string why = "TLS failed";
  const long verified = session != nullptr ? SSL_get_verify_result(session) : X509_V_OK;
  if (verified != X509_V_OK) {
    why = std::string("its certificate is not trusted: ") + X509_verify_cert_error_string(verified);
  } else if (const char* reason = ERR_reason_error_string(ERR_peek_error()); reason != nullptr) {
    why.append(": ").append(reason);
  }
  ERR_clear_error();
  return Unreachable(target, why);
}

Result<void> Connection::Open(const HttpsTarget& target, Duration timeout) {
  const bool v4 = target.address.is_v4();
  fd_ = socket(v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in6 v6_address{};
  sockaddr_in v4_address{};
  v4_address.sin_family = AF_INET;
  v4_address.sin_port = htons(target.port);
  v6_address.sin6_family = AF_INET6;
  v6_address.sin6_port = htons(target.port);
  std::memcpy(v4 ? static_cast<void*>(&v4_address.sin_addr) : &v6_address.sin6_addr,
              target.address.bytes(), target.address.size());
  const auto* const address = v4 ? reinterpret_cast<const sockaddr*>(&v4_address)
                                 : reinterpret_cast<const sockaddr*>(&v6_address);
  const socklen_t size = v4 ? sizeof(v4_address) : sizeof(v6_address);
  const int milliseconds = static_cast<int>(timeout / std::chrono::milliseconds(1));
  int error = 0;
  if (connect(fd_, address, size) != 0 && errno != EINPROGRESS) {
    error = errno;
  } else {
    pollfd wait{.fd = fd_, .events = POLLOUT, .revents = 0};
    socklen_t error_size = sizeof(error);
    if (poll(&wait, 1, milliseconds) != 1) return Unreachable(target, "no connection in time");
    getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &error_size);
  }
  if (error != 0) return Unreachable(target, std::generic_category().message(error));
  fcntl(fd_, F_SETFL, 0);
  timeval time{};
  time.tv_sec = milliseconds / 1000;
  time.tv_usec = milliseconds % 1000 * 1000;
  setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
  setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time));
  return {};
}

Result<crypto::openssl::SslContextPtr> MakeContext(const HttpsTarget& target) {
  crypto::openssl::SslContextPtr context(SSL_CTX_new(TLS_client_method()));
  if (!context) return Fail(StatusReason::kInternalError, "there is no memory for TLS");
  if (!target.ca_file.empty()) {
    if (SSL_CTX_load_verify_file(context.get(), target.ca_file.c_str()) != 1) {
      ERR_clear_error();
      return BadRequest("cannot read the CA " + target.ca_file);
    }
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  }
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  if (target.cert_file.empty()) return context;
  if (SSL_CTX_use_certificate_chain_file(context.get(), target.cert_file.c_str()) != 1 ||
      SSL_CTX_use_PrivateKey_file(context.get(), target.key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    ERR_clear_error();
    return BadRequest("cannot read the client certificate " + target.cert_file);
  }
  return context;
}

// Status line, headers and body of an answer that ends with its connection.
Result<HttpsResponse> Interpret(const HttpsTarget& target, const std::string& text) {
  HttpsResponse answer;
  const size_t space = text.find(' ');
  const size_t headers_end = text.find("\r\n\r\n");
  if (!text.starts_with("HTTP/1.1 ") || headers_end == std::string::npos) {
    return Unreachable(target, "it does not speak HTTP/1.1");
  }
  std::from_chars(text.data() + space + 1, text.data() + text.size(), answer.code);
  answer.body = text.substr(headers_end + 4);
  return answer;
}

}  // namespace

Result<HttpsResponse> HttpsGet(const HttpsTarget& target, const std::string& path,
                               Duration timeout) {
  // OpenSSL writes without MSG_NOSIGNAL.
  signal(SIGPIPE, SIG_IGN);
  SKIFF_ASSIGN_OR_RETURN(const crypto::openssl::SslContextPtr context, MakeContext(target));
  Connection connection;
  SKIFF_RETURN_IF_ERROR(connection.Open(target, timeout));
  const crypto::openssl::SslPtr session(SSL_new(context.get()));
  const std::string host = target.address.ToString();
  if (!session || X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session.get()), host.c_str()) != 1 ||
      SSL_set_fd(session.get(), connection.fd()) != 1 || SSL_connect(session.get()) != 1) {
    return TlsFailed(target, session.get());
  }
  const std::string request = "GET " + path +
                              " HTTP/1.1\r\nHost: " + target.address.WithPort(target.port) +
                              "\r\nUser-Agent: skiff\r\nAccept: */*\r\nConnection: close\r\n\r\n";
  if (SSL_write(session.get(), request.data(), static_cast<int>(request.size())) <= 0) {
    return TlsFailed(target, session.get());
  }
  std::string text;
  std::array<char, 4096> piece;
  while (text.size() < limits::kMaxProbeResponseBytes) {
    const int got = SSL_read(session.get(), piece.data(), static_cast<int>(piece.size()));
    if (got <= 0) break;
    text.append(piece.data(), static_cast<size_t>(got));
  }
  ERR_clear_error();
  return Interpret(target, text);
}

}  // namespace skiff::net
