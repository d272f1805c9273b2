#include "cli/store/store_location.h"

#include <algorithm>
#include <utility>

#include <sys/stat.h>

#include "base/strings.h"
#include "cli/common/diagnostics.h"
#include "store/backup_file.h"
#include "store/blocking.h"
#include "store/embedded/offline_reader.h"
#include "store/embedded/rocksdb_engine.h"
#include "store/etcd/etcd_store.h"

namespace skiff::cli {
namespace {

constexpr std::string_view kEmbeddedScheme = "embedded:";
// Someone waits for the command: tell after this time that etcd does not answer.
constexpr Duration kEtcdPatience = std::chrono::seconds(15);

bool IsEtcdUrl(std::string_view text) {
  return text.starts_with("http://") || text.starts_with("https://");
}

// "1 key", "2 keys"
std::string Counted(uint64_t number, std::string_view what) {
  return std::to_string(number) + " " + std::string(what) + (number == 1 ? "" : "s");
}

class EmbeddedReader final : public LocationReader {
 public:
  EmbeddedReader(StoreLocation place, Clock* clock) : place_(std::move(place)), clock_(clock) {}

  Result<void> Open() {
    store::RocksDbOptions options;
    options.directory = place_.data_dir;
    options.create = false;
    options.read_only = true;
    reader_.reset();  // one at a time
    Result<std::unique_ptr<store::Engine>> engine = store::RocksDbEngine::Open(std::move(options));
    if (!engine) return std::unexpected(std::move(engine).error());
    Result<std::unique_ptr<store::OfflineReader>> reader =
        store::OfflineReader::Open(std::move(*engine), clock_);
    if (!reader) return AtPlace(place_, reader.error());
    reader_ = std::move(*reader);
    return {};
  }

  Result<store::Revision> Scan(const store::KeyRange& range, store::ScanSink* sink) override {
    return reader_->Scan(range, sink);
  }
  Result<store::LeaseInfo> FindLease(store::LeaseId id) override { return reader_->FindLease(id); }
  // What was opened stands still; the present is seen by opening again.
  Result<store::Revision> CurrentRevision() override {
    SKIFF_RETURN_IF_ERROR(Open());
    return reader_->CurrentRevision();
  }
  Result<std::optional<store::KeyValue>> Get(std::string_view key) override {
    return reader_->Get(key);
  }
  Result<LocationFigures> Figures() override {
    const store::StoreMeta& meta = reader_->meta();
    const store::EngineFigures engine = reader_->Figures();
    LocationFigures figures;
    figures.engine = "embedded";
    figures.format_version = store::kStoreFormat;
    figures.cluster_id = cluster_id();
    figures.revision = {meta.revision};
    figures.compacted = store::Revision{meta.compacted};
    SKIFF_ASSIGN_OR_RETURN(figures.leases, reader_->CountLeases());
    figures.bytes_on_disk = engine.bytes_on_disk;
    // An estimate, which is too high while most of the data is in logs.
    figures.bytes_in_use = std::min(engine.bytes_in_use, engine.bytes_on_disk);
    return figures;
  }
  Result<Verdict> Verify(const store::ProgressFunction& progress) override {
    SKIFF_ASSIGN_OR_RETURN(const store::VerifyReport report, reader_->Verify(progress));
    return Verdict{Counted(report.records, "record") + ", " + Counted(report.keys, "key") +
                       " and " + Counted(report.leases, "lease") + " are sound",
                   report.damaged, report.damage};
  }
  uint64_t cluster_id() override { return static_cast<uint64_t>(reader_->meta().cluster); }

 private:
  const StoreLocation place_;
  Clock* const clock_;
  std::unique_ptr<store::OfflineReader> reader_;
};

// Counts what a scan brings.
class CountingSink final : public store::ScanSink {
 public:
  explicit CountingSink(const store::ProgressFunction& progress) : progress_(progress) {}
  void OnEntries(std::vector<store::KeyValue> entries) override {
    count += entries.size();
    for (const store::KeyValue& entry : entries) bytes_ += entry.key.size() + entry.value.size();
    if (progress_) progress_({count, 0, bytes_});
  }
  uint64_t count = 0;

 private:
  const store::ProgressFunction& progress_;
  uint64_t bytes_ = 0;
};

class EtcdReader final : public LocationReader {
 public:
  explicit EtcdReader(std::unique_ptr<store::Store> store)
      : store_(std::move(store)), source_(*store_) {}

  Result<store::Revision> Scan(const store::KeyRange& range, store::ScanSink* sink) override {
    return source_.Scan(range, sink);
  }
  Result<store::LeaseInfo> FindLease(store::LeaseId id) override { return source_.FindLease(id); }
  Result<store::Revision> CurrentRevision() override { return source_.CurrentRevision(); }
  Result<std::optional<store::KeyValue>> Get(std::string_view key) override {
    store::RangeRequest request;
    request.range = store::KeyRange::Single(key);
    SKIFF_ASSIGN_OR_RETURN(store::RangeReply reply,
                           store::RangeAndWait(*store_, std::move(request)));
    if (reply.entries.empty()) return std::nullopt;
    return std::move(reply.entries[0]);
  }
  Result<LocationFigures> Figures() override {
    SKIFF_ASSIGN_OR_RETURN(
        const store::StoreFigures found,
        store::Await<store::StoreFigures>([&](auto done) { store_->Figures(std::move(done)); }));
    LocationFigures figures;
    figures.engine = "etcd";
    figures.revision = found.revision;
    if (found.compacted.value != 0) figures.compacted = found.compacted;
    figures.bytes_on_disk = found.bytes_on_disk;
    figures.bytes_in_use = found.bytes_in_use;
    return figures;
  }
  Result<Verdict> Verify(const store::ProgressFunction& progress) override {
    CountingSink sink(progress);
    SKIFF_RETURN_IF_ERROR(source_.Scan(store::KeyRange::All(), &sink));
    return Verdict{.sound = Counted(sink.count, "key") +
                            " could be read; etcd keeps its checksums to itself"};
  }
  uint64_t cluster_id() override { return 0; }

 private:
  std::unique_ptr<store::Store> store_;
  store::StoreSource source_;
};

class BackupLocationReader final : public LocationReader {
 public:
  explicit BackupLocationReader(std::unique_ptr<store::ByteSource> bytes)
      : bytes_(std::move(bytes)) {}

  Result<void> Open(const std::string& path) {
    SKIFF_ASSIGN_OR_RETURN(const store::BackupReader reader, store::BackupReader::Open(*bytes_));
    header_ = reader.header();
    struct stat found;
    if (stat(path.c_str(), &found) == 0) size_ = static_cast<uint64_t>(found.st_size);
    return {};
  }

  Result<store::Revision> Scan(const store::KeyRange& range, store::ScanSink* sink) override {
    return ReadAll([&](store::BackupReader::Entry entry) {
      if (!range.Contains(entry.entry.key)) return;
      std::vector<store::KeyValue> piece;
      piece.push_back(std::move(entry.entry));
      sink->OnEntries(std::move(piece));
    });
  }
  Result<store::LeaseInfo> FindLease(store::LeaseId id) override {
    if (!end_) SKIFF_RETURN_IF_ERROR(ReadAll([](const store::BackupReader::Entry&) {}));
    for (const store::LeaseInfo& lease : leases_) {
      if (lease.id == id) return lease;
    }
    return Fail(StatusReason::kNotFound, "the backup has no such lease");
  }
  Result<store::Revision> CurrentRevision() override {
    return end_ ? end_->revision : store::Revision();
  }
  Result<std::optional<store::KeyValue>> Get(std::string_view key) override {
    std::optional<store::KeyValue> found;
    SKIFF_RETURN_IF_ERROR(ReadAll([&](store::BackupReader::Entry entry) {
      if (entry.entry.key == key) found = std::move(entry.entry);
    }));
    return found;
  }
  Result<LocationFigures> Figures() override {
    if (!end_) SKIFF_RETURN_IF_ERROR(ReadAll([](const store::BackupReader::Entry&) {}));
    LocationFigures figures;
    figures.engine = "backup";
    figures.format_version = store::kBackupFormatVersion;
    figures.cluster_id = header_.cluster_id;
    figures.taken_at = header_.taken_at;
    figures.revision = end_->revision;
    figures.leases = end_->leases;
    figures.bytes_on_disk = size_;
    return figures;
  }
  Result<Verdict> Verify(const store::ProgressFunction&) override {
    SKIFF_ASSIGN_OR_RETURN(store::BackupReader reader, store::BackupReader::Open(*bytes_));
    SKIFF_ASSIGN_OR_RETURN(const store::BackupIndex index,
                           store::BackupIndex::Build(*bytes_, reader));
    return Verdict{.sound = Counted(index.end().entries, "key") + " and " +
                            Counted(index.end().leases, "lease") + " are sound"};
  }
  uint64_t cluster_id() override { return header_.cluster_id; }

 private:
  // All of the file is read each time, and so checked each time.
  template <typename Take>
  Result<store::Revision> ReadAll(Take take) {
    SKIFF_ASSIGN_OR_RETURN(store::BackupReader reader, store::BackupReader::Open(*bytes_));
    leases_.clear();
    while (true) {
      SKIFF_ASSIGN_OR_RETURN(std::optional<store::BackupReader::Record> record, reader.Next());
      if (!record) break;
      if (auto* entry = std::get_if<store::BackupReader::Entry>(&*record)) {
        take(std::move(*entry));
      } else {
        leases_.push_back(std::get<store::LeaseInfo>(*record));
      }
    }
    end_ = reader.end();
    return end_->revision;
  }

  std::unique_ptr<store::ByteSource> bytes_;
  store::BackupHeader header_;
  uint64_t size_ = 0;
  std::vector<store::LeaseInfo> leases_;
  std::optional<store::BackupEnd> end_;
};

}  // namespace

std::string StoreLocation::Shown() const {
  if (!data_dir.empty()) return Printable(data_dir);
  if (!backup_file.empty()) return Printable(backup_file);
  std::string out;
  for (const std::string& server : etcd_servers) out += (out.empty() ? "" : ",") + server;
  return Printable(out);
}

void DeclareLocation(FlagSet& flags, StoreLocation* place, LocationKinds kinds) {
  flags.Add({.name = "data-dir",
             .placeholder = "DIR",
             .help = "the directory of an embedded store",
             .completes = Completes::kDirectories,
             .value = Text(&place->data_dir)});
  if (kinds == LocationKinds::kStoresAndBackups) {
    flags.Add({.name = "backup",
               .placeholder = "FILE",
               .help = "a file made by 'skiff store backup'",
               .completes = Completes::kFiles,
               .value = Text(&place->backup_file)});
  }
  flags.Add({.name = "etcd-servers",
             .placeholder = "URLS",
             .help = "the servers of an etcd, separated by commas",
             .value = TextList(&place->etcd_servers)});
  flags.Add({.name = "etcd-cafile",
             .placeholder = "FILE",
             .help = "the certificates that etcd's own is checked against",
             .completes = Completes::kFiles,
             .value = Text(&place->ca_file)});
  flags.Add({.name = "etcd-certfile",
             .placeholder = "FILE",
             .help = "the certificate shown to etcd",
             .completes = Completes::kFiles,
             .value = Text(&place->cert_file)});
  flags.Add({.name = "etcd-keyfile",
             .placeholder = "FILE",
             .help = "the key of that certificate",
             .completes = Completes::kFiles,
             .value = Text(&place->key_file)});
}

void DeclarePrefix(FlagSet& flags, std::string* prefix, std::string_view help) {
  flags.Add({.name = "etcd-prefix",
             .placeholder = "PREFIX",
             .help = std::string(help),
             .value = Text(prefix)});
}

Result<void> CheckLocation(const StoreLocation& place, LocationKinds kinds) {
  const int given = static_cast<int>(!place.data_dir.empty()) +
                    static_cast<int>(!place.backup_file.empty()) +
                    static_cast<int>(place.is_etcd());
  const std::string choices = kinds == LocationKinds::kStores
                                  ? "--data-dir DIR or --etcd-servers URLS"
                                  : "--data-dir DIR, --etcd-servers URLS or --backup FILE";
  if (given == 0) return BadRequest("where is the store? give " + choices);
  if (given > 1) return BadRequest("there can be only one store: give " + choices);
  const bool has_tls =
      !place.ca_file.empty() || !place.cert_file.empty() || !place.key_file.empty();
  if (has_tls && !place.is_etcd()) {
    return BadRequest("TLS files are given, but the store is no etcd");
  }
  for (const std::string& server : place.etcd_servers) {
    if (!IsEtcdUrl(server)) {
      return BadRequest("--etcd-servers: " + Quoted(server) +
                        " is no URL such as http://127.0.0.1:2379");
    }
  }
  return {};
}

Result<StoreLocation> ParseLocation(std::string_view text) {
  StoreLocation place;
  if (IsEtcdUrl(text)) {
    SKIFF_RETURN_IF_ERROR(TextList(&place.etcd_servers).set(text));
    return place;
  }
  if (text.starts_with(kEmbeddedScheme)) text.remove_prefix(kEmbeddedScheme.size());
  if (text.empty()) return BadRequest("the name of the directory is empty");
  const size_t colon = text.find("://");
  if (colon != std::string_view::npos) {
    return BadRequest(Quoted(text) +
                      " is neither a directory nor a URL that begins with http:// or https://");
  }
  place.data_dir = text;
  return place;
}

std::string KeyPrefix(std::string_view etcd_prefix) {
  while (etcd_prefix.starts_with('/')) etcd_prefix.remove_prefix(1);
  while (etcd_prefix.ends_with('/')) etcd_prefix.remove_suffix(1);
  if (etcd_prefix.empty()) return "";
  return "/" + std::string(etcd_prefix) + "/";
}

Result<std::unique_ptr<LocationReader>> OpenForReading(const StoreLocation& place,
                                                       const StoreTools& tools) {
  if (!place.backup_file.empty()) {
    SKIFF_ASSIGN_OR_RETURN(std::unique_ptr<store::ByteSource> bytes,
                           store::OpenBackupFile(place.backup_file));
    auto reader = std::make_unique<BackupLocationReader>(std::move(bytes));
    const Result<void> opened = reader->Open(place.backup_file);
    if (!opened) return AtPlace(place, opened.error());
    return reader;
  }
  if (place.is_etcd()) {
    SKIFF_ASSIGN_OR_RETURN(std::unique_ptr<store::Store> store, OpenEtcd(place, tools));
    return std::make_unique<EtcdReader>(std::move(store));
  }
  auto reader = std::make_unique<EmbeddedReader>(place, tools.clock);
  SKIFF_RETURN_IF_ERROR(reader->Open());
  return reader;
}

Result<std::unique_ptr<store::Store>> OpenEtcd(const StoreLocation& place,
                                               const StoreTools& tools) {
  store::EtcdOptions options;
  options.endpoints = place.etcd_servers;
  options.ca_file = place.ca_file;
  options.cert_file = place.cert_file;
  options.key_file = place.key_file;
  options.request_timeout = kEtcdPatience;
  options.clock = tools.clock;
  options.random = tools.random;
  SKIFF_ASSIGN_OR_RETURN(std::unique_ptr<store::EtcdStore> store,
                         store::EtcdStore::Open(std::move(options)));
  const Result<store::Revision> answer = store::StoreSource(*store).CurrentRevision();
  if (!answer) return AtPlace(place, answer.error());
  return store;
}

std::unexpected<Status> AtPlace(const StoreLocation& place, const Status& status) {
  return Fail(status.reason(), place.Shown() + ": " + status.message());
}

}  // namespace skiff::cli
