#include "tests/store/http_get.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace skiff::testing {
namespace {

class Socket {
 public:
  Socket() : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {}
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() { ::close(descriptor_); }
  int get() const { return descriptor_; }

  bool WaitFor(Clock& clock, short events, Duration deadline) {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - clock.Monotonic());
    pollfd poll{.fd = descriptor_, .events = events, .revents = 0};
    return left.count() > 0 && ::poll(&poll, 1, static_cast<int>(left.count())) == 1;
  }

 private:
  int descriptor_;
};

Result<HttpGetResponse> Parse(const std::string& text) {
  size_t end = text.find("\r\n\r\n");
  if (!text.starts_with("HTTP/1.") || end == std::string::npos)
    return Fail(StatusReason::kInternalError, "not an answer in HTTP/1: " + text.substr(0, 80));
  return HttpGetResponse{
      .code = std::atoi(text.c_str() + std::min(text.find(' ') + 1, text.size())),
      .body = text.substr(end + 4)};
}

}  // namespace

Result<HttpGetResponse> HttpGet(Clock& clock, const std::string& address, int port,
                                const std::string& path, Duration limit) {
  Duration deadline = clock.Monotonic() + limit;
  std::string where = address + ":" + std::to_string(port) + path;
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(port));
  if (::inet_pton(AF_INET, address.c_str(), &to.sin_addr) != 1)
    return Fail(StatusReason::kInvalid, where + ": not a numeric address");
  Socket socket;
  int error =
      ::connect(socket.get(), reinterpret_cast<sockaddr*>(&to), sizeof(to)) == 0 ? 0 : errno;
  if (error == EINPROGRESS && socket.WaitFor(clock, POLLOUT, deadline)) {
    socklen_t size = sizeof(error);
    ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  }
  if (error != 0)
    return Fail(StatusReason::kServiceUnavailable, where + ": " + std::strerror(error));
  // HTTP/1.0: the server closes the connection at the end of its answer.
  std::string request = "GET " + path + " HTTP/1.0\r\nHost: " + address + "\r\n\r\n";
  if (::send(socket.get(), request.data(), request.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(request.size()))
    return Fail(StatusReason::kServiceUnavailable, where + ": " + std::strerror(errno));
  std::string answer;
  while (socket.WaitFor(clock, POLLIN, deadline)) {
    char buffer[16384];
    ssize_t count = ::recv(socket.get(), buffer, sizeof(buffer), 0);
    if (count == 0) return Parse(answer);
    if (count > 0) answer.append(buffer, static_cast<size_t>(count));
    if (count < 0 && errno != EAGAIN)
      return Fail(StatusReason::kServiceUnavailable, where + ": " + std::strerror(errno));
  }
  return Fail(StatusReason::kTimeout, where + ": no answer in time");
}

}  // namespace skiff::testing
