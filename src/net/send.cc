#include "net/send.h"

#include <cerrno>

#include <sys/socket.h>

namespace skiff::net {

bool SendNow(const UniqueFd& socket, std::string_view& bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<size_t>(sent));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return true;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace skiff::net
