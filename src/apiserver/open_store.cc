#include "apiserver/open_store.h"

#include <filesystem>
#include <utility>

#include "store/embedded/embedded_store.h"
#include "store/embedded/rocksdb_engine.h"
#include "store/etcd/compactor.h"
#include "store/etcd/etcd_store.h"

namespace skiff::apiserver {
namespace {

Result<OpenedStore> OpenEtcd(const StorageOptions& options, Clock& clock, Random& random) {
  store::EtcdOptions etcd;
  etcd.endpoints = options.etcd_servers;
  etcd.ca_file = options.etcd_ca_file;
  etcd.cert_file = options.etcd_cert_file;
  etcd.key_file = options.etcd_key_file;
  etcd.health_key = options.etcd_prefix + "/health";
  etcd.health_timeout = options.etcd_healthcheck_timeout;
  etcd.clock = &clock;
  etcd.random = &random;
  OpenedStore out;
  SKIFF_ASSIGN_OR_RETURN(out.store, store::EtcdStore::Open(std::move(etcd)));
  out.embedded = false;
  out.compactor =
      std::make_shared<store::EtcdCompactor>(*out.store, clock, options.etcd_compaction_interval);
  return out;
}

// The store has a directory of its own in the data directory, beside what `skiff up` keeps there.
Result<OpenedStore> OpenEmbedded(const StorageOptions& options, Clock& clock, Random& random,
                                 Log& log) {
  std::error_code error;
  const bool is_new = std::filesystem::create_directories(options.data_dir, error);
  if (is_new && !error)
    std::filesystem::permissions(options.data_dir, std::filesystem::perms::owner_all, error);
  if (error) {
    return Fail(StatusReason::kInternalError,
                "--data-dir: cannot make " + options.data_dir + ": " + error.message());
  }
  store::RocksDbOptions engine;
  engine.directory = options.data_dir + "/store";
  engine.on_exposed = [directory = engine.directory, &log] {
    log.Warning("others could look into the store until now; its mode was changed",
                {{"directory", directory}});
  };
  store::EmbeddedOptions embedded;
  embedded.open_engine = [engine] { return store::RocksDbEngine::Open(engine); };
  embedded.probe = [engine] { return store::RocksDbEngine::Probe(engine); };
  embedded.clock = &clock;
  embedded.random = &random;
  embedded.compaction_interval = options.etcd_compaction_interval;
  OpenedStore out;
  SKIFF_ASSIGN_OR_RETURN(out.store, store::EmbeddedStore::Open(std::move(embedded)));
  return out;
}

}  // namespace

Result<OpenedStore> OpenStore(const StorageOptions& options, Clock& clock, Random& random,
                              Log& log) {
  return options.etcd_servers.empty() ? OpenEmbedded(options, clock, random, log)
                                      : OpenEtcd(options, clock, random);
}

}  // namespace skiff::apiserver
