#include "tests/store/faulty_proxy.h"

#include <poll.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

namespace skiff::testing {
namespace {

// What one direction of a connection may hold while the other side is slow.
constexpr size_t kMaxHeldBytes = 1024 * 1024;
constexpr size_t kPieceBytes = 64 * 1024;

sockaddr_in AddressOf(const std::string& numeric, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  ::inet_pton(AF_INET, numeric.c_str(), &address.sin_addr);
  return address;
}

void SendAtOnce(int socket) {
  int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

// Closing with a reset: whoever is at the other end learns of it, and nothing lingers.
void Reset(int socket) {
  linger now{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  ::close(socket);
}

// One direction. `from` is read, `to` is written.
struct Pipe {
  int from = -1;
  int to = -1;
  std::string held = {};
  bool from_ended = false;
  bool to_ended = false;  // the end has been passed on

  // False on an error.
  bool Read(bool drop, uint64_t& dropped) {
    char piece[kPieceBytes];
    while (!from_ended && held.size() < kMaxHeldBytes) {
      ssize_t count = ::recv(from, piece, sizeof(piece), 0);
      if (count < 0) return errno == EAGAIN;
      if (count == 0) from_ended = true;
      if (drop)
        dropped += static_cast<uint64_t>(count);
      else
        held.append(piece, static_cast<size_t>(count));
    }
    return true;
  }
  bool Write() {
    while (!held.empty()) {
      ssize_t count = ::send(to, held.data(), held.size(), MSG_NOSIGNAL);
      // A connection that is still being made takes nothing yet.
      if (count < 0) return errno == EAGAIN || errno == ENOTCONN;
      held.erase(0, static_cast<size_t>(count));
    }
    if (from_ended && !to_ended) {
      to_ended = true;
      ::shutdown(to, SHUT_WR);
    }
    return true;
  }
};

}  // namespace

struct FaultyProxy::Connection {
  int client;
  int server;
  Pipe requests{.from = client, .to = server};
  Pipe answers{.from = server, .to = client};
  bool connected = false;
};

Result<std::unique_ptr<FaultyProxy>> FaultyProxy::Start(std::string target_address,
                                                        int target_port) {
  std::unique_ptr<FaultyProxy> proxy(new FaultyProxy(std::move(target_address), target_port));
  proxy->wake_ = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  proxy->listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  sockaddr_in address = AddressOf("127.0.0.1", 0);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof(address);
  if (::bind(proxy->listener_, generic, size) != 0 || ::listen(proxy->listener_, 64) != 0 ||
      ::getsockname(proxy->listener_, generic, &size) != 0)
    return Fail(StatusReason::kInternalError,
                std::string("the proxy cannot listen: ") + std::strerror(errno));
  proxy->port_ = ntohs(address.sin_port);
  proxy->thread_ = std::make_unique<Thread>("faulty-proxy", [raw = proxy.get()] { raw->Run(); });
  return proxy;
}

FaultyProxy::FaultyProxy(std::string target_address, int target_port)
    : target_address_(std::move(target_address)), target_port_(target_port) {}

FaultyProxy::~FaultyProxy() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  Wake();
  if (thread_ != nullptr) thread_->Join();
  CutConnections();
  ::close(listener_);
  ::close(wake_);
}

void FaultyProxy::Wake() {
  uint64_t one = 1;
  [[maybe_unused]] ssize_t written = ::write(wake_, &one, sizeof(one));
}

void FaultyProxy::SetMode(Mode mode) {
  std::lock_guard lock(mutex_);
  mode_ = mode;
  Wake();
}

void FaultyProxy::CutConnections() {
  std::lock_guard lock(mutex_);
  // Connections that are made but not yet accepted are cut as well.
  Accept();
  for (Connection& connection : open_) {
    Reset(connection.client);
    Reset(connection.server);
  }
  open_.clear();
  Wake();
}

uint64_t FaultyProxy::connections() {
  std::lock_guard lock(mutex_);
  return connections_;
}

uint64_t FaultyProxy::dropped_bytes() {
  std::lock_guard lock(mutex_);
  return dropped_bytes_;
}

void FaultyProxy::Run() {
  std::vector<pollfd> polled;
  while (true) {
    polled = {{.fd = wake_, .events = POLLIN, .revents = 0},
              {.fd = listener_, .events = POLLIN, .revents = 0}};
    {
      std::lock_guard lock(mutex_);
      if (stopping_) return;
      uint64_t ignored;
      while (::read(wake_, &ignored, sizeof(ignored)) > 0) {
      }
      Accept();
      for (auto connection = open_.begin(); connection != open_.end();) {
        if (Serve(*connection)) {
          ++connection;
          continue;
        }
        Reset(connection->client);
        Reset(connection->server);
        connection = open_.erase(connection);
      }
      if (mode_ != Mode::kStall) {
        for (Connection& connection : open_) {
          for (Pipe* pipe : {&connection.requests, &connection.answers}) {
            if (!pipe->from_ended && pipe->held.size() < kMaxHeldBytes)
              polled.push_back({.fd = pipe->from, .events = POLLIN, .revents = 0});
            if (!pipe->held.empty())
              polled.push_back({.fd = pipe->to, .events = POLLOUT, .revents = 0});
          }
          if (!connection.connected)
            polled.push_back({.fd = connection.server, .events = POLLOUT, .revents = 0});
        }
      }
    }
    // A descriptor that is closed meanwhile by a cut wakes nobody, but the cut itself does.
    ::poll(polled.data(), polled.size(), -1);
  }
}

void FaultyProxy::Accept() {
  while (true) {
    int client = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (client < 0) return;
    connections_++;
    if (mode_ == Mode::kRefuse) {
      Reset(client);
      continue;
    }
    int server = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    SendAtOnce(client);
    SendAtOnce(server);
    sockaddr_in target = AddressOf(target_address_, target_port_);
    if (::connect(server, reinterpret_cast<sockaddr*>(&target), sizeof(target)) != 0 &&
        errno != EINPROGRESS) {
      Reset(client);
      Reset(server);
      continue;
    }
    open_.push_back({.client = client, .server = server});
  }
}

bool FaultyProxy::Serve(Connection& connection) {
  if (mode_ == Mode::kStall) return true;
  if (!connection.connected) {
    pollfd made{.fd = connection.server, .events = POLLOUT, .revents = 0};
    if (::poll(&made, 1, 0) == 0) return true;
    int error = 0;
    socklen_t size = sizeof(error);
    ::getsockopt(connection.server, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return false;
    connection.connected = true;
  }
  bool good = connection.requests.Read(mode_ == Mode::kDropRequests, dropped_bytes_) &&
              connection.answers.Read(mode_ == Mode::kDropAnswers, dropped_bytes_) &&
              connection.requests.Write() && connection.answers.Write();
  return good && !(connection.requests.to_ended && connection.answers.to_ended);
}

}  // namespace skiff::testing
