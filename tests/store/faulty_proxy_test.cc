#include "tests/store/faulty_proxy.h"

#include <poll.h>
#include <unistd.h>

#include <chrono>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "tests/store/wait.h"

namespace skiff::testing {
namespace {

using std::chrono::seconds;

// Listens, and accepts one connection at a time.
class FaultyProxyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = Loopback(0);
    socklen_t size = sizeof(address);
    ASSERT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    ASSERT_EQ(::listen(listener_, 8), 0);
    ASSERT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    auto proxy = FaultyProxy::Start("127.0.0.1", ntohs(address.sin_port));
    ASSERT_TRUE(proxy);
    proxy_ = std::move(*proxy);
  }
  void TearDown() override {
    Hang();
    ::close(listener_);
  }

  static sockaddr_in Loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }
  void Connect() {
    Hang();
    client_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = Loopback(proxy_->port());
    ASSERT_EQ(::connect(client_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    server_ = ::accept(listener_, nullptr, nullptr);
    ASSERT_GE(server_, 0);
  }
  void Hang() {
    if (client_ >= 0) ::close(client_);
    if (server_ >= 0) ::close(server_);
    client_ = server_ = -1;
  }
  static void Send(int socket, std::string_view text) {
    ASSERT_EQ(::send(socket, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  // What arrives next; "end" or "reset" when the connection is over, "" when nothing comes.
  static std::string Receive(int socket, int limit_ms = 60'000) {
    pollfd poll{.fd = socket, .events = POLLIN, .revents = 0};
    if (::poll(&poll, 1, limit_ms) == 0) return "";
    char buffer[100];
    ssize_t count = ::recv(socket, buffer, sizeof(buffer), 0);
    if (count > 0) return std::string(buffer, static_cast<size_t>(count));
    return count == 0 ? "end" : "reset";
  }

  SystemClock clock_;
  int listener_ = -1;
  int client_ = -1;
  int server_ = -1;
  std::unique_ptr<FaultyProxy> proxy_;
};

TEST_F(FaultyProxyTest, ForwardsBothWaysAndPassesTheEndOn) {
  Connect();
  Send(client_, "question");
  EXPECT_EQ(Receive(server_), "question");
  Send(server_, "answer");
  EXPECT_EQ(Receive(client_), "answer");
  ::shutdown(client_, SHUT_WR);
  EXPECT_EQ(Receive(server_), "end");
}

TEST_F(FaultyProxyTest, DropsAnswersButNotRequestsAndCutsWithAReset) {
  Connect();
  Send(client_, "before");
  EXPECT_EQ(Receive(server_), "before");
  proxy_->SetMode(FaultyProxy::Mode::kDropAnswers);
  Send(client_, "question");
  EXPECT_EQ(Receive(server_), "question");
  Send(server_, "answer");
  EXPECT_TRUE(WaitUntilTrue(clock_, seconds(60), [&] { return proxy_->dropped_bytes() == 6; }));
  EXPECT_EQ(Receive(client_, 20), "");
  proxy_->CutConnections();
  EXPECT_EQ(Receive(client_), "reset");
  EXPECT_EQ(Receive(server_), "reset");
  proxy_->SetMode(FaultyProxy::Mode::kForward);
  Connect();
  Send(server_, "fresh");
  EXPECT_EQ(Receive(client_), "fresh");
}

TEST_F(FaultyProxyTest, DropsRequests) {
  Connect();
  proxy_->SetMode(FaultyProxy::Mode::kDropRequests);
  Send(client_, "question");
  EXPECT_TRUE(WaitUntilTrue(clock_, seconds(60), [&] { return proxy_->dropped_bytes() == 8; }));
  EXPECT_EQ(Receive(server_, 20), "");
}

TEST_F(FaultyProxyTest, StalledBytesArriveWhenTheStallEnds) {
  Connect();
  Send(client_, "one");
  EXPECT_EQ(Receive(server_), "one");
  proxy_->SetMode(FaultyProxy::Mode::kStall);
  Send(client_, "two");
  EXPECT_EQ(Receive(server_, 20), "");
  proxy_->SetMode(FaultyProxy::Mode::kForward);
  EXPECT_EQ(Receive(server_), "two");
}

TEST_F(FaultyProxyTest, RefusesNewConnectionsOnly) {
  Connect();
  Send(client_, "one");
  EXPECT_EQ(Receive(server_), "one");
  proxy_->SetMode(FaultyProxy::Mode::kRefuse);
  int other = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = Loopback(proxy_->port());
  ::connect(other, reinterpret_cast<sockaddr*>(&address), sizeof(address));
  EXPECT_EQ(Receive(other), "reset");
  ::close(other);
  Send(client_, "two");
  EXPECT_EQ(Receive(server_), "two");
}

}  // namespace
}  // namespace skiff::testing
