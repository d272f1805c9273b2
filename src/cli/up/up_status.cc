// `skiff status`: how the cluster in a data directory is.
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <filesystem>

#include "base/clock.h"
#include "cli/common/diagnostics.h"
#include "cli/common/long_operation.h"
#include "cli/up/up_commands.h"
#include "cli/up/up_directory.h"
#include "net/client/https_get.h"
#include "object/json/json_text.h"
#include "object/scalar/time.h"

namespace skiff::cli {
namespace {

constexpr int kExitNotReady = 3;
constexpr Duration kProbeTimeout = std::chrono::seconds(3);

enum class StatusFormat : uint8_t { kText, kJson };

struct ClusterStatus {
  std::optional<pid_t> pid;
  RunningState running;
  std::string health = "not running";  // "ready", "not ready", "starting", "not reachable"
  std::string details;                 // what /readyz or the network said
  std::string version;
  uint64_t data_bytes = 0;
  std::vector<pki::CertificateState> certificates;
};

// "https://127.0.0.1:6443", "https://[::1]:6443"
Result<net::HttpsTarget> TargetOf(std::string_view url) {
  net::HttpsTarget target;
  const auto fault = [url] { return BadRequest(std::string(url) + " is not an address"); };
  constexpr std::string_view kScheme = "https://";
  if (!url.starts_with(kScheme)) return fault();
  url.remove_prefix(kScheme.size());
  const size_t colon = url.rfind(':');
  if (colon == std::string_view::npos) return fault();
  std::string_view host = url.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  SKIFF_ASSIGN_OR_RETURN(target.address, IpAddress::Parse(host));
  std::from_chars(url.data() + colon + 1, url.data() + url.size(), target.port);
  return target;
}

// The value of a text member, wherever it stands; enough for the one answer that is read so.
std::string MemberText(std::string_view json, std::string_view name) {
  const size_t at = json.find("\"" + std::string(name) + "\"");
  if (at == std::string_view::npos) return "";
  const size_t open = json.find('"', at + name.size() + 2);
  const size_t close = open == std::string_view::npos ? open : json.find('"', open + 1);
  if (close == std::string_view::npos) return "";
  return std::string(json.substr(open + 1, close - open - 1));
}

// Of what /readyz says, the names of the checks that fail. Why they do, only the log tells.
std::string FailedChecks(std::string_view body) {
  constexpr std::string_view kMark = "[-]";
  std::string out;
  for (size_t at = 0; (at = body.find(kMark, at)) != std::string_view::npos;) {
    at += kMark.size();
    out += (out.empty() ? "" : ", ") +
           std::string(body.substr(at, body.find_first_of(" \n", at) - at));
  }
  return out.empty() ? std::string(body) : "its log tells why these checks fail: " + out;
}

uint64_t BytesIn(const std::string& directory) {
  namespace fs = std::filesystem;
  uint64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator at(directory, error), end; at != end; at.increment(error)) {
    if (error) break;
    std::error_code gone;
    const uintmax_t size = at->is_regular_file(gone) ? at->file_size(gone) : 0;
    if (!gone) bytes += size;
  }
  return bytes;
}

std::string DateOf(Duration since_1970) {
  std::string out;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since_1970);
  object::AppendTime({.seconds = seconds.count(), .nanos = 0}, out);
  return out;
}

class StatusRun : public CommandRun {
 public:
  void Declare(FlagSet& flags) override {
    static constexpr FlagChoice<StatusFormat> kFormats[] = {{"text", StatusFormat::kText},
                                                            {"json", StatusFormat::kJson}};
    DeclareDataDir(flags, &data_dir_);
    flags.Add({.name = "output",
               .letter = 'o',
               .placeholder = "FORMAT",
               .help = "the form of the answer",
               .value = OneOf(&format_, kFormats)});
  }

  int Run() override {
    const Result<UpDirectory> place = UpDirectory::Find(data_dir_);
    const Result<ClusterStatus> status = place ? Look(*place) : std::unexpected(place.error());
    if (!status) {
      std::fprintf(stderr, "skiff status: %s\n", status.error().message().c_str());
      return kExitFailure;
    }
    const int printed = PrintText(format_ == StatusFormat::kJson ? AsJson(*place, *status)
                                                                 : AsText(*place, *status));
    if (printed != kExitSuccess) return printed;
    return status->health == "ready" ? kExitSuccess : kExitNotReady;
  }

 private:
  Result<ClusterStatus> Look(const UpDirectory& place) {
    ClusterStatus status;
    SKIFF_ASSIGN_OR_RETURN(status.pid, place.Owner());
    if (!place.exists()) return status;
    status.data_bytes = BytesIn(place.store());
    status.certificates = place.pki().Inspect(clock_);
    if (!status.pid) return status;
    Result<RunningState> running = place.ReadRunning();
    // What an earlier process left is not about this one.
    if (!running || running->pid != *status.pid) {
      status.health = "starting";
      return status;
    }
    status.running = *std::move(running);
    status.version = status.running.version;
    Probe(place, status);
    return status;
  }

  static void Probe(const UpDirectory& place, ClusterStatus& status) {
    status.health = "not reachable";
    Result<net::HttpsTarget> target = TargetOf(status.running.server);
    if (!target) {
      status.details = target.error().message();
      return;
    }
    target->ca_file = place.pki().ca_file();
    target->cert_file = place.pki().admin_cert_file();
    target->key_file = place.pki().admin_key_file();
    const Result<net::HttpsResponse> answer = net::HttpsGet(*target, "/readyz", kProbeTimeout);
    if (!answer) {
      status.details = answer.error().message();
      return;
    }
    status.health = answer->code == 200 ? "ready" : "not ready";
    if (answer->code != 200) status.details = FailedChecks(answer->body);
    const Result<net::HttpsResponse> version = net::HttpsGet(*target, "/version", kProbeTimeout);
    if (version && version->code == 200) status.version = MemberText(version->body, "gitVersion");
  }

  std::string AsText(const UpDirectory& place, const ClusterStatus& status) {
    std::string out = "cluster       ";
    out += status.pid ? "running, pid " + std::to_string(*status.pid) : "not running";
    if (!status.running.started_at.empty()) out += ", since " + status.running.started_at;
    out += '\n';
    if (status.pid) out += "health        " + status.health + '\n';
    if (!status.details.empty()) out += "              " + Printable(status.details) + '\n';
    if (!status.running.server.empty()) out += "address       " + status.running.server + '\n';
    if (!status.version.empty()) out += "version       " + Printable(status.version) + '\n';
    out += "data          " + place.root() + ", " + HumanBytes(status.data_bytes) + '\n';
    if (place.exists()) out += "kubeconfig    " + place.kubeconfig() + '\n';
    for (const pki::CertificateState& one : status.certificates) {
      std::string line = "certificate   " + one.name;
      line.resize(std::max<size_t>(line.size() + 1, 25), ' ');
      out += line;
      if (one.not_after != Duration{}) {
        out += "until " + DateOf(one.not_after) + ", " +
               pki::RelativeTime(one.not_after, clock_.Wall());
      }
      if (!one.fault.empty()) out += (one.not_after != Duration{} ? ": " : "") + one.fault;
      out += '\n';
    }
    return out;
  }

  static std::string AsJson(const UpDirectory& place, const ClusterStatus& status) {
    std::string out = "{\n  \"running\": ";
    out += status.pid ? "true" : "false";
    const auto member = [&out](std::string_view name, std::string_view text) {
      out.append(",\n  \"").append(name).append("\": ");
      out += object::JsonText(Printable(text));
    };
    if (status.pid) out += ",\n  \"pid\": " + std::to_string(*status.pid);
    member("health", status.health);
    if (!status.details.empty()) member("details", status.details);
    if (!status.running.server.empty()) member("server", status.running.server);
    if (!status.running.started_at.empty()) member("startedAt", status.running.started_at);
    if (!status.version.empty()) member("version", status.version);
    member("dataDir", place.root());
    member("kubeconfig", place.kubeconfig());
    out += ",\n  \"dataBytes\": " + std::to_string(status.data_bytes) + ",\n  \"certificates\": [";
    for (const pki::CertificateState& one : status.certificates) {
      out += out.ends_with('[') ? "\n    {\"name\": " : ",\n    {\"name\": ";
      out += object::JsonText(Printable(one.name));
      if (one.not_after != Duration{}) {
        out += ", \"notAfter\": ";
        out += object::JsonText(Printable(DateOf(one.not_after)));
      }
      if (!one.fault.empty()) {
        out += ", \"fault\": ";
        out += object::JsonText(Printable(one.fault));
      }
      out += '}';
    }
    return out + (status.certificates.empty() ? "]\n}\n" : "\n  ]\n}\n");
  }

  std::string data_dir_;
  StatusFormat format_ = StatusFormat::kText;
  SystemClock clock_;
};

}  // namespace

std::unique_ptr<CommandRun> MakeStatus() { return std::make_unique<StatusRun>(); }

}  // namespace skiff::cli
