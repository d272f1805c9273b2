// The flags of `skiff etcd`, named as etcd names them, and what they come to.
//
// A flag may also be given by the environment (ETCD_DATA_DIR for --data-dir) or by a file of YAML
// (--config-file), which then counts alone, as with etcd.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/common/flags.h"
#include "store/etcd_server/etcd_server.h"

namespace skiff::cli {

struct EtcdFlags {
  std::string name = "default";
  std::string data_dir;
  std::string listen_client_urls = "http://localhost:2379";
  std::string advertise_client_urls;  // empty: where it listens
  std::string listen_metrics_urls;
  std::string initial_advertise_peer_urls = "http://localhost:2380";
  std::string initial_cluster;
  std::string cert_file;
  std::string key_file;
  std::string trusted_ca_file;
  bool client_cert_auth = false;
  std::string cipher_suites;
  std::string tls_min_version;
  std::string auto_compaction_mode = "periodic";
  std::string auto_compaction_retention = "0";
  int64_t quota_backend_bytes = 0;
  int64_t max_txn_ops = 128;
  int64_t max_request_bytes = 1536 * 1024;
  int64_t max_concurrent_streams = UINT32_MAX;
  std::string progress_interval = "10m";
  bool unsafe_no_fsync = false;
  bool enable_grpc_gateway = true;
  std::string log_level = "info";
  std::string log_outputs = "default";
  std::string config_file;
  bool version = false;
  std::string refused;  // a flag that was given and that must not be ignored
};

// Also takes what the environment says; `fault` gets the first thing that is wrong with that.
void DeclareEtcdFlags(FlagSet& flags, EtcdFlags& values, std::string* fault);
// Replaces all values by those of --config-file, if it was given.
Result<void> ReadEtcdConfigFile(EtcdFlags& values);
// What the server is started with. Faults that no single flag has are told here.
Result<store::EtcdServerOptions> ToServerOptions(const EtcdFlags& values);

}  // namespace skiff::cli
