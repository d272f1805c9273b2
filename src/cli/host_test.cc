#include "cli/host.h"

#include <unistd.h>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

namespace skiff {
namespace {

TEST(HostTest, TellsWhoListensOnAPort) {
  const int holder = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ASSERT_EQ(bind(holder, reinterpret_cast<const sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(holder, 1), 0);
  ASSERT_EQ(getsockname(holder, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const uint16_t port = ntohs(address.sin_port);

  const std::optional<std::string> who = WhoListens(port);
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
  EXPECT_FALSE(WhoListens(port));
}

TEST(HostTest, KnowsWhichAddressesAreItsOwn) {
  EXPECT_NE(CheckPortFree(*IpAddress::Parse("203.0.113.77"), 6443, "")
                .error()
                .message()
                .find("is not an address of this machine"),
            std::string::npos);
  const HostFacts facts = FindHostFacts();
  EXPECT_NE(facts.host_name, "");
  if (facts.default_address) EXPECT_FALSE(facts.default_address->IsLoopback());
}

}  // namespace
}  // namespace skiff
