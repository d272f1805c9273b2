// `skiff bench api`: load on an API server.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/strings.h"
#include "base/version.h"
#include "cli/bench/bench_commands.h"
#include "cli/bench/bench_report.h"
#include "cli/common/flag_values.h"
#include "cli/common/input.h"
#include "cli/common/long_operation.h"
#include "cli/common/stop_signals.h"
#include "cli/up/up_directory.h"
#include "client/https/kubeconfig.h"
#include "load/api_load.h"
#include "object/scalar/base64.h"

namespace skiff::cli {
namespace {

enum class BenchFormat : uint8_t { kText, kJson };

constexpr FlagChoice<BenchFormat> kFormats[] = {{"text", BenchFormat::kText},
                                                {"json", BenchFormat::kJson}};
constexpr FlagChoice<load::LoadScenario> kScenarios[] = {
    {"get", load::LoadScenario::kGet},       {"list", load::LoadScenario::kList},
    {"create", load::LoadScenario::kCreate}, {"update", load::LoadScenario::kUpdate},
    {"patch", load::LoadScenario::kPatch},   {"delete", load::LoadScenario::kDelete},
    {"watch", load::LoadScenario::kWatch},   {"mixed", load::LoadScenario::kMixed},
};
constexpr FlagChoice<load::LoadKind> kKinds[] = {{"configmap", load::LoadKind::kConfigMap},
                                                 {"pod", load::LoadKind::kPod}};
constexpr FlagChoice<load::LoadAccept> kAccepts[] = {{"json", load::LoadAccept::kJson},
                                                     {"protobuf", load::LoadAccept::kProtobuf},
                                                     {"table", load::LoadAccept::kTable}};
constexpr size_t kPodBytes = 16 * 1024;
constexpr size_t kConfigMapBytes = 1024;
constexpr Duration kShowEvery = std::chrono::milliseconds(100);

template <typename Choices, typename T>
std::string_view NameOf(const Choices& choices, T value) {
  for (const FlagChoice<T>& choice : choices)
    if (choice.value == value) return choice.name;
  return "";
}

// One line on standard error, rewritten in place, and only on a terminal; and Ctrl-C, which ends
// the load but not the cleaning up. A second one ends the program.
class BenchProgress {
 public:
  BenchProgress() : on_terminal_(isatty(STDERR_FILENO) == 1) {}

  load::LoadTick Step(std::string_view name) {
    return [this, step = std::string(name), last = uint64_t{0}, last_at = Duration{},
            rate = 0.0](const load::LoadProgress& progress) mutable {
      if (!interrupted_ && signals_.WaitFor(Duration{})) {
        interrupted_ = true;
        signals_.RestoreDefaultActions();
      }
      if (on_terminal_ && progress.elapsed >= last_at + kShowEvery) {
        const double seconds = std::chrono::duration<double>(progress.elapsed - last_at).count();
        const double now = static_cast<double>(progress.done - last) / seconds;
        rate = last_at == Duration{} ? now : rate * 0.8 + now * 0.2;
        last = progress.done;
        last_at = progress.elapsed;
        Show(step + ": " + Grouped(progress.done) + ", " + Grouped(static_cast<uint64_t>(rate)) +
             "/s" + (progress.errors == 0 ? "" : ", " + Grouped(progress.errors) + " failed"));
      } else if (on_terminal_ && progress.elapsed == Duration{}) {
        Show(step);
      }
      return !interrupted_;
    };
  }
  void Clear() {
    if (!std::exchange(shown_, false)) return;
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
  }
  bool interrupted() const { return interrupted_; }

 private:
  void Show(const std::string& line) {
    std::fprintf(stderr, "\r\033[K%s", line.c_str());
    std::fflush(stderr);
    shown_ = true;
  }

  StopSignals signals_;
  const bool on_terminal_;
  bool interrupted_ = false;
  bool shown_ = false;
};

class BenchApiRun : public CommandRun {
 public:
  void Declare(FlagSet& flags) override {
    DeclareServer(flags);
    DeclareLoad(flags);
    std::vector<std::string> names;
    for (const auto& scenario : kScenarios) names.emplace_back(scenario.name);
    flags.Take({.placeholder = "SCENARIO",
                .min = 1,
                .max = 1,
                .choices = std::move(names),
                .target = &scenario_names_});
    flags.Add({.name = "output",
               .letter = 'o',
               .placeholder = "FORMAT",
               .help = "the form of the report",
               .value = OneOf(&format_, kFormats)});
  }

  Result<void> Check() override {
    load::PlanOptions& plan = options_.plan;
    bool known = false;
    for (const auto& choice : kScenarios) {
      if (choice.name != scenario_names_.front()) continue;
      plan.scenario = choice.value;
      known = true;
    }
    if (!known) return BadRequest(Quoted(scenario_names_.front()) + " is not a scenario");
    if (server_.empty() && (!token_file_.empty() || !certificate_file_.empty()))
      return BadRequest("--token-file and --client-certificate go with --server");
    if (!server_.empty() && (!kubeconfig_.empty() || !context_.empty()))
      return BadRequest("--server excludes --kubeconfig and --context");
    if (!options_.resource.empty() && template_file_.empty())
      return BadRequest("--resource goes with --template");
    if (!options_.resource.empty() && load::CollectionPath(options_.resource, "n").empty())
      return BadRequest("--resource " + Quoted(options_.resource) +
                        " is not like example.com/v1/widgets");
    if (certificate_file_.empty() != key_file_.empty())
      return BadRequest("--client-certificate and --client-key go together");
    const Result<void> set = flag_values::Set(options_.duration, duration_text_, true);
    if (!set) return BadRequest("--duration: " + set.error().message());
    if (options_.duration <= Duration{}) return BadRequest("--duration must be more than nothing");
    if (plan.accept != load::LoadAccept::kJson && plan.scenario != load::LoadScenario::kGet &&
        plan.scenario != load::LoadScenario::kList)
      return BadRequest("--accept is for get and list");
    return {};
  }

  int Run() override {
    Complete();
    const Result<load::ApiLoadReport> report = Measure();
    progress_.reset();
    if (!report) {
      std::fprintf(stderr, "skiff bench api: %s\n", report.error().message().c_str());
      return kExitFailure;
    }
    const BenchHeading heading{.server = shown_server_,
                               .scenario = scenario_names_.front(),
                               .kind = options_.resource.empty()
                                           ? NameOf(kKinds, options_.kind)
                                           : std::string_view(options_.resource),
                               .object_bytes = options_.object_bytes,
                               .connections = static_cast<size_t>(connections_),
                               .streams = static_cast<size_t>(streams_),
                               .pid = pid_};
    if (!report->left_behind.empty())
      std::fprintf(stderr, "skiff bench api: %s\n", report->left_behind.c_str());
    if (report->load.ended_early) std::fputs("skiff bench api: interrupted\n", stderr);
    const int printed = PrintText(format_ == BenchFormat::kJson ? BenchJson(heading, *report)
                                                                : BenchText(heading, *report));
    if (printed != kExitSuccess) return printed;
    const bool sound =
        BenchErrors(*report) == 0 && !report->load.ended_early && report->left_behind.empty();
    return sound ? kExitSuccess : kExitFailure;
  }

 private:
  void DeclareServer(FlagSet& flags) {
    const auto file = [&flags](const char* name, const char* help, std::string* target) {
      flags.Add({.name = name,
                 .placeholder = "FILE",
                 .help = help,
                 .completes = Completes::kFiles,
                 .value = Text(target)});
    };
    file("kubeconfig", "how to reach the server", &kubeconfig_);
    flags.Add({.name = "context",
               .placeholder = "NAME",
               .help = "the context of the kubeconfig, instead of its current one",
               .value = Text(&context_)});
    flags.Add({.name = "server",
               .placeholder = "URL",
               .help = "the server, instead of that of a kubeconfig",
               .value = Text(&server_)});
    file("certificate-authority", "the CA of --server; default: those of the system", &ca_file_);
    file("client-certificate", "who asks --server, with --client-key", &certificate_file_);
    file("client-key", "the key of --client-certificate", &key_file_);
    file("token-file", "a bearer token for --server", &token_file_);
    flags.Add({.name = "token",
               .placeholder = "TOKEN",
               .help = "the same on the command line, where others on the machine can read it",
               .value = Text(&token_)});
    flags.Add({.name = "insecure-skip-tls-verify",
               .help = "believe any server",
               .value = Switch(&insecure_)});
    flags.Add({.name = "pid",
               .placeholder = "PID",
               .help = "the server's process on this machine, to tell what it uses",
               .value = WholeNumber(&pid_, 0)});
  }

  void DeclareLoad(FlagSet& flags) {
    const auto number = [&flags](const char* name, const char* help, int64_t* target, int64_t min) {
      flags.Add(
          {.name = name, .placeholder = "N", .help = help, .value = WholeNumber(target, min)});
    };
    flags.Add({.name = "kind",
               .placeholder = "KIND",
               .help = "the kind of the objects",
               .value = OneOf(&options_.kind, kKinds)});
    flags.Add({.name = "size",
               .placeholder = "BYTES",
               .help = "about as large is an object; default: 16Ki for pods, 1Ki for others",
               .value = ByteCount(&bytes_)});
    flags.Add({.name = "template",
               .placeholder = "FILE",
               .help = "the JSON of an object of that kind, with ${name}, ${namespace}, "
                       "${generation} and a label skiff-bench-run: ${run}, instead of --size",
               .completes = Completes::kFiles,
               .value = Text(&template_file_)});
    flags.Add({.name = "resource",
               .placeholder = "GROUP/VERSION/NAME",
               .help = "what --template is of, if it is of another kind: a namespaced resource",
               .value = Text(&options_.resource)});
    number("objects",
           "how many are made before get, list, update, patch, delete and mixed; 0: 100, "
           "for delete --count",
           &objects_, 0);
    flags.Add({.name = "duration",
               .placeholder = "TIME",
               .help = "how long the load lasts, unless --count is given (default 10s)",
               .value = Text(&duration_text_)});
    number("count", "how many requests are sent, instead of --duration", &count_, 0);
    number("connections", "to the server", &connections_, 1);
    number("streams", "requests under way at a time on each of them", &streams_, 1);
    number("threads", "of this program", &threads_, 1);
    flags.Add({.name = "accept",
               .placeholder = "FORM",
               .help = "the form of what get and list ask for",
               .value = OneOf(&options_.plan.accept, kAccepts)});
    flags.Add({.name = "selector",
               .letter = 'l',
               .placeholder = "LABELS",
               .help = "the label selector of lists",
               .value = Text(&options_.plan.selector)});
    number("limit", "of each list; 0: none", &limit_, 0);
    number("watchers", "of the scenario watch", &watchers_, 1);
    number("events", "of the scenario watch, each of which every watcher shall hear", &events_, 1);
    number("watch-connections", "that carry the watches; 0: one for each watcher",
           &watch_connections_, 0);
    flags.Add({.name = "namespace",
               .letter = 'n',
               .placeholder = "NAME",
               .help = "an existing namespace, instead of one of its own",
               .value = Text(&options_.name_space)});
    flags.Add({.name = "keep",
               .help = "leave what was made, to look at it",
               .value = Switch(&options_.keep)});
  }

  void Complete() {
    options_.object_bytes = bytes_ != 0                             ? bytes_
                            : options_.kind == load::LoadKind::kPod ? kPodBytes
                                                                    : kConfigMapBytes;
    load::PlanOptions& plan = options_.plan;
    plan.count = static_cast<uint64_t>(count_);
    plan.limit = static_cast<uint64_t>(limit_);
    plan.objects = static_cast<uint64_t>(objects_);
    if (plan.objects == 0)
      plan.objects = plan.scenario == load::LoadScenario::kDelete && count_ != 0 ? plan.count : 100;
    if (count_ != 0) options_.duration = Clock::kForever;
    options_.fan_out.watchers = static_cast<size_t>(watchers_);
    options_.fan_out.events = static_cast<uint64_t>(events_);
    options_.fan_out.connections =
        static_cast<size_t>(watch_connections_ == 0 ? watchers_ : watch_connections_);
    if (pid_ != 0) options_.server_pid = pid_;
  }

  // Of --server and the flags beside it.
  client::RestConfig AccessByFlags() const {
    client::RestConfig access;
    access.server = server_;
    access.token = {token_, token_file_};
    access.ca.file = ca_file_;
    access.certificate.file = certificate_file_;
    access.key.file = key_file_;
    return access;
  }

  Result<client::RestConfig> FindAccess() {
    if (!server_.empty()) return AccessByFlags();
    std::vector<std::string> paths =
        kubeconfig_.empty() ? client::DefaultKubeconfigs() : std::vector<std::string>{kubeconfig_};
    if (paths.empty()) {
      const Result<UpDirectory> place = UpDirectory::Find("");
      if (place && std::filesystem::exists(place->kubeconfig()))
        paths.push_back(place->kubeconfig());
    }
    if (paths.empty())
      return BadRequest("there is no kubeconfig; name one with --kubeconfig, or a --server");
    client::KubeconfigChoice choice;
    choice.context = context_;
    return client::ReadKubeconfig(paths, choice);
  }

  Result<load::LoadTarget> FindTarget() {
    SKIFF_ASSIGN_OR_RETURN(const client::RestConfig access, FindAccess());
    load::LoadTarget target;
    SKIFF_ASSIGN_OR_RETURN(target.endpoint, net::ResolveEndpoint(access.server));
    SKIFF_ASSIGN_OR_RETURN(net::ClientTlsOptions tls, client::LoadTls(access));
    tls.insecure |= insecure_;
    SKIFF_ASSIGN_OR_RETURN(target.tls, net::ClientTls::Make(tls));
    target.headers.Add("user-agent", "skiff-bench/" + std::string(kVersion));
    SKIFF_ASSIGN_OR_RETURN(const std::string token, client::LoadToken(access));
    if (!token.empty()) {
      target.headers.Add("authorization", "Bearer " + token);
    } else if (!access.user.empty()) {
      std::string credentials;
      object::AppendBase64(access.user + ":" + access.password, credentials);
      target.headers.Add("authorization", "Basic " + credentials);
    }
    shown_server_ = target.endpoint.ToString();
    return target;
  }

  Result<load::ApiLoadReport> Measure() {
    SKIFF_ASSIGN_OR_RETURN(load::LoadTarget target, FindTarget());
    if (!template_file_.empty()) {
      Result<std::string> text = ReadInput(template_file_);
      if (!text) return BadRequest(template_file_ + ": " + text.error().message());
      options_.object_template = *std::move(text);
      options_.object_bytes = options_.object_template.size();
    }
    // Before the engine's threads, so that none of them receives the signals.
    progress_.emplace();
    const load::LoadShape shape{.threads = static_cast<size_t>(threads_),
                                .connections = static_cast<size_t>(connections_),
                                .streams = static_cast<size_t>(streams_)};
    SKIFF_ASSIGN_OR_RETURN(const auto engine,
                           load::LoadEngine::Start(std::move(target), shape, clock_));
    SystemRandom random;
    load::ApiLoad load(*engine, options_, random,
                       [this](std::string_view step) { return progress_->Step(step); });
    Result<load::ApiLoadReport> report = load.Run();
    progress_->Clear();
    return report;
  }

  std::string kubeconfig_, context_, server_, ca_file_, certificate_file_, key_file_;
  std::string token_file_, token_, template_file_;
  bool insecure_ = false;
  int64_t pid_ = 0;
  std::vector<std::string> scenario_names_;
  load::ApiLoadOptions options_;
  size_t bytes_ = 0;  // of an object; zero: as usual for its kind
  std::string duration_text_ = "10s";
  int64_t objects_ = 0, count_ = 0, connections_ = 4, streams_ = 8, threads_ = 1, limit_ = 0;
  int64_t watchers_ = 500, events_ = 1000, watch_connections_ = 0;
  BenchFormat format_ = BenchFormat::kText;
  SystemClock clock_;
  std::string shown_server_;
  std::optional<BenchProgress> progress_;
};

}  // namespace

std::unique_ptr<CommandRun> MakeBenchApi() { return std::make_unique<BenchApiRun>(); }

}  // namespace skiff::cli
