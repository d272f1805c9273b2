#include "store/embedded/rocksdb_engine.h"

#include <stdlib.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/table_properties_collectors.h>

#include "base/descriptors.h"
#include "store/embedded/disk_space_monitor.h"
#include "store/embedded/durable_file_system.h"
#include "store/embedded/file_list.h"
#include "store/embedded/rocksdb_directory.h"

namespace skiff::store {
namespace {

using rocksdb::Slice;

constexpr std::array<const char*, kFamilyCount> kFamilyNames = {"default", "log", "current",
                                                                "lease"};
// A reader beside a writer may find that files have gone since it read their names.
constexpr int kReadOnlyAttempts = 20;

// How many write buffers are merged at once, about.
constexpr size_t kMergedBuffers = 4;
// Files of a family, each of about a write buffer, that wait to be compacted, all of them at once:
// when that begins, and when writers are slowed down and stopped for it.
struct Backlog {
  int begin;
  int slow;
  int stop;
};
constexpr Backlog kUsualBacklog{4, 8, 10};
constexpr Backlog kShortBacklog{2, 3, 4};  // while there is little room

Slice ToSlice(std::string_view text) { return {text.data(), text.size()}; }
std::string_view ToView(const Slice& slice) { return {slice.data(), slice.size()}; }

// The first error after which nothing may be written any more. RocksDB must not be asked to write
// again after an error: Debian's build ends the process in an assertion.
class Failure {
 public:
  explicit Failure(std::string directory) : directory_(std::move(directory)) {}

  void Set(const rocksdb::Status& status) {
    const std::lock_guard lock(mutex_);
    if (!first_) first_ = ExplainRocksDb(directory_, status);
    failed_.store(true, std::memory_order_release);
  }
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  std::string message() const {
    const std::lock_guard lock(mutex_);
    return first_.value_or("");
  }

 private:
  const std::string directory_;
  mutable std::mutex mutex_;
  std::optional<std::string> first_;
  std::atomic<bool> failed_{false};
};

// Called by RocksDB on its threads.
class Listener final : public rocksdb::EventListener {
 public:
  Listener(std::string directory, std::shared_ptr<Failure> failure,
           std::shared_ptr<KnownDamage> damage)
      : directory_(std::move(directory)),
        failure_(std::move(failure)),
        damage_(std::move(damage)) {}

  void OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status* status) override {
    // Tables that cannot be merged are left as they are, and all that can be read of them is served
    // on; to write no more would help nobody.
    const bool is_damage = status->IsCorruption() || status->IsPathNotFound();
    if (reason == rocksdb::BackgroundErrorReason::kCompaction && is_damage) {
      damage_->Record(ExplainRocksDb(directory_, *status));
      *status = rocksdb::Status::OK();
      return;
    }
    failure_->Set(*status);
  }
  // Whoever opens the engine again recovers; nothing may go on behind our back.
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason /*reason*/, rocksdb::Status /*error*/,
                            bool* auto_recovery) override {
    *auto_recovery = false;
  }

 private:
  const std::string directory_;
  std::shared_ptr<Failure> failure_;
  std::shared_ptr<KnownDamage> damage_;
};

// RocksDB would keep a diary beside the data. When a line cannot be written to it, the next one
// fails an assertion and ends the process: on a full disk, the mere opening of the store would.
// What matters comes as a status or through the listener.
class NullLogger final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char* /*format*/, va_list /*arguments*/) override {}
};

rocksdb::ColumnFamilyOptions FamilySettings(Family family, const RocksDbOptions& options,
                                            const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache;
  // The committer asks for keys anywhere in the store. In the small cache the blocks that lead to
  // them would push each other out, and each is read and checked as a whole: 80 us a commit with a
  // million keys. Open tables hold them instead, about three bytes for each key.
  table.cache_index_and_filter_blocks = false;
  table.format_version = 5;
  table.checksum = rocksdb::kCRC32c;  // which table_file.h knows
  rocksdb::ColumnFamilyOptions settings;
  // Only here are keys asked for that may be absent.
  if (family == Family::kCurrent) {
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
    settings.memtable_whole_key_filtering = true;
    settings.memtable_prefix_bloom_size_ratio = 0.02;
  }
  // The log is read in long runs, seldom by single records; larger blocks need a smaller index.
  if (family == Family::kLog) table.block_size = 32 << 10;
  settings.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  settings.write_buffer_size = options.write_buffer_bytes;
  settings.max_write_buffer_number = 2;
  settings.arena_block_size = std::min<size_t>(256 << 10, options.write_buffer_bytes / 8);
  // Few enough files for all of them to stay open.
  settings.target_file_size_base = 2 * options.write_buffer_bytes;
  // What is rewritten at once needs room beside what it replaces: less than the reserve has.
  settings.max_bytes_for_level_base = 4 * options.write_buffer_bytes;
  settings.max_compaction_bytes = kMergedBuffers * options.write_buffer_bytes;
  settings.level0_file_num_compaction_trigger = kUsualBacklog.begin;
  settings.level0_slowdown_writes_trigger = kUsualBacklog.slow;
  settings.level0_stop_writes_trigger = kUsualBacklog.stop;
  settings.level_compaction_dynamic_level_bytes = true;
  settings.compression = rocksdb::kNoCompression;
  settings.bottommost_compression = rocksdb::kDisableCompressionOption;
  settings.force_consistency_checks = true;
  // A file that is half deletions is compacted for their sake alone.
  if (family == Family::kCurrent || family == Family::kLog) {
    settings.table_properties_collector_factories = {
        rocksdb::NewCompactOnDeletionCollectorFactory(4096, 2048, 0.5)};
  }
  return settings;
}

rocksdb::DBOptions DatabaseSettings(const RocksDbOptions& options) {
  rocksdb::DBOptions settings;
  settings.create_if_missing = options.create && !options.read_only;
  settings.create_missing_column_families = settings.create_if_missing;
  settings.paranoid_checks = true;
  // Whatever may be missing from a log has been cut off before. A reader beside a writer changes
  // nothing and may meet a record that is being written.
  settings.wal_recovery_mode = options.read_only
                                   ? rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords
                                   : rocksdb::WALRecoveryMode::kAbsoluteConsistency;
  settings.track_and_verify_wals_in_manifest = true;
  // A bad checksum in a log that is written over again counts as its end.
  settings.recycle_log_file_num = 0;
  settings.max_total_wal_size = std::min(limits::kMaxStoreWalBytes, 4 * options.write_buffer_bytes);
  settings.max_open_files = options.read_only ? -1 : DescriptorsForStore(MaxDescriptors());
  // One table of open files. By default it is 64 small ones, each of which forgets on its own: two
  // files that fell into the same one pushed each other out at every get.
  settings.table_cache_numshardbits = 0;
  settings.max_background_jobs = 2;
  settings.max_file_opening_threads = 1;
  // There is one writer, and it waits for each sync.
  settings.allow_concurrent_memtable_write = false;
  settings.enable_write_thread_adaptive_yield = false;
  settings.enable_pipelined_write = false;
  // No attempts of its own to write again after an error.
  settings.max_bgerror_resume_count = 0;
  // What is at hand after opening is what the manifest says; figures of old files are not needed.
  settings.skip_stats_update_on_db_open = true;
  settings.max_manifest_file_size = 4 << 20;
  settings.info_log = std::make_shared<NullLogger>();
  settings.stats_dump_period_sec = 0;
  settings.stats_persist_period_sec = 0;
  return settings;
}

// How everything is read.
rocksdb::ReadOptions ReadSettings() {
  rocksdb::ReadOptions settings;
  settings.verify_checksums = true;
  // There are none. Looking for them, an iterator of RocksDB 7.8 that comes from one file to the
  // next forgets the error of reading that next one, and goes on as if it were empty.
  settings.ignore_range_deletions = true;
  return settings;
}

class RocksBatch final : public EngineBatch {
 public:
  explicit RocksBatch(const std::vector<rocksdb::ColumnFamilyHandle*>& families)
      : families_(families) {}

  void Put(Family family, std::string_view key, std::string_view value) override {
    Note(batch_.Put(Handle(family), ToSlice(key), ToSlice(value)));
  }
  void Delete(Family family, std::string_view key) override {
    Note(batch_.Delete(Handle(family), ToSlice(key)));
  }
  void Clear() override {
    batch_.Clear();
    status_ = rocksdb::Status::OK();
  }
  size_t bytes() const override { return batch_.GetDataSize(); }

  rocksdb::WriteBatch& batch() { return batch_; }
  // Of filling it: a key or value beyond what RocksDB can count.
  const rocksdb::Status& status() const { return status_; }

 private:
  rocksdb::ColumnFamilyHandle* Handle(Family family) const {
    return families_[static_cast<size_t>(family)];
  }
  void Note(const rocksdb::Status& status) {
    if (status_.ok()) status_ = status;
  }

  const std::vector<rocksdb::ColumnFamilyHandle*>& families_;
  rocksdb::WriteBatch batch_;
  rocksdb::Status status_;
};

// What is read from tables that turn out to be damaged.
std::unexpected<Status> ReadFailure(const std::string& directory, const rocksdb::Status& status,
                                    KnownDamage& damage) {
  if (status.IsCorruption()) damage.Record(ExplainRocksDb(directory, status));
  return RocksDbReadFailure(directory, status);
}

class RocksCursor final : public EngineCursor {
 public:
  RocksCursor(const std::string& directory, KnownDamage& damage, rocksdb::Iterator* iterator)
      : directory_(directory), damage_(damage), iterator_(iterator) {}

  void Seek(std::string_view key) override { iterator_->Seek(ToSlice(key)); }
  void Next() override { iterator_->Next(); }
  bool Valid() const override { return iterator_->Valid(); }
  std::string_view key() const override { return ToView(iterator_->key()); }
  std::string_view value() const override { return ToView(iterator_->value()); }
  Result<void> status() const override {
    const rocksdb::Status status = iterator_->status();
    if (!status.ok()) return ReadFailure(directory_, status, damage_);
    return {};
  }

 private:
  const std::string& directory_;
  KnownDamage& damage_;
  std::unique_ptr<rocksdb::Iterator> iterator_;
};

// An open database with its families.
struct Database {
  rocksdb::DB* db = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> families;
};

class RocksSnapshot final : public EngineSnapshot {
 public:
  // A read-only database does not move, so that it needs no snapshot (and has none).
  RocksSnapshot(const std::string& directory, const Database& database, KnownDamage& damage,
                bool moves)
      : directory_(directory),
        database_(database),
        damage_(damage),
        snapshot_(moves ? database.db->GetSnapshot() : nullptr),
        options_(ReadSettings()) {
    options_.snapshot = snapshot_;
  }
  ~RocksSnapshot() override {
    if (snapshot_ != nullptr) database_.db->ReleaseSnapshot(snapshot_);
  }

  std::unique_ptr<EngineCursor> NewCursor(Family family) override {
    return std::make_unique<RocksCursor>(directory_, damage_,
                                         database_.db->NewIterator(options_, Handle(family)));
  }
  Result<bool> Get(Family family, std::string_view key, std::string* value) override {
    const rocksdb::Status status = database_.db->Get(options_, Handle(family), ToSlice(key), value);
    if (status.IsNotFound()) return false;
    if (!status.ok()) return ReadFailure(directory_, status, damage_);
    return true;
  }

 private:
  rocksdb::ColumnFamilyHandle* Handle(Family family) const {
    return database_.families[static_cast<size_t>(family)];
  }

  const std::string& directory_;
  const Database& database_;
  KnownDamage& damage_;
  const rocksdb::Snapshot* snapshot_;
  rocksdb::ReadOptions options_;
};

// Where a read-only database keeps its diary; gone with it.
class ScratchDirectory {
 public:
  static Result<std::unique_ptr<ScratchDirectory>> Make() {
    std::error_code error;
    std::string path = std::filesystem::temp_directory_path(error).string();
    if (error) path = "/tmp";
    path += "/skiff-read-only-XXXXXX";
    if (mkdtemp(path.data()) == nullptr) {
      return Fail(StatusReason::kServiceUnavailable,
                  "no temporary directory: " + path + ": " + std::system_category().message(errno));
    }
    return std::unique_ptr<ScratchDirectory>(new ScratchDirectory(std::move(path)));
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  explicit ScratchDirectory(std::string path) : path_(std::move(path)) {}
  const std::string path_;
};

std::shared_ptr<rocksdb::FileSystem> FileSystemOf(const RocksDbOptions& options) {
  return options.file_system != nullptr ? options.file_system : rocksdb::FileSystem::Default();
}

class RocksEngine final : public Engine {
 public:
  explicit RocksEngine(RocksDbOptions options)
      : options_(std::move(options)),
        list_(options_.directory, FileSystemOf(options_)),
        damage_(std::make_shared<KnownDamage>()),
        fs_(std::make_shared<DurableFileSystem>(FileSystemOf(options_), &list_, damage_)),
        env_(rocksdb::NewCompositeEnv(fs_)),
        directory_(options_.directory, fs_),
        failure_(std::make_shared<Failure>(options_.directory)),
        room_(&directory_, options_.room) {}
  ~RocksEngine() override { Close(); }

  Result<void> Open();
  // In a directory of which nobody knows which files belong to it.
  Result<void> Rebuild();
  // Puts what is in memory into tables.
  Result<void> Flush();

  std::unique_ptr<EngineBatch> NewBatch() override {
    return std::make_unique<RocksBatch>(database_.families);
  }
  Result<void> Write(EngineBatch& batch) override;
  Result<bool> Get(Family family, std::string_view key, std::string* value) override;
  std::unique_ptr<EngineSnapshot> NewSnapshot() override {
    return std::make_unique<RocksSnapshot>(options_.directory, database_, *damage_,
                                           !options_.read_only);
  }
  DiskSpace room() override { return room_.room(); }
  DiskSpace MeasureDiskSpace() override;
  Result<void> Reclaim(std::atomic<bool>& stop) override;
  Result<void> Defragment() override;
  EngineFigures Figures() override;
  Result<void> Health() override;
  std::string Damage() override;

 private:
  Result<void> OpenForWriting();
  Result<void> OpenThroughDamage(const rocksdb::Status& why);
  Result<void> OpenReadOnly();
  Result<void> OpenAlone();
  Result<void> OpenBesideWriter();
  void LeaveTablesAlone();
  rocksdb::Status CatchUp();
  std::vector<rocksdb::ColumnFamilyDescriptor> Families() const;
  rocksdb::DBOptions Settings() const;
  Result<void> CompactFamilies(rocksdb::CompactRangeOptions how);
  rocksdb::Status CompactInPieces(const rocksdb::CompactRangeOptions& how,
                                  rocksdb::ColumnFamilyHandle* family);
  void RemoveUnnamedTables();
  void CloseDatabase();
  void Close();

  std::unexpected<Status> TurnedAway() const {
    return Fail(StatusReason::kServiceUnavailable,
                failure_->message() + "; nothing is written until the store is opened again");
  }

  const RocksDbOptions options_;
  FileList list_;
  const std::shared_ptr<KnownDamage> damage_;
  const std::shared_ptr<rocksdb::FileSystem> fs_;
  const std::unique_ptr<rocksdb::Env> env_;
  std::unique_ptr<ScratchDirectory> scratch_;
  RocksDbDirectory directory_;
  const std::shared_ptr<Failure> failure_;
  Database database_;
  std::atomic<uint64_t> syncs_{0};
  DiskSpaceMonitor room_;
  std::atomic<bool> has_short_backlog_{false};
  bool tables_left_alone_ = false;  // of Health()
};

std::vector<rocksdb::ColumnFamilyDescriptor> RocksEngine::Families() const {
  const auto cache = rocksdb::NewLRUCache(limits::kStoreBlockCacheBytes);
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (size_t i = 0; i < kFamilyCount; ++i) {
    families.emplace_back(kFamilyNames[i], FamilySettings(static_cast<Family>(i), options_, cache));
  }
  return families;
}

rocksdb::DBOptions RocksEngine::Settings() const {
  rocksdb::DBOptions settings = DatabaseSettings(options_);
  settings.env = env_.get();
  settings.listeners.push_back(std::make_shared<Listener>(options_.directory, failure_, damage_));
  return settings;
}

Result<void> RocksEngine::Open() {
  if (options_.directory.empty()) {
    return Fail(StatusReason::kInvalid, "the store needs the name of a directory");
  }
  if (options_.salvage) return OpenAlone();
  SKIFF_ASSIGN_OR_RETURN(const bool found, directory_.HoldsStore());
  if (!found && (options_.read_only || !options_.create)) {
    return Fail(StatusReason::kNotFound, "there is no store in " + options_.directory);
  }
  if (options_.read_only) return OpenReadOnly();
  if (!found) SKIFF_RETURN_IF_ERROR(directory_.Create());
  if (options_.file_system == nullptr) {
    SKIFF_ASSIGN_OR_RETURN(const bool was_exposed, directory_.MakePrivate());
    if (found && was_exposed) options_.on_exposed();
  }
  return OpenForWriting();
}

Result<void> RocksEngine::OpenForWriting() {
  SKIFF_RETURN_IF_ERROR(directory_.Lock());
  SKIFF_RETURN_IF_ERROR(list_.Check());
  const bool has_room = room_.BeforeOpening();
  SKIFF_RETURN_IF_ERROR(directory_.CheckRecordFiles(true));
  if (!has_room) RemoveUnnamedTables();
  SKIFF_RETURN_IF_ERROR(list_.Open());
  const rocksdb::Status status = rocksdb::DB::Open(Settings(), options_.directory, Families(),
                                                   &database_.families, &database_.db);
  if (!status.ok()) SKIFF_RETURN_IF_ERROR(OpenThroughDamage(status));
  MeasureDiskSpace();
  return {};
}

// The logs and the manifest were found whole, so that it is a table that is damaged, cut off or
// missing. RocksDB can go on without looking at all of them first; whatever touches that table is
// then an error.
Result<void> RocksEngine::OpenThroughDamage(const rocksdb::Status& why) {
  if (!why.IsCorruption() && !why.IsPathNotFound()) return RocksDbFailure(options_.directory, why);
  rocksdb::DBOptions settings = Settings();
  settings.paranoid_checks = false;
  std::vector<rocksdb::ColumnFamilyDescriptor> families = Families();
  for (auto& family : families) family.options.disable_auto_compactions = true;
  const rocksdb::Status status =
      rocksdb::DB::Open(settings, options_.directory, families, &database_.families, &database_.db);
  if (!status.ok()) return RocksDbFailure(options_.directory, why);
  damage_->Record(ExplainRocksDb(options_.directory, why));
  return {};
}

// A crash leaves tables that were not finished. RocksDB removes them when it has recovered, for
// which the room that they take may be missing.
void RocksEngine::RemoveUnnamedTables() {
  rocksdb::DBOptions settings = Settings();
  settings.listeners.clear();
  // What is wrong with the store is told by the opening that follows.
  if (!rocksdb::DB::OpenForReadOnly(settings, options_.directory, Families(), &database_.families,
                                    &database_.db)
           .ok()) {
    database_ = {};
    return;
  }
  std::vector<rocksdb::LiveFileMetaData> live;
  database_.db->GetLiveFilesMetaData(&live);
  CloseDatabase();
  std::set<std::string> named;
  for (const rocksdb::LiveFileMetaData& file : live) named.insert(file.relative_filename);
  directory_.RemoveTablesExcept(named);
}

DiskSpace RocksEngine::MeasureDiskSpace() {
  const DiskSpace room = room_.Measure();
  const bool is_little = room != DiskSpace::kPlenty;
  if (failure_->failed() || has_short_backlog_.exchange(is_little) == is_little) return room;
  const Backlog& backlog = is_little ? kShortBacklog : kUsualBacklog;
  for (auto* family : database_.families) {
    database_.db
        ->SetOptions(family, {{"level0_file_num_compaction_trigger", std::to_string(backlog.begin)},
                              {"level0_slowdown_writes_trigger", std::to_string(backlog.slow)},
                              {"level0_stop_writes_trigger", std::to_string(backlog.stop)}})
        .PermitUncheckedError();
  }
  return room;
}

Result<void> RocksEngine::OpenReadOnly() {
  // A reader beside a writer leaves out what it cannot open, so that is only for when there is one.
  if (!directory_.IsFree()) return OpenBesideWriter();
  SKIFF_RETURN_IF_ERROR(list_.Check());
  SKIFF_RETURN_IF_ERROR(directory_.CheckRecordFiles(false));
  return OpenAlone();
}

// Reads what the directory holds, through damage.
Result<void> RocksEngine::OpenAlone() {
  rocksdb::DBOptions settings = Settings();
  settings.paranoid_checks = false;
  if (options_.salvage) {
    settings.wal_recovery_mode = rocksdb::WALRecoveryMode::kSkipAnyCorruptedRecords;
  }
  const rocksdb::Status status = rocksdb::DB::OpenForReadOnly(
      settings, options_.directory, Families(), &database_.families, &database_.db);
  if (!status.ok()) return RocksDbFailure(options_.directory, status);
  return {};
}

Result<void> RocksEngine::OpenBesideWriter() {
  SKIFF_ASSIGN_OR_RETURN(scratch_, ScratchDirectory::Make());
  rocksdb::Status status;
  for (int attempt = 0; attempt < kReadOnlyAttempts; ++attempt) {
    if (auto sound = directory_.CheckRecordFiles(false);
        !sound && sound.error().reason() == StatusReason::kInternalError) {
      return sound;
    }
    status = rocksdb::DB::OpenAsSecondary(Settings(), options_.directory, scratch_->path(),
                                          Families(), &database_.families, &database_.db);
    if (status.ok()) status = CatchUp();
    // What a damaged table holds is left out by such a reader, as if it had never been.
    if (status.ok() && damage_->any()) {
      status = rocksdb::Status::Corruption(damage_->first());
      Close();
      break;
    }
    if (status.ok()) return {};
    Close();
    database_ = {};
    if (!status.IsPathNotFound() && !status.IsTryAgain()) break;
  }
  if (!status.IsCorruption()) return RocksDbFailure(options_.directory, status);
  // What a power cut tears is not damage, but only whoever may write can put it right.
  return Fail(StatusReason::kInternalError,
              ExplainRocksDb(options_.directory, status) +
                  "; after a power cut, let the server open the store once");
}

// While the manifest and then the logs were read, the writer may have put a log into tables, which
// that manifest does not name, and removed it: what it held would be missing, with newer writes
// there. So both are read on until no log has come or gone meanwhile.
rocksdb::Status RocksEngine::CatchUp() {
  for (int attempt = 0; attempt < kReadOnlyAttempts; ++attempt) {
    const auto before = directory_.Logs();
    const rocksdb::Status status = database_.db->TryCatchUpWithPrimary();
    if (!status.ok()) return status;
    const auto after = directory_.Logs();
    if (before && after && *before == *after) return status;
  }
  return rocksdb::Status::TryAgain("the store changes too fast to be read beside its writer");
}

Result<void> RocksEngine::Flush() {
  const rocksdb::Status status = database_.db->Flush(rocksdb::FlushOptions(), database_.families);
  if (!status.ok()) return RocksDbFailure(options_.directory, status);
  return {};
}

Result<void> RocksEngine::Rebuild() {
  const rocksdb::Status status = rocksdb::RepairDB(options_.directory, Settings(), Families());
  if (!status.ok()) return RocksDbFailure(options_.directory, status);
  return {};
}

void RocksEngine::CloseDatabase() {
  for (auto* family : database_.families) {
    database_.db->DestroyColumnFamilyHandle(family).PermitUncheckedError();
  }
  database_.db->Close().PermitUncheckedError();
  delete database_.db;
  database_ = {};
}

void RocksEngine::Close() {
  if (database_.db == nullptr) return;
  CloseDatabase();
  if (options_.read_only || !options_.sync || failure_->failed()) return;
  if (const auto names = directory_.RecordFileNames()) list_.Close(*names);
}

Result<void> RocksEngine::Write(EngineBatch& batch) {
  auto& rocks_batch = static_cast<RocksBatch&>(batch);
  if (failure_->failed()) return TurnedAway();
  if (options_.read_only) {
    return Fail(StatusReason::kServiceUnavailable,
                "the store in " + options_.directory + " is open for reading only");
  }
  if (!rocks_batch.status().ok()) {
    return Fail(StatusReason::kRequestEntityTooLarge, rocks_batch.status().ToString());
  }
  SKIFF_RETURN_IF_ERROR(room_.Take(batch.bytes()));
  rocksdb::WriteOptions durable;
  durable.sync = options_.sync;
  const rocksdb::Status status = database_.db->Write(durable, &rocks_batch.batch());
  if (!status.ok()) {
    failure_->Set(status);
    return Fail(StatusReason::kServerTimeout, ExplainRocksDb(options_.directory, status));
  }
  syncs_.fetch_add(1, std::memory_order_relaxed);
  return {};
}

Result<bool> RocksEngine::Get(Family family, std::string_view key, std::string* value) {
  const rocksdb::Status status = database_.db->Get(
      ReadSettings(), database_.families[static_cast<size_t>(family)], ToSlice(key), value);
  if (status.IsNotFound()) return false;
  if (!status.ok()) return ReadFailure(options_.directory, status, *damage_);
  return true;
}

Result<void> RocksEngine::CompactFamilies(rocksdb::CompactRangeOptions how) {
  if (failure_->failed()) return TurnedAway();
  // It would fail in the end.
  if (damage_->any()) return Fail(StatusReason::kInternalError, damage_->first());
  // A log goes when what it holds of every family is in files.
  rocksdb::Status status = database_.db->Flush(rocksdb::FlushOptions(), database_.families);
  for (size_t i = 0; status.ok() && i < database_.families.size(); ++i) {
    status = CompactInPieces(how, database_.families[i]);
  }
  room_.Measure();
  if (!status.ok()) return RocksDbFailure(options_.directory, status);
  return {};
}

// RocksDB takes two neighbours of a level with all that lies between them in the next one: with few
// deletions that are far apart, that is the whole store, and as much room. So it is asked for a
// stretch of keys after the other, each about as long as what it merges at once.
rocksdb::Status RocksEngine::CompactInPieces(const rocksdb::CompactRangeOptions& how,
                                             rocksdb::ColumnFamilyHandle* family) {
  rocksdb::ColumnFamilyMetaData found;
  database_.db->GetColumnFamilyMetaData(family, &found);
  std::vector<std::string> ends;
  for (const rocksdb::LevelMetaData& level : found.levels) {
    if (level.level == 0 || level.files.empty()) continue;
    // Of the last level that has any.
    ends.clear();
    uint64_t bytes = 0;
    for (const rocksdb::SstFileMetaData& file : level.files) {
      bytes += file.size;
      if (bytes < kMergedBuffers * options_.write_buffer_bytes) continue;
      ends.push_back(file.largestkey);
      bytes = 0;
    }
  }
  std::string next;  // the key after the last stretch: what was merged in that is not merged again
  for (const std::string& last : ends) {
    const rocksdb::Slice begin(next);
    const rocksdb::Slice end(last);
    const rocksdb::Status status =
        database_.db->CompactRange(how, family, next.empty() ? nullptr : &begin, &end);
    if (!status.ok()) return status;
    next = last + '\0';
  }
  const rocksdb::Slice begin(next);
  return database_.db->CompactRange(how, family, next.empty() ? nullptr : &begin, nullptr);
}

// Deletions meet what they delete, and both are gone. Files that none of them touches stay as they
// are.
Result<void> RocksEngine::Reclaim(std::atomic<bool>& stop) {
  rocksdb::CompactRangeOptions quick;
  quick.canceled = &stop;
  return CompactFamilies(quick);
}

Result<void> RocksEngine::Defragment() {
  // First what gives most room, for the rest to be rewritten in.
  SKIFF_RETURN_IF_ERROR(CompactFamilies({}));
  rocksdb::CompactRangeOptions thorough;
  thorough.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
  return CompactFamilies(thorough);
}

EngineFigures RocksEngine::Figures() {
  EngineFigures figures;
  figures.bytes_on_disk = directory_.UsedBytes();
  for (auto* family : database_.families) {
    uint64_t live = 0;
    if (database_.db->GetIntProperty(family, rocksdb::DB::Properties::kEstimateLiveDataSize, &live))
      figures.bytes_in_use += live;
    uint64_t buffered = 0;
    if (database_.db->GetIntProperty(family, rocksdb::DB::Properties::kCurSizeAllMemTables,
                                     &buffered)) {
      figures.bytes_in_use += buffered;
    }
  }
  figures.syncs = syncs_.load(std::memory_order_relaxed);
  return figures;
}

// Once a table has turned out to be damaged, RocksDB would try again and again to merge it, and
// hold writers up when it falls behind with that.
void RocksEngine::LeaveTablesAlone() {
  if (std::exchange(tables_left_alone_, true)) return;
  for (auto* family : database_.families) {
    database_.db->SetOptions(family, {{"disable_auto_compactions", "true"}}).PermitUncheckedError();
  }
}

std::string RocksEngine::Damage() { return damage_->first(); }

Result<void> RocksEngine::Health() {
  if (failure_->failed()) return TurnedAway();
  if (damage_->any()) LeaveTablesAlone();
  if (room_.refuses()) {
    return Fail(StatusReason::kServiceUnavailable,
                "the store in " + options_.directory +
                    ": the disk is nearly full and nothing is written; make room");
  }
  return {};
}

// RocksDB rebuilds the families of which it finds a table, and drops what a log says of others. So
// each gets one, with nothing in it but the deletion of a key that nobody uses.
Result<void> AddSeeds(const RocksDbOptions& options) {
  constexpr int kSeedNumber = 990'000'000;  // far from those of other files
  RocksDbOptions seed = options;
  seed.directory += "/seeds";
  seed.create = true;
  {
    RocksEngine engine(seed);
    SKIFF_RETURN_IF_ERROR(engine.Open());
    const auto batch = engine.NewBatch();
    for (size_t i = 0; i < kFamilyCount; ++i) batch->Delete(static_cast<Family>(i), "\x7f seed");
    SKIFF_RETURN_IF_ERROR(engine.Write(*batch));
    SKIFF_RETURN_IF_ERROR(engine.Flush());
  }
  int number = kSeedNumber;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(seed.directory, error)) {
    if (file.path().extension() != ".sst") continue;
    std::filesystem::rename(file.path(),
                            options.directory + "/" + std::to_string(number++) + ".sst", error);
    if (error) break;
  }
  std::error_code ignored;
  std::filesystem::remove_all(seed.directory, ignored);
  if (!error) return {};
  return Fail(StatusReason::kServiceUnavailable,
              "cannot rebuild " + options.directory + ": " + error.message());
}

}  // namespace

Result<void> RocksDbEngine::Probe(const RocksDbOptions& options) {
  return RocksDbDirectory(options.directory, FileSystemOf(options)).Probe();
}

Result<void> RocksDbEngine::CheckFree(const RocksDbOptions& options) {
  return RocksDbDirectory(options.directory, FileSystemOf(options)).CheckFree();
}

Result<void> RocksDbEngine::Rebuild(const RocksDbOptions& options, const std::string& into) {
  SKIFF_RETURN_IF_ERROR(CopyForRebuilding(options.directory, into));
  RocksDbOptions copy = options;
  copy.directory = into;
  copy.read_only = copy.salvage = true;
  // It may be that only CURRENT was damaged.
  if (RocksEngine(copy).Open()) return {};
  copy.read_only = copy.salvage = false;
  SKIFF_RETURN_IF_ERROR(AddSeeds(copy));
  return RocksEngine(copy).Rebuild();
}

Result<std::unique_ptr<Engine>> RocksDbEngine::Open(RocksDbOptions options) {
  options.read_only = options.read_only || options.salvage;
  auto engine = std::make_unique<RocksEngine>(std::move(options));
  SKIFF_RETURN_IF_ERROR(engine->Open());
  return engine;
}

}  // namespace skiff::store
