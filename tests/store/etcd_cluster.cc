#include "tests/store/etcd_cluster.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "tests/store/http_get.h"
#include "tests/store/wait.h"

namespace skiff::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kStartLimit = seconds(60);
constexpr Duration kStopLimit = seconds(60);
constexpr Duration kControlLimit = seconds(60);
// Above the second that a member gives itself to answer.
constexpr Duration kHealthLimit = milliseconds(1500);
constexpr Duration kMetricsLimit = milliseconds(500);
// Elections of half a second: short enough to test many, long enough for a busy machine.
constexpr const char* kHeartbeatMs = "50";
constexpr const char* kElectionMs = "500";

std::string Url(bool tls, const std::string& address, int port) {
  return (tls ? "https://" : "http://") + address + ":" + std::to_string(port);
}

std::string ReadAll(const std::string& path) {
  std::ifstream file(path);
  return std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
}

}  // namespace

std::optional<std::string> EtcdCluster::Missing(const EtcdClusterOptions& options) {
  if (!HasProgram("etcd")) return "the program etcd (Debian package etcd-server) is not installed";
  if (!HasProgram("etcdctl"))
    return "the program etcdctl (Debian package etcd-client) is not installed";
  if (options.tls && !HasProgram("openssl"))
    return "the program openssl (Debian package openssl) is not installed";
  if (options.namespaces) return SplitNetwork::Missing();
  return std::nullopt;
}

EtcdCluster::EtcdCluster(Clock& clock, EtcdClusterOptions options)
    : clock_(clock), options_(std::move(options)) {}

Result<std::unique_ptr<EtcdCluster>> EtcdCluster::Start(Clock& clock, EtcdClusterOptions options) {
  std::unique_ptr<EtcdCluster> cluster(new EtcdCluster(clock, std::move(options)));
  SKIFF_RETURN_IF_ERROR(cluster->MakeNetwork());
  if (cluster->options_.tls) SKIFF_RETURN_IF_ERROR(cluster->MakeCertificates());
  for (int i = 0; i < cluster->size(); i++) SKIFF_RETURN_IF_ERROR(cluster->StartProcess(i));
  SKIFF_RETURN_IF_ERROR(cluster->WaitHealthy(kStartLimit));
  return cluster;
}

EtcdCluster::~EtcdCluster() {
  KillAll();
  for (auto& member : members_)
    for (int descriptor : member->reservations) ::close(descriptor);
}

Result<void> EtcdCluster::MakeNetwork() {
  if (options_.namespaces) {
    SKIFF_ASSIGN_OR_RETURN(network_, SplitNetwork::Make(clock_, options_.members));
  }
  for (int i = 0; i < options_.members; i++) {
    auto member = std::make_unique<Member>();
    if (options_.namespaces) {
      // Nobody else is in these namespaces.
      member->client_address = network_->client_address(i);
      member->peer_address = network_->peer_address(i);
      member->client_port = 2379;
      member->peer_port = 2380;
      member->metrics_port = 2381;
    } else {
      member->client_address = member->peer_address = "127.0.0.1";
      SKIFF_ASSIGN_OR_RETURN(member->client_port, ReservePort(*member));
      SKIFF_ASSIGN_OR_RETURN(member->peer_port, ReservePort(*member));
      SKIFF_ASSIGN_OR_RETURN(member->metrics_port, ReservePort(*member));
    }
    members_.push_back(std::move(member));
  }
  return {};
}

// A bound socket keeps the port from being given to anyone who asks for any port. A server that
// names the port gets it all the same: both set SO_REUSEADDR, as Go does, and ours never listens.
Result<int> EtcdCluster::ReservePort(Member& member) {
  int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  member.reservations.push_back(descriptor);
  int on = 1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
      ::bind(descriptor, generic, size) != 0 || ::getsockname(descriptor, generic, &size) != 0)
    return Fail(StatusReason::kInternalError,
                std::string("cannot reserve a port: ") + std::strerror(errno));
  return ntohs(address.sin_port);
}

Result<void> EtcdCluster::MakeCertificates() {
  std::string names = "subjectAltName=IP:127.0.0.1";
  for (auto& member : members_) names += ",IP:" + member->client_address;
  std::string base = directory_.path() + "/";
  auto make = [&](const std::string& name, std::vector<std::string> more) -> Result<void> {
    std::vector<std::string> command = {"openssl",
                                        "req",
                                        "-x509",
                                        "-newkey",
                                        "ec",
                                        "-pkeyopt",
                                        "ec_paramgen_curve:P-256",
                                        "-nodes",
                                        "-days",
                                        "2",
                                        "-subj",
                                        "/CN=" + name,
                                        "-keyout",
                                        base + name + ".key",
                                        "-out",
                                        base + name + ".pem"};
    command.insert(command.end(), more.begin(), more.end());
    Result<std::string> made = RunCommand(clock_, {.command = command}, kControlLimit);
    if (!made) return std::unexpected(made.error());
    return {};
  };
  std::vector<std::string> signed_by_ca = {"-CA",           base + "ca.pem", "-CAkey",
                                           base + "ca.key", "-addext",       names};
  SKIFF_RETURN_IF_ERROR(make("ca", {}));
  SKIFF_RETURN_IF_ERROR(make("server", signed_by_ca));
  return make("client", signed_by_ca);
}

std::string EtcdCluster::DirectoryOf(int member) const {
  return directory_.path() + "/member" + std::to_string(member);
}

std::vector<std::string> EtcdCluster::CommandOf(int index) const {
  const Member& member = *members_.at(index);
  std::string peers;
  for (int i = 0; i < size(); i++)
    peers += (i > 0 ? "," : "") + std::string("m") + std::to_string(i) + "=" +
             Url(false, members_[i]->peer_address, members_[i]->peer_port);
  std::string peer_url = Url(false, member.peer_address, member.peer_port);
  std::vector<std::string> command = {
      "etcd",
      "--name=m" + std::to_string(index),
      "--data-dir=" + DirectoryOf(index),
      "--listen-client-urls=" + endpoint(index),
      "--advertise-client-urls=" + endpoint(index),
      "--listen-peer-urls=" + peer_url,
      "--initial-advertise-peer-urls=" + peer_url,
      "--initial-cluster=" + peers,
      // The token makes the cluster's id: no member may ever join that of another test.
      "--initial-cluster-token=" + directory_.path(),
      "--initial-cluster-state=new",
      "--listen-metrics-urls=" + Url(false, member.client_address, member.metrics_port),
      std::string("--heartbeat-interval=") + kHeartbeatMs,
      std::string("--election-timeout=") + kElectionMs,
      "--logger=zap",
  };
  if (options_.tls) {
    command.push_back("--cert-file=" + directory_.path() + "/server.pem");
    command.push_back("--key-file=" + directory_.path() + "/server.key");
    command.push_back("--trusted-ca-file=" + ca_file());
    command.push_back("--client-cert-auth");
  }
  command.insert(command.end(), options_.extra_arguments.begin(), options_.extra_arguments.end());
  return command;
}

Result<void> EtcdCluster::StartProcess(int index) {
  Member& member = *members_.at(index);
  std::lock_guard lock(member.mutex);
  SKIFF_ASSIGN_OR_RETURN(
      member.process,
      ChildProcess::Start(
          {.command = CommandOf(index),
           .output_file = DirectoryOf(index) + ".log",
           .network_namespace = network_ == nullptr ? -1 : network_->network_namespace(index)}));
  return {};
}

std::string EtcdCluster::endpoint(int member) const {
  return Url(options_.tls, members_.at(member)->client_address, members_.at(member)->client_port);
}

std::vector<std::string> EtcdCluster::endpoints() const {
  std::vector<std::string> all;
  for (int i = 0; i < size(); i++) all.push_back(endpoint(i));
  return all;
}

void EtcdCluster::Kill(int index) {
  Member& member = *members_.at(index);
  std::lock_guard lock(member.mutex);
  member.process.reset();
}

void EtcdCluster::KillAll() {
  for (auto& member : members_) {
    std::lock_guard lock(member->mutex);
    if (member->process != nullptr) member->process->Signal(SIGKILL);
  }
  for (int i = 0; i < size(); i++) Kill(i);
}

void EtcdCluster::Stop(int index) {
  Member& member = *members_.at(index);
  std::lock_guard lock(member.mutex);
  if (member.process == nullptr) return;
  member.process->Signal(SIGTERM);
  member.process->WaitFor(clock_, kStopLimit);
  member.process.reset();
}

Result<void> EtcdCluster::Restart(int index) {
  if (Running(index)) return Fail(StatusReason::kConflict, "the member still runs");
  return StartProcess(index);
}

void EtcdCluster::Pause(int index) {
  std::lock_guard lock(members_.at(index)->mutex);
  if (members_[index]->process != nullptr) members_[index]->process->Signal(SIGSTOP);
}

void EtcdCluster::Resume(int index) {
  std::lock_guard lock(members_.at(index)->mutex);
  if (members_[index]->process != nullptr) members_[index]->process->Signal(SIGCONT);
}

bool EtcdCluster::Running(int index) {
  std::lock_guard lock(members_.at(index)->mutex);
  return members_[index]->process != nullptr && members_[index]->process->Running();
}

bool EtcdCluster::Healthy(int index) {
  const Member& member = *members_.at(index);
  Result<HttpGetResponse> answer =
      HttpGet(clock_, member.client_address, member.metrics_port, "/health", kHealthLimit);
  return answer && answer->code == 200 && answer->body.find("\"true\"") != std::string::npos;
}

Result<void> EtcdCluster::WaitHealthy(Duration limit) {
  std::string problem;
  bool healthy = WaitUntilTrue(clock_, limit, [&] {
    for (int i = 0; i < size(); i++) {
      bool asked;
      {
        std::lock_guard lock(members_[i]->mutex);
        asked = members_[i]->process != nullptr;
      }
      if (!asked || Healthy(i)) continue;
      problem = "member " + std::to_string(i) + " is not healthy; its log ends with\n" + LogTail(i);
      // A member that has ended by itself will not recover.
      return !Running(i);
    }
    problem.clear();
    return true;
  });
  if (healthy && problem.empty()) return {};
  return Fail(StatusReason::kServiceUnavailable, problem);
}

std::optional<int> EtcdCluster::Leader() {
  for (int i = 0; i < size(); i++) {
    if (!Running(i)) continue;
    const Member& member = *members_[i];
    Result<HttpGetResponse> answer =
        HttpGet(clock_, member.client_address, member.metrics_port, "/metrics", kMetricsLimit);
    if (answer && answer->body.find("\netcd_server_is_leader 1\n") != std::string::npos) return i;
  }
  return std::nullopt;
}

Result<int> EtcdCluster::WaitForLeader(Duration limit) {
  std::optional<int> leader;
  WaitUntilTrue(clock_, limit, [&] { return (leader = Leader()).has_value(); });
  if (!leader) return Fail(StatusReason::kTimeout, "the cluster found no leader in time");
  return *leader;
}

Result<std::string> EtcdCluster::MemberId(int member) {
  SKIFF_ASSIGN_OR_RETURN(std::string status,
                         Control(member, {"endpoint", "status", "--write-out=fields"}));
  size_t at = status.find("\"MemberID\" : ");
  if (at == std::string::npos)
    return Fail(StatusReason::kInternalError, "etcdctl tells no member id: " + status);
  char hex[32];
  std::snprintf(hex, sizeof(hex), "%llx", std::strtoull(status.c_str() + at + 13, nullptr, 10));
  return std::string(hex);
}

Result<void> EtcdCluster::MoveLeader(int to) {
  SKIFF_ASSIGN_OR_RETURN(int from, WaitForLeader(kControlLimit));
  if (from == to) return {};
  SKIFF_ASSIGN_OR_RETURN(std::string id, MemberId(to));
  SKIFF_RETURN_IF_ERROR(Control(from, {"move-leader", id}));
  if (!WaitUntilTrue(clock_, kControlLimit, [&] { return Leader() == to; }))
    return Fail(StatusReason::kTimeout, "the new leader does not lead");
  return {};
}

Result<void> EtcdCluster::Partition(const std::vector<std::vector<int>>& groups) {
  return network_->Partition(groups);
}

Result<void> EtcdCluster::Heal() { return network_->Heal(); }

Result<void> EtcdCluster::SetClientLink(int member, bool up) {
  return network_->SetClientLink(member, up);
}

Result<std::string> EtcdCluster::Control(int member, std::vector<std::string> arguments) {
  std::vector<std::string> command = {"etcdctl", "--endpoints=" + endpoint(member)};
  if (options_.tls) {
    command.push_back("--cacert=" + ca_file());
    command.push_back("--cert=" + client_certificate_file());
    command.push_back("--key=" + client_key_file());
  }
  command.insert(command.end(), arguments.begin(), arguments.end());
  return RunCommand(clock_, {.command = command}, kControlLimit);
}

std::string EtcdCluster::LogTail(int member) const {
  constexpr size_t kTailBytes = 2000;
  std::string log = ReadAll(DirectoryOf(member) + ".log");
  return log.size() <= kTailBytes ? log : log.substr(log.size() - kTailBytes);
}

}  // namespace skiff::testing
