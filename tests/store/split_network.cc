#include "tests/store/split_network.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/temporary_directory.h"
#include "base/thread.h"
#include "tests/store/child_process.h"

namespace skiff::testing {
namespace {

// Addresses come from 198.18.0.0/15, which is set aside for tests of networks: 32 for each network,
// four for each link.
constexpr int kNetworks = 4096;
constexpr int kAddressesPerNetwork = 32;
constexpr int kAddressesPerLink = 4;
constexpr Duration kIpTimeout = std::chrono::seconds(20);

std::string AddressFromBlock(int offset) {
  return "198." + std::to_string(18 + offset / 65536) + "." + std::to_string(offset / 256 % 256) +
         "." + std::to_string(offset % 256);
}

// A descriptor of a new, empty network namespace; or -1 with errno.
int NewNamespace() {
  int descriptor = -1;
  int error = 0;
  Thread("netns", [&] {
    if (::unshare(CLONE_NEWNET) == 0)
      descriptor = ::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
    error = errno;
  }).Join();
  errno = error;
  return descriptor;
}

std::string PathOf(int descriptor) {
  return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(descriptor);
}

}  // namespace

std::optional<std::string> SplitNetwork::Missing() {
  if (!HasProgram("ip")) return "the program ip (Debian package iproute2) is not installed";
  int probe = NewNamespace();
  if (probe < 0)
    return std::string(
               "network namespaces are not permitted here (they need root and "
               "CAP_SYS_ADMIN): ") +
           std::strerror(errno);
  SystemClock clock;
  Result<std::string> made = RunCommand(
      clock,
      {.command = {"ip", "link", "add", "probe0", "type", "veth", "peer", "name", "probe1"},
       .network_namespace = probe},
      kIpTimeout);
  ::close(probe);
  if (!made) return "links between network namespaces cannot be made: " + made.error().message();
  return std::nullopt;
}

Result<std::unique_ptr<SplitNetwork>> SplitNetwork::Make(Clock& clock, int members) {
  if (members < 1 || members > kMaxMembers)
    return Fail(StatusReason::kInvalid, "a split network has 1 to 5 members");
  std::unique_ptr<SplitNetwork> network(new SplitNetwork(clock));
  network->RemoveLinksOfCrashedTests();
  network->switch_ = NewNamespace();
  for (int i = 0; i < members; i++) network->members_.push_back(NewNamespace());
  if (network->switch_ < 0 || network->members_.back() < 0)
    return Fail(StatusReason::kInternalError, "cannot make a network namespace");
  std::string bridges;
  for (int i = 0; i < members; i++) {
    std::string bridge = "side" + std::to_string(i);
    // No delay before a new port forwards: there are no loops to find.
    bridges += "link add " + bridge + " type bridge forward_delay 0 mcast_snooping 0\nlink set " +
               bridge + " up\n";
  }
  SKIFF_RETURN_IF_ERROR(network->RunIp(network->switch_, bridges));
  SKIFF_RETURN_IF_ERROR(network->ClaimClientLinks(members));
  for (int i = 0; i < members; i++) SKIFF_RETURN_IF_ERROR(network->ConnectMember(i));
  SKIFF_RETURN_IF_ERROR(network->Heal());
  return network;
}

SplitNetwork::~SplitNetwork() {
  if (number_ >= 0) {
    std::string lines;
    for (int i = 0; i < static_cast<int>(members_.size()); i++)
      lines += "link del " + LinkName(i) + "\n";
    (void)RunIp(-1, lines);
  }
  for (int descriptor : members_) ::close(descriptor);
  ::close(switch_);
}

Result<void> SplitNetwork::ClaimClientLinks(int members) {
  // The name of the first link is the claim on a block of addresses: the kernel gives it once.
  Result<void> claimed;
  for (int attempt = 0; attempt < 64; attempt++) {
    number_ = (::getpid() + attempt * 61) % kNetworks;
    claimed = RunIp(-1, "link add " + LinkName(0) + " type veth peer name client0 netns " +
                            PathOf(members_[0]) + "\n");
    if (claimed) break;
  }
  if (!claimed) {
    number_ = -1;
    return claimed;
  }
  std::string lines;
  for (int i = 0; i < members; i++) {
    if (i > 0)
      lines += "link add " + LinkName(i) + " type veth peer name client0 netns " +
               PathOf(members_[i]) + "\n";
    lines += "link set " + LinkName(i) + " alias " + std::to_string(::getpid()) + "\n";
    lines += "addr add " + TestAddress(i) + "/30 dev " + LinkName(i) + "\nlink set " + LinkName(i) +
             " up\n";
  }
  return RunIp(-1, lines);
}

// A closed connection keeps its namespace, and so the links, for minutes while nobody acknowledges
// its end. After a crash that is for the next test to clear away.
void SplitNetwork::RemoveLinksOfCrashedTests() {
  std::string lines;
  std::error_code ignored;
  for (const auto& link : std::filesystem::directory_iterator("/sys/class/net", ignored)) {
    std::string name = link.path().filename();
    if (!name.starts_with("skf")) continue;
    std::string owner;
    std::ifstream(link.path() / "ifalias") >> owner;
    pid_t pid = static_cast<pid_t>(std::atoi(owner.c_str()));
    if (pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH) lines += "link del " + name + "\n";
  }
  // Another test may be at it too: whoever comes second finds nothing to delete.
  if (!lines.empty()) (void)RunIp(-1, lines);
}

Result<void> SplitNetwork::ConnectMember(int member) {
  std::string port = "port" + std::to_string(member);
  return RunIp(members_[member],
               "link set lo up\naddr add " + client_address(member) +
                   "/30 dev client0\nlink set client0 up\nlink add peer0 type veth peer name " +
                   port + " netns " + PathOf(switch_) + "\naddr add " + peer_address(member) +
                   "/24 dev peer0\nlink set peer0 up\n");
}

std::string SplitNetwork::client_address(int member) const {
  return AddressFromBlock(number_ * kAddressesPerNetwork + member * kAddressesPerLink + 2);
}

std::string SplitNetwork::TestAddress(int member) const {
  return AddressFromBlock(number_ * kAddressesPerNetwork + member * kAddressesPerLink + 1);
}

std::string SplitNetwork::peer_address(int member) const {
  return "10.9.0." + std::to_string(member + 1);
}

std::string SplitNetwork::LinkName(int member) const {
  return "skf" + std::to_string(number_) + "m" + std::to_string(member);
}

Result<void> SplitNetwork::Partition(const std::vector<std::vector<int>>& groups) {
  std::vector<int> side(members_.size(), -1);
  int sides = 0;
  for (const std::vector<int>& group : groups) {
    for (int member : group) side.at(member) = sides;
    sides++;
  }
  std::string lines;
  for (size_t i = 0; i < members_.size(); i++)
    lines += "link set port" + std::to_string(i) + " master side" +
             std::to_string(side[i] >= 0 ? side[i] : sides++) + " up\n";
  return RunIp(switch_, lines);
}

Result<void> SplitNetwork::Heal() {
  std::vector<int> all(members_.size());
  for (size_t i = 0; i < all.size(); i++) all[i] = static_cast<int>(i);
  return Partition({all});
}

Result<void> SplitNetwork::SetClientLink(int member, bool up) {
  // The far end, so that the test's own address and route stay.
  return RunIp(members_.at(member), std::string("link set client0 ") + (up ? "up\n" : "down\n"));
}

Result<void> SplitNetwork::RunIp(int network_namespace, const std::string& lines) {
  TemporaryDirectory directory;
  std::string file = directory.path() + "/batch";
  std::ofstream(file) << lines;
  Result<std::string> output = RunCommand(
      clock_, {.command = {"ip", "-batch", file}, .network_namespace = network_namespace},
      kIpTimeout);
  if (!output) return std::unexpected(output.error());
  return {};
}

}  // namespace skiff::testing
