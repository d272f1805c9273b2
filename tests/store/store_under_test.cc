#include "tests/store/store_under_test.h"

#include <utility>

#include "base/log.h"
#include "base/random.h"
#include "base/temporary_directory.h"
#include "store/blocking.h"
#include "store/embedded/embedded_store.h"
#include "store/embedded/memory_engine.h"
#include "store/embedded/rocksdb_engine.h"
#include "store/etcd/etcd_store.h"
#include "store/etcd_server/etcd_server.h"
#include "tests/store/etcd_cluster.h"
#include "tests/store/wait.h"

namespace skiff::testing {
namespace {

// ---- Embedded

class EmbeddedUnderTest : public StoreUnderTest {
 public:
  ~EmbeddedUnderTest() override { Close(); }
  store::Store& store() override { return *store_; }
  void Close() override { store_.reset(); }
  void PassTime(Duration time) override { clock_.Advance(time); }

  Result<void> Open() override {
    store::EmbeddedOptions options;
    options.open_engine = [this] { return OpenEngine(); };
    options.clock = &clock_;
    options.random = &random_;
    options.compaction_interval = Duration::zero();  // only when the test says so
    SKIFF_ASSIGN_OR_RETURN(store_, store::EmbeddedStore::Open(std::move(options)));
    return {};
  }

 protected:
  virtual Result<std::unique_ptr<store::Engine>> OpenEngine() = 0;

 private:
  ManualClock clock_;
  SeededRandom random_{1};
  std::unique_ptr<store::EmbeddedStore> store_;
};

class MemoryUnderTest final : public EmbeddedUnderTest {
 public:
  ~MemoryUnderTest() override { Close(); }

 private:
  Result<std::unique_ptr<store::Engine>> OpenEngine() override { return disk_->Open(); }
  std::shared_ptr<store::MemoryDisk> disk_ = store::MemoryDisk::Make();
};

class RocksDbUnderTest final : public EmbeddedUnderTest {
 public:
  ~RocksDbUnderTest() override { Close(); }

 private:
  Result<std::unique_ptr<store::Engine>> OpenEngine() override {
    store::RocksDbOptions options;
    options.directory = directory_.path() + "/store";
    return store::RocksDbEngine::Open(std::move(options));
  }
  TemporaryDirectory directory_;
};

// ---- etcd

// One member serves all tests of the program; it goes with the program.
EtcdCluster* SharedCluster() {
  static SystemClock clock;
  static const Result<std::unique_ptr<EtcdCluster>> cluster = EtcdCluster::Start(clock, {});
  return cluster ? cluster->get() : nullptr;
}

class EtcdUnderTest final : public StoreUnderTest {
 public:
  store::Store& store() override { return *store_; }
  void Close() override { store_.reset(); }
  void PassTime(Duration time) override { LetPass(clock_, time); }

  Result<void> Open() override {
    EtcdCluster* const cluster = SharedCluster();
    if (cluster == nullptr) return Fail(StatusReason::kServiceUnavailable, "etcd did not start");
    store::EtcdOptions options;
    options.endpoints = cluster->endpoints();
    options.clock = &clock_;
    options.random = &random_;
    SKIFF_ASSIGN_OR_RETURN(store_, store::EtcdStore::Open(std::move(options)));
    return {};
  }

 private:
  SystemClock clock_;
  SeededRandom random_{1};
  std::unique_ptr<store::EtcdStore> store_;
};

// ---- skiff etcd

// The same client, and our own server on a store of its own.
class EtcdServerUnderTest final : public StoreUnderTest {
 public:
  store::Store& store() override { return *store_; }
  void Close() override { store_.reset(); }
  void PassTime(Duration time) override { LetPass(clock_, time); }

  Result<void> Open() override {
    if (server_ == nullptr) {
      store::EtcdServerOptions server;
      server.data_directory = directory_.path();
      server.plain_addresses = {"127.0.0.1:0"};
      SKIFF_ASSIGN_OR_RETURN(server_,
                             store::EtcdServer::Start(std::move(server), clock_, random_, log_));
    }
    store::EtcdOptions options;
    options.endpoints = {"http://" + server_->addresses()[0]};
    options.clock = &clock_;
    options.random = &random_;
    SKIFF_ASSIGN_OR_RETURN(store_, store::EtcdStore::Open(std::move(options)));
    // What the server can do is known once it has answered.
    SKIFF_RETURN_IF_ERROR(store::Await<store::Revision>(
        [&](auto done) { store_->CurrentRevision(std::move(done)); }));
    return {};
  }

 private:
  SystemClock clock_;
  SystemRandom random_;
  MemoryLogSink lines_;
  Log log_{clock_, lines_, 0};
  TemporaryDirectory directory_;
  std::unique_ptr<store::EtcdServer> server_;
  std::unique_ptr<store::EtcdStore> store_;
};

constexpr StoreKind kMemory{
    .name = "EmbeddedInMemory",
    .fresh = true,
    .events_before_answers = true,
    .steered_time = true,
    .make = [] { return std::unique_ptr<StoreUnderTest>(std::make_unique<MemoryUnderTest>()); },
};
constexpr StoreKind kRocksDb{
    .name = "EmbeddedOnDisk",
    .fresh = true,
    .events_before_answers = true,
    .steered_time = true,
    .make = [] { return std::unique_ptr<StoreUnderTest>(std::make_unique<RocksDbUnderTest>()); },
};
constexpr StoreKind kEtcd{
    .name = "Etcd",
    .engine = "etcd",
    .missing = [] { return EtcdCluster::Missing({}); },
    .make = [] { return std::unique_ptr<StoreUnderTest>(std::make_unique<EtcdUnderTest>()); },
};

constexpr StoreKind kEtcdServer{
    .name = "EtcdServer",
    .engine = "etcd",
    .fresh = true,
    .make = [] { return std::unique_ptr<StoreUnderTest>(std::make_unique<EtcdServerUnderTest>()); },
};

}  // namespace

const std::vector<const StoreKind*>& StoreKinds() {
  static const std::vector<const StoreKind*> kinds = {&kMemory, &kRocksDb, &kEtcd, &kEtcdServer};
  return kinds;
}

}  // namespace skiff::testing
