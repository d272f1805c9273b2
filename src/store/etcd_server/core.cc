#include "store/etcd_server/core.h"

#include <utility>

namespace skiff::store {
namespace {

constexpr uint64_t kDefaultQuota = uint64_t{2} * 1024 * 1024 * 1024;

// FNV-1a: which number names this member is of no consequence, as long as it stays.
uint64_t HashOf(std::string_view text, uint64_t seed) {
  uint64_t hash = 0xcbf29ce484222325 ^ seed;
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace

EtcdServerCore::EtcdServerCore(EmbeddedStore& store, EtcdCoreOptions options,
                               MetricsRegistry& metrics, Log& log)
    : store_(store),
      options_(std::move(options)),
      metrics_(metrics),
      log_(log),
      cluster_id_(static_cast<uint64_t>(store.cluster())),
      member_id_(HashOf(options_.name, cluster_id_) | 1),
      quota_bytes_(options_.quota_bytes == 0 ? kDefaultQuota : options_.quota_bytes),
      alarms_(options_.alarm_file) {
  UpdateSize();
}

void EtcdServerCore::Fill(etcdserverpb::ResponseHeader* header) {
  header->set_cluster_id(cluster_id_);
  header->set_member_id(member_id_);
  header->set_raft_term(kRaftTerm);
  if (header->revision() == 0) header->set_revision(store_.revision().value);
}

grpc::GrpcStatus EtcdServerCore::CheckWritable() const {
  return alarms_.Has(etcdserverpb::CORRUPT) ? grpc::GrpcStatus(kCorrupt) : grpc::GrpcStatus();
}

grpc::GrpcStatus EtcdServerCore::CheckSpace(size_t bytes) {
  if (grpc::GrpcStatus good = CheckWritable(); !good.ok()) return good;
  if (alarms_.Has(etcdserverpb::NOSPACE)) return kNoSpace;
  if (quota_bytes_ == kNoQuota || bytes_in_use_.load() + bytes < quota_bytes_) return {};
  log_.Warning(
      "the store has passed its quota and takes only deletions until the alarm is disarmed",
      {{"quota-backend-bytes", std::to_string(quota_bytes_)}});
  if (Result<void> kept = alarms_.Raise({etcdserverpb::NOSPACE, member_id_}); !kept) {
    log_.Warning("the alarm will not outlive this process", {{"error", kept.error().message()}});
  }
  return kNoSpace;
}

grpc::GrpcStatus EtcdServerCore::CheckSize(size_t request_bytes) const {
  return request_bytes > options_.max_request_bytes ? grpc::GrpcStatus(kRequestTooLarge)
                                                    : grpc::GrpcStatus();
}

void EtcdServerCore::UpdateSize() {
  store_.Figures([this](Result<StoreFigures> figures) {
    if (!figures) return;
    bytes_on_disk_.store(figures->bytes_on_disk);
    bytes_in_use_.store(figures->bytes_in_use);
  });
}

}  // namespace skiff::store
