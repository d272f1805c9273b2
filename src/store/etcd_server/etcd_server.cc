#include "store/etcd_server/etcd_server.h"

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <utility>

#include "base/limits.h"
#include "base/metrics.h"
#include "base/process_metrics.h"
#include "base/thread.h"
#include "net/loop_watchdog.h"
#include "net/server.h"
#include "store/embedded/embedded_store.h"
#include "store/embedded/rocksdb_engine.h"
#include "store/etcd_server/core.h"
#include "store/etcd_server/etcd_metrics.h"
#include "store/etcd_server/http_pages.h"
#include "store/etcd_server/json_gateway.h"
#include "store/etcd_server/services.h"

namespace skiff::store {
namespace {

// How often the size of the store is looked at.
constexpr Duration kSizeInterval = std::chrono::seconds(1);
constexpr Duration kCompactionInterval = std::chrono::minutes(5);
// What a message may have beyond the largest request, as in etcd.
constexpr size_t kGrpcOverheadBytes = 512 * 1024;
constexpr uint32_t kManyStreams = 1'000'000;
// A client in Go measures the line with a PING for about every answer that it reads.
constexpr uint32_t kControlFramesPerSecond = 1'000'000;
constexpr uint32_t kResetsPerSecond = 1000;
constexpr Duration kIdleTimeout = std::chrono::hours(24);

Result<std::unique_ptr<EmbeddedStore>> OpenStore(const EtcdServerOptions& options, Clock& clock,
                                                 Random& random, Log& log) {
  std::error_code error;
  const bool is_new = std::filesystem::create_directories(options.data_directory, error);
  // Others may not look into it: there may be secrets.
  if (is_new && !error) {
    std::filesystem::permissions(options.data_directory, std::filesystem::perms::owner_all, error);
  }
  if (error) {
    return Fail(StatusReason::kInternalError,
                "--data-dir: cannot make " + options.data_directory + ": " + error.message());
  }
  RocksDbOptions engine;
  engine.directory = options.data_directory + "/store";
  engine.sync = options.sync;
  engine.on_exposed = [directory = engine.directory, &log] {
    log.Warning("others could look into the store until now; its mode was changed",
                {{"directory", directory}});
  };
  EmbeddedOptions embedded;
  embedded.open_engine = [engine] { return RocksDbEngine::Open(engine); };
  embedded.probe = [engine] { return RocksDbEngine::Probe(engine); };
  embedded.clock = &clock;
  embedded.random = &random;
  embedded.compaction_interval =
      options.compaction_retention.count() > 0
          ? std::clamp<Duration>(options.compaction_retention / 10, std::chrono::seconds(1),
                                 std::chrono::hours(1))
          : Duration(0);
  embedded.retention = options.compaction_retention;
  return EmbeddedStore::Open(std::move(embedded));
}

EtcdCoreOptions CoreOptions(const EtcdServerOptions& options) {
  EtcdCoreOptions core;
  core.name = options.name;
  core.client_urls = options.client_urls;
  core.peer_urls = options.peer_urls;
  core.max_txn_ops = options.max_txn_ops;
  core.max_request_bytes = options.max_request_bytes;
  core.quota_bytes =
      options.quota_bytes < 0 ? kNoQuota : static_cast<uint64_t>(options.quota_bytes);
  core.scratch_directory = options.data_directory;
  core.alarm_file = options.data_directory + "/alarms";
  return core;
}

// Snapshots that were being sent when a process ended.
void RemoveScratch(const std::string& directory) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (entry.path().filename().string().starts_with("snapshot-"))
      std::filesystem::remove(entry.path(), error);
  }
}

}  // namespace

class EtcdServer::Impl {
 public:
  Impl(EtcdServerOptions options, Clock& clock, Log& log, std::unique_ptr<EmbeddedStore> store)
      : options_(std::move(options)),
        clock_(clock),
        log_(log),
        store_(std::move(store)),
        core_(*store_, CoreOptions(options_), metrics_, log),
        pages_(core_),
        gateway_(&pages_),
        router_(options_.has_gateway ? static_cast<net::HttpHandler*>(&gateway_) : &pages_,
                metrics_, clock, options_.max_request_bytes + kGrpcOverheadBytes),
        watchdog_(clock, log, &metrics_) {
    gateway_.SetRouter(&router_);
  }
  ~Impl() {
    Stop();
    servers_.clear();
    // It answers what is under way, and answers go through the router.
    store_.reset();
  }

  Result<void> Start() {
    RemoveScratch(options_.data_directory);
    SKIFF_RETURN_IF_ERROR(core_.alarms().Load());
    for (const AlarmSet::Alarm& alarm : core_.alarms().List())
      log_.Warning("an alarm is raised", {{"alarm", std::string(AlarmName(alarm.type))}});
    AddEtcdMetrics(core_);
    AddProcessMetrics(metrics_, std::chrono::duration<double>(clock_.Wall()).count());
    AddKvService(router_, core_);
    AddWatchService(router_, core_, watches_);
    AddLeaseService(router_, core_);
    AddMaintenanceService(router_, core_);
    AddClusterService(router_, core_);
    AddAbsentServices(router_);
    AddHealthService(router_);
    watchdog_.Start();
    SKIFF_RETURN_IF_ERROR(Listen(options_.plain_addresses, std::nullopt, &router_, &addresses_));
    SKIFF_RETURN_IF_ERROR(Listen(options_.tls_addresses, options_.tls, &router_, &addresses_));
    std::vector<std::string> of_metrics;
    SKIFF_RETURN_IF_ERROR(Listen(options_.metrics_addresses, std::nullopt, &pages_, &of_metrics));
    SKIFF_RETURN_IF_ERROR(
        Listen(options_.tls_metrics_addresses, options_.tls, &pages_, &of_metrics));
    ticker_.emplace("etcd-ticker", [this] { Tick(); });
    return {};
  }

  const std::vector<std::string>& addresses() const { return addresses_; }

  void Drain(Duration grace) {
    router_.EndStreams(kServerStopped);
    const Duration end = clock_.Monotonic() + grace;
    for (const auto& server : servers_)
      server->Drain(std::max<Duration>(end - clock_.Monotonic(), Duration(0)));
    Stop();
  }

 private:
  Result<void> Listen(const std::vector<std::string>& addresses, std::optional<net::TlsOptions> tls,
                      net::HttpHandler* handler, std::vector<std::string>* out) {
    if (addresses.empty()) return {};
    net::HttpServerOptions http;
    http.addresses = addresses;
    http.tls = std::move(tls);
    http.handler = handler;
    http.clock = &clock_;
    http.watchdog = &watchdog_;
    // Bytes have half as much again in the JSON of the gateway, and more.
    http.limits.max_body_bytes = 2 * router_.max_message_bytes();
    http.limits.max_streams = options_.max_streams == 0 ? kManyStreams : options_.max_streams;
    http.limits.control_frames_per_second = kControlFramesPerSecond;
    http.limits.resets_per_second = kResetsPerSecond;
    http.limits.lenient = true;
    http.limits.idle_timeout = kIdleTimeout;
    http.on_error = [this](std::string_view what) { log_.Warning(what); };
    SKIFF_ASSIGN_OR_RETURN(auto server, net::HttpServer::Start(std::move(http)));
    out->insert(out->end(), server->addresses().begin(), server->addresses().end());
    servers_.push_back(std::move(server));
    return {};
  }

  // Calls end with their connections, before what they use does.
  void Stop() {
    for (const auto& server : servers_) server->Stop();
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
      wake_.notify_all();
    }
    ticker_.reset();
    core_.jobs().Stop();
  }

  void Tick() {
    Duration next_progress = clock_.Monotonic() + options_.progress_interval;
    Duration next_compaction = clock_.Monotonic() + kCompactionInterval;
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      clock_.WaitUntil(wake_, lock, std::min(next_progress, clock_.Monotonic() + kSizeInterval));
      if (stopping_) return;
      lock.unlock();
      core_.UpdateSize();
      const Duration now = clock_.Monotonic();
      if (now >= next_progress) {
        watches_.Tick();
        next_progress = now + options_.progress_interval;
      }
      if (now >= next_compaction) {
        CompactByRevision();
        next_compaction = now + kCompactionInterval;
      }
      lock.lock();
    }
  }

  void CompactByRevision() {
    const Revision target{store_->revision().value - options_.compaction_revisions};
    if (options_.compaction_revisions <= 0 || target <= store_->compacted()) return;
    store_->Compact(target, [](Result<Revision>) {});
  }

  const EtcdServerOptions options_;
  Clock& clock_;
  Log& log_;
  MetricsRegistry metrics_;
  std::unique_ptr<EmbeddedStore> store_;
  EtcdServerCore core_;
  WatchRegistry watches_;
  HttpPages pages_;
  JsonGateway gateway_;
  grpc::GrpcRouter router_;
  net::LoopWatchdog watchdog_;
  std::vector<std::unique_ptr<net::HttpServer>> servers_;
  std::vector<std::string> addresses_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::optional<Thread> ticker_;
};

EtcdServer::EtcdServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
EtcdServer::~EtcdServer() = default;

Result<std::unique_ptr<EtcdServer>> EtcdServer::Start(EtcdServerOptions options, Clock& clock,
                                                      Random& random, Log& log) {
  SKIFF_ASSIGN_OR_RETURN(auto store, OpenStore(options, clock, random, log));
  auto impl = std::make_unique<Impl>(std::move(options), clock, log, std::move(store));
  SKIFF_RETURN_IF_ERROR(impl->Start());
  return std::unique_ptr<EtcdServer>(new EtcdServer(std::move(impl)));
}

const std::vector<std::string>& EtcdServer::addresses() const { return impl_->addresses(); }
void EtcdServer::Drain(Duration grace) { impl_->Drain(grace); }

}  // namespace skiff::store
