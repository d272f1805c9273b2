// RocksDB: one column family for the log, whose files never overlap and so are moved rather than
// rewritten, and one for the index. Buffers and caches are sized for a process of 20 MB.
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include "bench/engines/engine.h"
#include "bench/engines/record.h"

namespace skiff::bench::engines {
namespace {

using rocksdb::Slice;

Slice ToSlice(std::string_view text) { return {text.data(), text.size()}; }

Outcome Check(const rocksdb::Status& status) {
  if (status.ok()) return {};
  return Fail(status.ToString());
}

class RocksDbEngine : public Engine {
 public:
  explicit RocksDbEngine(const std::string& variant) : compress_(variant == "lz4") {}

  ~RocksDbEngine() override {
    if (db_ == nullptr) return;
    for (auto* family : families_) db_->DestroyColumnFamilyHandle(family);
    db_->Close();
  }

  Outcome Open(const std::string& dir) override {
    rocksdb::BlockBasedTableOptions table;
    table.block_cache = rocksdb::NewLRUCache(4 << 20);
    table.cache_index_and_filter_blocks = true;
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
    table.format_version = 5;
    rocksdb::ColumnFamilyOptions family;
    family.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    family.write_buffer_size = 4 << 20;
    family.max_write_buffer_number = 2;
    family.arena_block_size = 256 << 10;
    family.target_file_size_base = 16 << 20;
    family.max_bytes_for_level_base = 64 << 20;
    family.compression = compress_ ? rocksdb::kLZ4Compression : rocksdb::kNoCompression;
    rocksdb::DBOptions options;
    options.create_if_missing = true;
    options.create_missing_column_families = true;
    options.max_open_files = 64;
    options.max_background_jobs = 2;
    options.max_total_wal_size = 16 << 20;
    options.keep_log_file_num = 2;
    options.max_manifest_file_size = 4 << 20;
    options.stats_dump_period_sec = 0;
    options.track_and_verify_wals_in_manifest = true;
    // The default would stop at the first bad record and drop what follows without an error.
    options.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
    rocksdb::DB* db = nullptr;
    const auto status = rocksdb::DB::Open(
        options, dir, {{rocksdb::kDefaultColumnFamilyName, family}, {"log", family}}, &families_,
        &db);
    db_.reset(db);
    return Check(status);
  }

  Outcome Commit(std::span<const Write> writes) override {
    rocksdb::WriteBatch batch;
    for (const Write& write : writes) {
      record_.clear();
      AppendRecord(write.key, write.value, &record_);
      const std::string revision = RevisionBytes(write.revision);
      batch.Put(log(), revision, record_);
      batch.Put(index(), ToSlice(write.key), revision);
    }
    const auto status = db_->Write(Durable(), &batch);
    // After an error in the background every write fails until it is told to go on.
    if (!status.ok()) db_->Resume().PermitUncheckedError();
    return Check(status);
  }

  std::expected<std::string, std::string> Get(std::string_view key) override {
    std::string revision;
    if (auto s = db_->Get({}, index(), ToSlice(key), &revision); !s.ok()) return Fail(s.ToString());
    std::string bytes;
    if (auto s = db_->Get({}, log(), revision, &bytes); !s.ok()) return Fail(s.ToString());
    Record record;
    if (!ParseRecord(bytes, &record)) return Fail("bad record");
    return std::string(record.value);
  }

  Outcome Range(std::string_view from, size_t limit, const Visit& visit) override {
    std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator({}, index()));
    rocksdb::PinnableSlice bytes;
    for (it->Seek(ToSlice(from)); it->Valid() && limit > 0; it->Next(), --limit) {
      bytes.Reset();
      if (auto s = db_->Get({}, log(), it->value(), &bytes); !s.ok()) return Check(s);
      Record record;
      if (!ParseRecord(bytes.ToStringView(), &record)) return Fail("bad record");
      visit(RevisionFrom(it->value().ToStringView()), record.key, record.value);
    }
    return Check(it->status());
  }

  Outcome Scan(const Visit& visit) override {
    rocksdb::ReadOptions options;
    options.fill_cache = false;
    options.readahead_size = 1 << 20;
    std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(options, log()));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      Record record;
      if (!ParseRecord(it->value().ToStringView(), &record)) return Fail("bad record");
      visit(RevisionFrom(it->key().ToStringView()), record.key, record.value);
    }
    return Check(it->status());
  }

  Outcome Forget(std::span<const uint64_t> revisions) override {
    rocksdb::WriteBatch batch;
    for (const uint64_t revision : revisions) batch.Delete(log(), RevisionBytes(revision));
    return Check(db_->Write(Durable(), &batch));
  }

  Outcome Reclaim() override {
    for (auto* family : families_) {
      if (auto s = db_->CompactRange({}, family, nullptr, nullptr); !s.ok()) return Check(s);
    }
    return {};
  }

 private:
  static rocksdb::WriteOptions Durable() {
    rocksdb::WriteOptions options;
    options.sync = true;
    return options;
  }
  rocksdb::ColumnFamilyHandle* index() const { return families_[0]; }
  rocksdb::ColumnFamilyHandle* log() const { return families_[1]; }

  bool compress_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;
  std::string record_;
};

}  // namespace

const Adapter kAdapter = {"rocksdb", {"plain", "lz4"}, [](const std::string& variant) {
                            return std::unique_ptr<Engine>(new RocksDbEngine(variant));
                          }};

}  // namespace skiff::bench::engines
