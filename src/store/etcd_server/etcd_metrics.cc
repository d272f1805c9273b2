#include "store/etcd_server/etcd_metrics.h"

#include <charconv>
#include <string>
#include <string_view>

#include "base/hex.h"

namespace skiff::store {
namespace {

constexpr std::string_view kVersionLabels[] = {"server_version"};
constexpr std::string_view kClusterVersionLabels[] = {"cluster_version"};
constexpr std::string_view kIdLabels[] = {"server_id"};

constexpr MetricSpec kVersion{"etcd_server_version", "The version of this server, as a label.",
                              kVersionLabels};
constexpr MetricSpec kClusterVersion{
    "etcd_cluster_version", "The version of the cluster, as a label.", kClusterVersionLabels};
constexpr MetricSpec kId{
    "etcd_server_id", "The identity of this member in hexadecimal digits, as a label.", kIdLabels};
constexpr MetricSpec kLeaderChanges{"etcd_server_leader_changes_seen_total",
                                    "How often another member has become the leader."};
constexpr MetricSpec kFailed{"etcd_server_proposals_failed_total",
                             "Writes that could not be agreed upon."};

// Gauges of one value.
struct Fixed {
  MetricSpec spec;
  double value;
};
constexpr Fixed kFixed[] = {
    {{"etcd_server_has_leader", "1 when the cluster has a leader."}, 1},
    {{"etcd_server_is_leader", "1 when this member leads."}, 1},
    {{"etcd_server_is_learner", "1 when this member only learns."}, 0},
    // A write is answered when it is done, so that none is ever half agreed upon.
    {{"etcd_server_proposals_pending", "Writes that wait to be committed."}, 0},
};

// Gauges that the store's figures give.
struct Figure {
  MetricSpec spec;
  double (*value)(const StoreFigures&);
};

double RevisionOf(const StoreFigures& figures) {
  return static_cast<double>(figures.revision.value);
}

constexpr Figure kFigures[] = {
    {{"etcd_mvcc_db_total_size_in_bytes", "Bytes that the store takes on disk."},
     [](const StoreFigures& f) { return static_cast<double>(f.bytes_on_disk); }},
    {{"etcd_mvcc_db_total_size_in_use_in_bytes", "Bytes on disk that are in use."},
     [](const StoreFigures& f) { return static_cast<double>(f.bytes_in_use); }},
    {{"etcd_debugging_mvcc_current_revision", "The revision of the last write."}, RevisionOf},
    {{"etcd_debugging_mvcc_compact_revision", "The revision up to which history was given up."},
     [](const StoreFigures& f) { return static_cast<double>(f.compacted.value); }},
    {{"etcd_debugging_mvcc_keys_total", "Keys that are stored."},
     [](const StoreFigures& f) { return static_cast<double>(f.keys); }},
    // One write, one entry of a log of agreement.
    {{"etcd_server_proposals_committed_total", "Writes that were committed."}, RevisionOf},
    {{"etcd_server_proposals_applied_total", "Writes that were applied."}, RevisionOf},
};

}  // namespace

void AddEtcdMetrics(EtcdServerCore& core) {
  static constexpr MetricSpec kQuota{"etcd_server_quota_backend_bytes",
                                     "Bytes that the store may take."};
  MetricsRegistry& registry = core.metrics();
  registry.AddGauge(kVersion).With({kEtcdServerVersion}).Set(1);
  const size_t minor = kEtcdClusterVersion.rfind('.');
  registry.AddGauge(kClusterVersion).With({kEtcdClusterVersion.substr(0, minor)}).Set(1);
  registry.AddGauge(kId).With({HexNumber(core.member_id())}).Set(1);
  registry.AddGauge(kQuota).With({}).Set(static_cast<double>(core.quota_bytes()));
  registry.AddCounter(kLeaderChanges).With({}).Add();
  registry.AddCounter(kFailed).With({});
  for (const Fixed& fixed : kFixed) registry.AddGauge(fixed.spec).With({}).Set(fixed.value);
  for (const Figure& figure : kFigures) {
    registry.AddCollected(figure.spec, MetricKind::kGauge,
                          [&core, &figure](const MetricsRegistry::Emit& emit) {
                            core.store().Figures([&](Result<StoreFigures> figures) {
                              if (figures) emit({}, figure.value(*figures));
                            });
                          });
  }
}

}  // namespace skiff::store
