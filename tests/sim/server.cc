#include "tests/sim/server.h"

#include <utility>

namespace skiff::sim {
namespace {

apiserver::ApiServerOptions ServerOptions() {
  apiserver::ApiServerOptions options;
  options.listen = false;
  options.authorization_modes = {apiserver::AuthorizationMode::kRbac};
  options.storage.data_dir = "/simulated";  // never opened: the store is given
  // The accounts that pods need are made by a loop, which some scenarios do without.
  options.disable_admission_plugins = {"ServiceAccount"};
  options.requests.min_request_timeout = std::chrono::seconds(90);
  apiserver::FillDerived(options, {.default_address = IpAddress::LoopbackV4(), .host_name = "sim"});
  return options;
}

}  // namespace

SimServer::SimServer(SimLoop& loop, SimNetwork& network, Ledger& ledger, uint64_t seed,
                     std::shared_ptr<store::MemoryDisk> disk, LogSink& log)
    : loop_(loop),
      network_(network),
      ledger_(ledger),
      clock_(loop.scheduler()),
      random_(seed),
      disk_random_(seed + 1),
      log_(clock_, log),
      disk_(std::move(disk)) {}

SimServer::~SimServer() { Crash(); }

Result<void> SimServer::Start() {
  store::EmbeddedOptions options;
  options.open_engine = [this] { return disk_->Open(); };
  options.clock = &clock_;
  options.random = &random_;
  ApplyDiskFaults();
  SKIFF_ASSIGN_OR_RETURN(store_, store::EmbeddedStore::Open(std::move(options)));
  ledger_.Follow(*store_);
  Result<std::unique_ptr<apiserver::ApiServer>> server =
      apiserver::ApiServer::Start(ServerOptions(), clock_, random_, log_, store_.get());
  if (!server) {
    Crash();
    return std::unexpected(server.error());
  }
  server_ = std::move(*server);
  network_.ServerUp([this](const serving::UserInfo& user, Executor& executor) {
    return server_->Connect(user, executor);
  });
  return {};
}

void SimServer::Crash() {
  network_.ServerDown();
  // What is committed from now on is not in the copy, or found again by whoever follows next.
  ledger_.Freeze();
  const std::shared_ptr<store::MemoryDisk> left = disk_->Copy();
  disk_->OnWrite({});
  ledger_.Unfollow();
  server_.reset();
  store_.reset();
  disk_ = left;
}

std::string SimServer::RetiredDefinitions() const {
  if (!up()) return "0";
  std::string text;
  for (const MetricFamily* family : server_->metrics().Families()) {
    if (family->spec().name == "skiff_custom_resources_retired") family->AppendText(text);
  }
  text.erase(text.find_last_not_of('\n') + 1);
  return text.substr(text.find_last_of(' ') + 1);
}

void SimServer::ApplyDiskFaults() {
  disk_->SetFull(disk_full_);
  if (slowest_write_ == Duration::zero()) return disk_->OnWrite({});
  disk_->OnWrite([this, longest = static_cast<uint64_t>(slowest_write_.count())] {
    Scheduler& scheduler = loop_.scheduler();
    scheduler.SleepUntil(scheduler.now() + Duration(disk_random_.Uniform(longest)));
  });
}

void SimServer::SetSlowDisk(Duration longest) {
  slowest_write_ = longest;
  ApplyDiskFaults();
}

void SimServer::SetFullDisk(bool full) {
  disk_full_ = full;
  ApplyDiskFaults();
}

void SimServer::FailNextWrite(store::MemoryDisk::Outcome outcome) { disk_->FailWrite(1, outcome); }

void SimServer::Compact() {
  if (!up()) return;
  store_->CurrentRevision([this](Result<store::Revision> revision) {
    if (revision) store_->Compact(*revision, [](Result<store::Revision>) {});
  });
}

}  // namespace skiff::sim
