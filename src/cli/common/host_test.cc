#include "cli/common/host.h"

#include <unistd.h>

#include <string>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "net/testing.h"

namespace skiff::cli {
namespace {

TEST(HostTest, TellsWhoListensOnAPort) {
  const net::HeldPort held;  // so that nobody else listens there in the end
  const auto port =
      static_cast<uint16_t>(std::stoi(held.address().substr(held.address().rfind(':') + 1)));
  const int holder = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(holder, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  ASSERT_EQ(bind(holder, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_EQ(listen(holder, 1), 0);

  const std::optional<std::string> who = FindListener(port);
  ASSERT_TRUE(who);
  EXPECT_TRUE(who->ends_with("(pid " + std::to_string(getpid()) + ")")) << *who;
  for (const IpAddress& at : {IpAddress::LoopbackV4(), IpAddress::AnyV4()}) {
    const Result<void> is_free = CheckPortFree(at, port, "choose another with --port");
    ASSERT_FALSE(is_free);
    EXPECT_NE(is_free.error().message().find(*who + ": stop it, or choose another with --port"),
              std::string::npos)
        << is_free.error().message();
  }
  close(holder);
  EXPECT_TRUE(CheckPortFree(IpAddress::LoopbackV4(), port, ""));
  EXPECT_FALSE(FindListener(port));
}

TEST(HostTest, KnowsWhichAddressesAreItsOwn) {
  EXPECT_NE(CheckPortFree(*IpAddress::Parse("203.0.113.77"), 6443, "")
                .error()
                .message()
                .find("is not an address of this machine"),
            std::string::npos);
  const HostFacts facts = FindHostFacts();
  EXPECT_NE(facts.host_name, "");
  EXPECT_FALSE(facts.default_address && facts.default_address->IsLoopback());
}

}  // namespace
}  // namespace skiff::cli
