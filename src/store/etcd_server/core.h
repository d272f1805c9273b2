// What all services of the server share: the store, who this member is, the quota and the alarms.
//
// Owned by the server; outlives all calls. Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <etcd_rpc.pb.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "store/embedded/embedded_store.h"
#include "store/etcd_server/alarm_set.h"
#include "store/etcd_server/etcd_errors.h"
#include "store/etcd_server/jobs.h"

namespace skiff::store {

// The etcd whose behaviour this is.
inline constexpr std::string_view kEtcdServerVersion = "3.6.8";
inline constexpr std::string_view kEtcdClusterVersion = "3.6.0";
// There are no elections: the term of an etcd that is alone.
inline constexpr uint64_t kRaftTerm = 2;

struct EtcdCoreOptions {
  std::string name;
  std::vector<std::string> client_urls;  // as told to clients
  std::vector<std::string> peer_urls;
  int64_t max_txn_ops = 128;
  size_t max_request_bytes = 1536 * 1024;
  uint64_t quota_bytes = 0;       // zero: etcd's default; kNoQuota: none
  std::string scratch_directory;  // for snapshots that are being sent
  std::string alarm_file;         // empty: alarms do not outlive the process
};

inline constexpr uint64_t kNoQuota = UINT64_MAX;

class EtcdServerCore {
 public:
  EtcdServerCore(EmbeddedStore& store, EtcdCoreOptions options, MetricsRegistry& metrics, Log& log);

  EmbeddedStore& store() { return store_; }
  const EtcdCoreOptions& options() const { return options_; }
  MetricsRegistry& metrics() { return metrics_; }
  Log& log() { return log_; }
  JobThread& jobs() { return jobs_; }

  uint64_t cluster_id() const { return cluster_id_; }
  uint64_t member_id() const { return member_id_; }
  uint64_t quota_bytes() const { return quota_bytes_; }

  // The header of an answer; the revision is kept if it is there.
  void Fill(etcdserverpb::ResponseHeader* header);
  template <typename Response>
  void FillHeader(Response& response) {
    Fill(response.mutable_header());
  }

  // Whether anything may be written at all.
  grpc::GrpcStatus CheckWritable() const;
  // Whether something may be added to the store. Passing the quota raises the alarm, which stays
  // until somebody disarms it.
  grpc::GrpcStatus CheckSpace(size_t bytes);
  grpc::GrpcStatus CheckSize(size_t request_bytes) const;
  AlarmSet& alarms() { return alarms_; }
  // The size of the store is looked at from time to time, not at each write.
  void UpdateSize();
  uint64_t bytes_in_use() const { return bytes_in_use_.load(); }
  uint64_t bytes_on_disk() const { return bytes_on_disk_.load(); }

 private:
  EmbeddedStore& store_;
  const EtcdCoreOptions options_;
  MetricsRegistry& metrics_;
  Log& log_;
  const uint64_t cluster_id_;
  const uint64_t member_id_;
  const uint64_t quota_bytes_;
  std::atomic<uint64_t> bytes_on_disk_ = 0;
  std::atomic<uint64_t> bytes_in_use_ = 0;
  AlarmSet alarms_;
  JobThread jobs_;
};

}  // namespace skiff::store
