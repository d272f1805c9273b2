// A listening socket on a loop, which hands on what it accepts. Several loops may listen on one
// socket, so that connections are accepted as long as one of them turns.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <sys/socket.h>

#include "base/status.h"
#include "net/event_loop.h"
#include "net/unique_fd.h"

namespace skiff::net {

// "127.0.0.1:4711" or "[::1]:4711"; an IPv4 address in the clothes of IPv6 is shown as what it is.
std::string AddressText(const sockaddr_storage& address);

class Listener final : public EventLoop::Watcher {
 public:
  // On the loop: a new connection, and from where.
  using OnAccept = std::function<void(UniqueFd fd, std::string address)>;
  using OnError = std::function<void(std::string_view)>;

  // `address` as in HttpServerOptions.
  static Result<std::unique_ptr<Listener>> Open(const std::string& address, bool share_port);

  // The same socket once more, for another loop. It is closed when the last of them is.
  Result<std::unique_ptr<Listener>> Share() const;

  // With the port that was taken.
  const std::string& address() const { return address_; }
  // On the loop, once. Accepts until Close(), also on the loop.
  void Start(EventLoop& loop, OnAccept on_accept, OnError on_error);
  void Close();

  void OnEvents(uint32_t events) override;
  void OnTurnEnd() override;

 private:
  void Accept();
  void OnAcceptFailed();

  std::string address_;
  UniqueFd fd_;
  UniqueFd spare_;  // given up to accept and turn away when there are no descriptors left
  EventLoop* loop_ = nullptr;
  OnAccept on_accept_;
  OnError on_error_;
  bool told_of_failure_ = false;
};

}  // namespace skiff::net
