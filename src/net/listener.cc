#include "net/listener.h"

#include <fcntl.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/un.h>

#include "base/limits.h"
#include "base/strings.h"

namespace skiff::net {
namespace {

constexpr std::string_view kUnixPrefix = "unix:";
constexpr int kAcceptsPerTurn = 64;
constexpr std::chrono::milliseconds kAcceptRetry{100};

struct Endpoint {
  sockaddr_storage address{};
  socklen_t size = 0;
  bool is_wildcard = false;
};

Endpoint MakeV6(const in6_addr& host, uint16_t port) {
  Endpoint endpoint;
  auto* address = reinterpret_cast<sockaddr_in6*>(&endpoint.address);
  address->sin6_family = AF_INET6;
  address->sin6_addr = host;
  address->sin6_port = htons(port);
  endpoint.size = sizeof(*address);
  return endpoint;
}

Endpoint MakeV4(const in_addr& host, uint16_t port) {
  Endpoint endpoint;
  auto* address = reinterpret_cast<sockaddr_in*>(&endpoint.address);
  address->sin_family = AF_INET;
  address->sin_addr = host;
  address->sin_port = htons(port);
  endpoint.size = sizeof(*address);
  return endpoint;
}

Result<Endpoint> MakeUnix(std::string_view path) {
  Endpoint endpoint;
  auto* address = reinterpret_cast<sockaddr_un*>(&endpoint.address);
  if (path.empty() || path.size() >= sizeof(address->sun_path))
    return BadRequest("not a path for a socket: " + Quoted(path));
  address->sun_family = AF_UNIX;
  path.copy(address->sun_path, path.size());
  endpoint.size = sizeof(*address);
  return endpoint;
}

Result<Endpoint> ParseEndpoint(std::string_view text) {
  const auto bad = [&] { return BadRequest("not an address to listen on: " + Quoted(text)); };
  if (text.starts_with(kUnixPrefix)) return MakeUnix(text.substr(kUnixPrefix.size()));
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return bad();
  uint16_t port = 0;
  const char* end = text.data() + text.size();
  const auto number = std::from_chars(text.data() + colon + 1, end, port);
  if (number.ec != std::errc() || number.ptr != end) return bad();
  std::string host(text.substr(0, colon));
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  in_addr v4{};
  in6_addr v6 = in6addr_any;
  Endpoint endpoint;
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) {
    endpoint = MakeV4(v4, port);
    endpoint.is_wildcard = v4.s_addr == INADDR_ANY;
  } else if (host.empty() || inet_pton(AF_INET6, host.c_str(), &v6) == 1) {
    endpoint = MakeV6(v6, port);
    endpoint.is_wildcard = IN6_IS_ADDR_UNSPECIFIED(&v6);
  } else {
    return bad();
  }
  return endpoint;
}

Result<UniqueFd> Listen(const Endpoint& endpoint, bool share_port, const std::string& name) {
  const auto failure = [&](const char* call) {
    return Fail(StatusReason::kInternalError, name + ": " + call + ": " + std::strerror(errno));
  };
  const int family = endpoint.address.ss_family;
  UniqueFd fd(socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return failure("socket");
  const int on = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (share_port) setsockopt(fd.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on));
  if (family == AF_INET6) {
    const int v6_only = endpoint.is_wildcard ? 0 : 1;
    setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &v6_only, sizeof(v6_only));
  }
  // Left behind by a process that was killed.
  if (family == AF_UNIX) unlink(reinterpret_cast<const sockaddr_un&>(endpoint.address).sun_path);
  if (bind(fd.get(), reinterpret_cast<const sockaddr*>(&endpoint.address), endpoint.size) != 0)
    return failure("bind");
  if (listen(fd.get(), limits::kHttpAcceptBacklog) != 0) return failure("listen");
  return fd;
}

// What accept() reports of a connection that has gone again: the next one may well be there. All
// else would only be reported again.
bool ConcernsOneConnection(int error) {
  switch (error) {
    case EINTR:
    case ECONNABORTED:
    case ENETDOWN:
    case EPROTO:
    case ENOPROTOOPT:
    case EHOSTDOWN:
    case ENONET:
    case EHOSTUNREACH:
    case EOPNOTSUPP:
    case ENETUNREACH:
    case EPERM:
      return true;
    default:
      return false;
  }
}

UniqueFd OpenSpare() { return UniqueFd(open("/dev/null", O_RDONLY | O_CLOEXEC)); }

void SetUp(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  const int seconds = static_cast<int>(limits::kTcpKeepAlive.count());
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof(seconds));
}

}  // namespace

std::string AddressText(const sockaddr_storage& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
    return std::string(text.data()) + ":" + std::to_string(ntohs(v4.sin_port));
  }
  if (address.ss_family == AF_UNIX)
    return std::string(kUnixPrefix) + reinterpret_cast<const sockaddr_un&>(address).sun_path;
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
  const std::string port = std::to_string(ntohs(v6.sin6_port));
  if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
    inet_ntop(AF_INET, &v6.sin6_addr.s6_addr[12], text.data(), text.size());
    return std::string(text.data()) + ":" + port;
  }
  inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
  return "[" + std::string(text.data()) + "]:" + port;
}

Result<std::unique_ptr<Listener>> Listener::Open(const std::string& address, bool share_port) {
  SKIFF_ASSIGN_OR_RETURN(Endpoint endpoint, ParseEndpoint(address));
  auto listener = std::make_unique<Listener>();
  Result<UniqueFd> fd = Fail(StatusReason::kInternalError, "");
  if (endpoint.is_wildcard) {
    // All addresses of both families, if the machine has both.
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(&endpoint.address);
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&endpoint.address);
    const bool is_v4 = endpoint.address.ss_family == AF_INET;
    const uint16_t port = ntohs(is_v4 ? v4->sin_port : v6->sin6_port);
    Endpoint both = MakeV6(in6addr_any, port);
    both.is_wildcard = true;
    fd = Listen(both, share_port, address);
    if (!fd) endpoint = MakeV4({INADDR_ANY}, port);
  }
  if (!fd) fd = Listen(endpoint, share_port, address);
  if (!fd) return std::unexpected(std::move(fd).error());
  listener->fd_ = std::move(*fd);
  listener->spare_ = OpenSpare();
  sockaddr_storage bound{};
  socklen_t size = sizeof(bound);
  getsockname(listener->fd_.get(), reinterpret_cast<sockaddr*>(&bound), &size);
  listener->address_ = AddressText(bound);
  return listener;
}

Result<std::unique_ptr<Listener>> Listener::Share() const {
  auto listener = std::make_unique<Listener>();
  listener->fd_ = UniqueFd(fcntl(fd_.get(), F_DUPFD_CLOEXEC, 0));
  if (!listener->fd_) {
    return Fail(StatusReason::kInternalError, address_ + ": fcntl: " + std::strerror(errno));
  }
  listener->spare_ = OpenSpare();
  listener->address_ = address_;
  return listener;
}

void Listener::Start(EventLoop& loop, OnAccept on_accept, OnError on_error) {
  loop_ = &loop;
  on_accept_ = std::move(on_accept);
  on_error_ = std::move(on_error);
  if (auto added = loop.AddShared(fd_.get(), this); !added) on_error_(added.error().message());
}

void Listener::Close() {
  if (!fd_) return;
  if (loop_ != nullptr) loop_->Remove(fd_.get());
  fd_.Reset();
}

void Listener::OnEvents(uint32_t events) {
  static_cast<void>(events);
  Accept();
}

void Listener::OnTurnEnd() { Accept(); }

void Listener::Accept() {
  for (int i = 0; fd_; ++i) {
    if (i == kAcceptsPerTurn) return loop_->AtTurnEnd(this);
    sockaddr_storage address{};
    socklen_t size = sizeof(address);
    UniqueFd fd(accept4(fd_.get(), reinterpret_cast<sockaddr*>(&address), &size,
                        SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (fd) {
      told_of_failure_ = false;
      SetUp(fd.get());
      on_accept_(std::move(fd), AddressText(address));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return;
    } else if (!ConcernsOneConnection(errno)) {
      return OnAcceptFailed();
    }
  }
}

// Mostly out of descriptors: one client is turned away, so that it need not wait, and others are
// looked at after a pause. Without the pause the loop would do nothing else.
void Listener::OnAcceptFailed() {
  if (!std::exchange(told_of_failure_, true))
    on_error_("cannot accept connections: " + std::string(std::strerror(errno)));
  spare_.Reset();
  UniqueFd turned_away(accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  turned_away.Reset();
  spare_ = OpenSpare();
  loop_->AddTimer(loop_->now() + kAcceptRetry, [this] { Accept(); });
}

}  // namespace skiff::net
