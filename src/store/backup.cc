#include "store/backup.h"

#include <set>
#include <utility>

#include "store/blocking.h"

namespace skiff::store {
namespace {

// Writes what a scan brings. A scan cannot be stopped: after an error the rest passes unheeded.
class WritingSink final : public ScanSink {
 public:
  WritingSink(BackupWriter& writer, const ProgressFunction& progress)
      : writer_(writer), progress_(progress) {}

  void OnEntries(std::vector<KeyValue> entries) override {
    for (const KeyValue& entry : entries) {
      if (!status_) return;
      if (entry.lease.value != 0) leases_.insert(entry.lease);
      status_ = writer_.Add(entry);
    }
    if (progress_) progress_({writer_.so_far().entries, 0, writer_.bytes()});
  }

  const Result<void>& status() const { return status_; }
  const std::set<LeaseId>& leases() const { return leases_; }

 private:
  BackupWriter& writer_;
  const ProgressFunction& progress_;
  Result<void> status_;
  std::set<LeaseId> leases_;
};

}  // namespace

Result<Revision> StoreSource::Scan(const KeyRange& range, ScanSink* sink) {
  return Await<Revision>([&](auto done) { store_.Scan(range, sink, std::move(done)); });
}

Result<LeaseInfo> StoreSource::FindLease(LeaseId id) {
  return Await<LeaseInfo>([&](auto done) { store_.FindLease(id, std::move(done)); });
}

Result<Revision> StoreSource::CurrentRevision() {
  return Await<Revision>([&](auto done) { store_.CurrentRevision(std::move(done)); });
}

Result<BackupEnd> TakeBackup(BackupSource& source, const BackupHeader& header, ByteSink& sink,
                             const ProgressFunction& progress) {
  BackupWriter writer(sink);
  SKIFF_RETURN_IF_ERROR(writer.Begin(header));
  WritingSink entries(writer, progress);
  SKIFF_ASSIGN_OR_RETURN(const Revision revision,
                         source.Scan(KeyRange::Prefix(header.prefix), &entries));
  SKIFF_RETURN_IF_ERROR(entries.status());
  for (const LeaseId id : entries.leases()) {
    Result<LeaseInfo> lease = source.FindLease(id);
    if (!lease && lease.error().reason() == StatusReason::kNotFound) {
      lease = LeaseInfo{.id = id};
    }
    SKIFF_RETURN_IF_ERROR(lease);
    SKIFF_RETURN_IF_ERROR(writer.Add(*lease));
  }
  return writer.Finish(revision);
}

}  // namespace skiff::store
