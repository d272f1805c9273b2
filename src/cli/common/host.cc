#include "cli/common/host.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <system_error>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

namespace skiff::cli {
namespace {

namespace fs = std::filesystem;

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  SocketAddress(const IpAddress& address, uint16_t port) {
    if (address.is_v4()) {
      auto* const v4 = reinterpret_cast<sockaddr_in*>(&storage);
      v4->sin_family = AF_INET;
      v4->sin_port = htons(port);
      std::memcpy(&v4->sin_addr, address.bytes(), 4);
      size = sizeof(sockaddr_in);
    } else {
      auto* const v6 = reinterpret_cast<sockaddr_in6*>(&storage);
      v6->sin6_family = AF_INET6;
      v6->sin6_port = htons(port);
      std::memcpy(&v6->sin6_addr, address.bytes(), 16);
      size = sizeof(sockaddr_in6);
    }
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

class Socket {
 public:
  Socket(int family, int type) : fd_(socket(family, type | SOCK_CLOEXEC, 0)) {}
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }

 private:
  const int fd_;
};

// Connecting a datagram socket sends nothing, but makes the kernel choose the way and with it the
// source address.
std::optional<IpAddress> SourceAddressTo(const char* destination) {
  const IpAddress target = *IpAddress::Parse(destination);
  const Socket socket(target.is_v4() ? AF_INET : AF_INET6, SOCK_DGRAM);
  constexpr uint16_t kDiscardPort = 9;
  const SocketAddress address(target, kDiscardPort);
  if (socket.fd() < 0 || connect(socket.fd(), address.get(), address.size) != 0) {
    return std::nullopt;
  }
  sockaddr_storage own{};
  socklen_t size = sizeof(own);
  if (getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&own), &size) != 0) return std::nullopt;
  std::optional<IpAddress> found;
  if (own.ss_family == AF_INET) {
    const auto* const v4 = reinterpret_cast<const sockaddr_in*>(&own);
    found = IpAddress::FromBytes(reinterpret_cast<const uint8_t*>(&v4->sin_addr), 4);
  } else {
    const auto* const v6 = reinterpret_cast<const sockaddr_in6*>(&own);
    found = IpAddress::FromBytes(reinterpret_cast<const uint8_t*>(&v6->sin6_addr), 16);
  }
  if (found->IsUnspecified() || found->IsLoopback() || found->IsLinkLocal()) return std::nullopt;
  return found;
}

// The inodes of sockets that listen on the port, from one of the tables in /proc/net.
void CollectListeners(const char* table, uint16_t port, std::set<std::string>& inodes) {
  std::ifstream file(table);
  std::string line;
  std::getline(file, line);  // the headings
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string slot, local, remote, state, skipped, inode;
    words >> slot >> local >> remote >> state;
    for (int i = 0; i < 5; ++i) words >> skipped;
    words >> inode;
    const size_t colon = local.rfind(':');
    if (colon == std::string::npos || state != "0A") continue;
    unsigned found = 0;
    std::from_chars(local.data() + colon + 1, local.data() + local.size(), found, 16);
    if (found == port) inodes.insert("socket:[" + inode + "]");
  }
}

bool HoldsOneOf(const fs::path& process, const std::set<std::string>& sockets) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(process / "fd", error)) {
    std::error_code unreadable;
    const fs::path target = fs::read_symlink(entry.path(), unreadable);
    if (!unreadable && sockets.contains(target.string())) return true;
  }
  return false;
}

}  // namespace

HostFacts FindHostFacts() {
  HostFacts facts;
  // Addresses that are kept for documentation: never a host's own, so the default route is meant.
  facts.default_address = SourceAddressTo("203.0.113.1");
  if (!facts.default_address) facts.default_address = SourceAddressTo("2001:db8::1");
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) == 0) facts.host_name = name.data();
  return facts;
}

void KeepNewFilesPrivate() { umask(S_IRWXG | S_IRWXO); }

void PrepareToServe() {
  signal(SIGPIPE, SIG_IGN);
  // A write beyond the limit of file sizes is then an error, which the store tells of.
  signal(SIGXFSZ, SIG_IGN);
  // As Go's programs do: whoever sends these takes the server for one that reopens its log.
  signal(SIGUSR1, SIG_IGN);
  signal(SIGUSR2, SIG_IGN);
  KeepNewFilesPrivate();
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

Result<void> CheckPortFree(const IpAddress& address, uint16_t port, const std::string& remedy) {
  if (port == 0) return {};
  const Socket socket(address.is_v4() ? AF_INET : AF_INET6, SOCK_STREAM);
  const int yes = 1;
  // As servers do: connections that are merely ending do not count.
  if (socket.fd() >= 0) setsockopt(socket.fd(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  const SocketAddress target(address, port);
  if (socket.fd() >= 0 && bind(socket.fd(), target.get(), target.size) == 0 &&
      listen(socket.fd(), 1) == 0) {
    return {};
  }
  const int error = errno;
  if (error == EADDRINUSE) {
    const std::optional<std::string> who = FindListener(port);
    return BadRequest("port " + std::to_string(port) + " is taken" +
                      (who ? " by " + *who : " by another process") + ": stop it, or " + remedy);
  }
  if (error == EACCES) {
    return BadRequest("port " + std::to_string(port) + " is only for root: " + remedy);
  }
  if (error == EADDRNOTAVAIL) {
    return BadRequest(address.ToString() + " is not an address of this machine");
  }
  return BadRequest("cannot listen on " + address.WithPort(port) + ": " +
                    std::generic_category().message(error));
}

std::optional<std::string> FindListener(uint16_t port) {
  std::set<std::string> sockets;
  CollectListeners("/proc/net/tcp", port, sockets);
  CollectListeners("/proc/net/tcp6", port, sockets);
  if (sockets.empty()) return std::nullopt;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", error)) {
    const std::string pid = entry.path().filename().string();
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    if (!HoldsOneOf(entry.path(), sockets)) continue;
    std::string name;
    std::ifstream comm(entry.path() / "comm");
    std::getline(comm, name);
    return (name.empty() ? "a process" : name) + " (pid " + pid + ")";
  }
  return std::nullopt;
}

}  // namespace skiff::cli
