#include <cstdio>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/strings.h"
#include "cli/common/diagnostics.h"
#include "cli/common/long_operation.h"
#include "cli/store/store_commands.h"
#include "cli/store/store_import.h"
#include "store/backup_file.h"
#include "store/embedded/importer.h"
#include "store/embedded/offline_reader.h"
#include "store/embedded/rocksdb_engine.h"

namespace skiff::cli {
namespace {

// As after a restore: what clients have seen last may be among what is lost.
constexpr int64_t kDefaultBump = 1'000'000'000;

std::string Shown(const store::KeyRange& where) {
  if (where.end == where.start + '\0') return Quoted(where.start);
  return "those from " + Quoted(where.start) + " to " +
         (where.end.empty() ? "the end" : Quoted(where.end)) + ", as far as there were any";
}

// Puts what a salvage brings into a new store.
class Salvager final : public store::ScanSink {
 public:
  Salvager(store::EmbeddedImporter& importer, store::ProgressFunction progress)
      : importer_(importer), progress_(std::move(progress)) {}

  Result<void> AddLease(const store::LeaseInfo& lease) {
    leases_.insert(lease.id);
    return importer_.Add(lease);
  }
  void OnEntries(std::vector<store::KeyValue> entries) override {
    for (store::KeyValue& entry : entries) {
      if (!failure_) return;
      // A lease that is lost cannot end the key's life any more.
      if (!leases_.contains(entry.lease)) entry.lease = store::LeaseId();
      failure_ = importer_.Add(entry);
      ++so_far_.entries;
      so_far_.bytes += entry.key.size() + entry.value.size();
    }
    if (progress_) progress_(so_far_);
  }
  const Result<void>& failure() const { return failure_; }
  uint64_t keys() const { return so_far_.entries; }
  bool HasLease(store::LeaseId id) const { return leases_.contains(id); }

 private:
  store::EmbeddedImporter& importer_;
  const store::ProgressFunction progress_;
  std::set<store::LeaseId> leases_{store::LeaseId()};
  store::WorkProgress so_far_;
  Result<void> failure_;
};

class StoreSalvageRun final : public CommandRun {
 public:
  void Declare(FlagSet& flags) override {
    flags.Add({.name = "data-dir",
               .placeholder = "DIR",
               .help = "the directory of the damaged store; it is not changed",
               .required = true,
               .completes = Completes::kDirectories,
               .value = Text(&directory_)});
    flags.Add({.name = "to",
               .placeholder = "DIR",
               .help = "the directory to make; it must not exist, or be empty",
               .required = true,
               .completes = Completes::kDirectories,
               .value = Text(&to_)});
    flags.Add({.name = "backup",
               .placeholder = "FILE",
               .help = "where to take keys from that cannot be read, as they were then",
               .completes = Completes::kFiles,
               .value = Text(&backup_file_)});
    flags.Add({.name = "bump-revision",
               .placeholder = "N",
               .help = "go on this much after the last revision that can be read",
               .value = WholeNumber(&bump_, 0)});
  }

  Result<void> Check() override {
    if (directory_.empty()) return BadRequest("--data-dir: the name of the directory is empty");
    if (to_.empty()) return BadRequest("--to: the name of the directory is empty");
    return {};
  }

  int Run() override {
    LongOperation work("skiff store salvage");
    const Result<void> done = Make(work);
    work.ClearLine();
    if (!done) return StoreFailure("salvage", done.error());
    std::printf("salvaged %s keys of %s to %s, which goes on after revision %lld\n",
                Grouped(keys_).c_str(), Printable(directory_).c_str(), Printable(to_).c_str(),
                static_cast<long long>(revision_.value));
    return lost_ == 0 ? kExitSuccess : kExitFailure;
  }

 private:
  Result<void> Make(LongOperation& work) {
    SKIFF_RETURN_IF_ERROR(CheckOutside(to_, directory_));
    return MakeNewDirectory(to_, work, [&](const std::string& made, const std::string& scratch) {
      return Salvage(made, scratch, work);
    });
  }

  Result<std::unique_ptr<store::OfflineReader>> OpenDamaged(const std::string& scratch,
                                                            LongOperation& work) {
    store::RocksDbOptions options;
    options.directory = directory_;
    options.create = false;
    {
      // Says who else has it open, and what is wrong with it if that can be told.
      store::RocksDbOptions sound = options;
      sound.read_only = true;
      SKIFF_RETURN_IF_ERROR(store::RocksDbEngine::CheckFree(sound));
      const auto opened = store::RocksDbEngine::Open(std::move(sound));
      if (!opened && opened.error().reason() == StatusReason::kNotFound) {
        return std::unexpected(opened.error());
      }
      // A store that lacks even the files that tell that it is one may still hold something.
      if (!opened && opened.error().reason() == StatusReason::kInvalid) {
        no_store_ = opened.error();
      } else if (!opened) {
        Warn(opened.error().message());
      }
    }
    options.salvage = true;
    Result<std::unique_ptr<store::Engine>> engine = store::RocksDbEngine::Open(options);
    if (!engine) {
      SKIFF_RETURN_IF_ERROR(store::RocksDbEngine::Rebuild(options, scratch));
      options.directory = scratch;
      engine = store::RocksDbEngine::Open(options);
    }
    if (!engine) return std::unexpected(std::move(engine).error());
    return store::OfflineReader::OpenDamaged(std::move(*engine), &work.clock());
  }

  Result<void> Salvage(const std::string& made, const std::string& scratch, LongOperation& work) {
    std::unique_ptr<store::ByteSource> bytes;
    std::optional<store::BackupIndex> backup;
    if (!backup_file_.empty()) {
      SKIFF_ASSIGN_OR_RETURN(bytes, store::OpenBackupFile(backup_file_));
      SKIFF_ASSIGN_OR_RETURN(store::BackupReader reader, store::BackupReader::Open(*bytes));
      SKIFF_ASSIGN_OR_RETURN(backup, store::BackupIndex::Build(*bytes, reader));
    }
    SKIFF_ASSIGN_OR_RETURN(const std::unique_ptr<store::OfflineReader> reader,
                           OpenDamaged(scratch, work));
    store::RocksDbOptions options;
    options.directory = made;
    SKIFF_ASSIGN_OR_RETURN(const std::unique_ptr<store::Engine> engine,
                           store::RocksDbEngine::Open(std::move(options)));
    SKIFF_ASSIGN_OR_RETURN(store::EmbeddedImporter importer,
                           store::EmbeddedImporter::Begin(*engine, work.clock()));
    Salvager salvager(importer, work.Step("salvaging"));
    for (const store::LeaseInfo& lease : reader->Leases()) {
      SKIFF_RETURN_IF_ERROR(salvager.AddLease(lease));
    }
    SKIFF_ASSIGN_OR_RETURN(const store::SalvageFindings findings, reader->Salvage(&salvager));
    SKIFF_RETURN_IF_ERROR(salvager.failure());
    work.ClearLine();
    for (const std::string& gap : findings.gaps) Warn(gap);
    const int64_t last = reader->meta().revision;
    if (bump_ > INT64_MAX - 1 - last) return BadRequest("--bump-revision: too much");
    // What comes from the backup is a change, and gets a revision.
    revision_ = {last + std::max<int64_t>(bump_, findings.lost.empty() ? 0 : 1)};
    for (const auto& [where, why] : findings.lost) {
      SKIFF_RETURN_IF_ERROR(Replace(*reader, backup ? &*backup : nullptr, where, why, salvager));
    }
    keys_ = salvager.keys();
    if (keys_ == 0 && no_store_) return std::unexpected(*no_store_);
    SystemRandom random;
    return importer.Finish(revision_, random);
  }

  // What is lost, from the backup if it is there.
  Result<void> Replace(store::OfflineReader& reader, const store::BackupIndex* backup,
                       const store::KeyRange& where, const Status& why, Salvager& salvager) {
    const bool is_one = where.end == where.start + '\0';
    std::vector<store::KeyValue> found;
    if (backup != nullptr && is_one) {
      SKIFF_ASSIGN_OR_RETURN(auto entry, backup->Find(where.start));
      if (entry) found.push_back(std::move(entry->entry));
    } else if (backup != nullptr) {
      for (const store::BackupIndex::Place& place : backup->by_revision()) {
        SKIFF_ASSIGN_OR_RETURN(store::KeyValue entry, backup->Read(place));
        if (!where.Contains(entry.key)) continue;
        const auto there = reader.Get(entry.key);
        if (!there || !*there) found.push_back(std::move(entry));
      }
    }
    for (store::KeyValue& entry : found) {
      Warn("key " + Quoted(entry.key) + " is as it was in the backup, at revision " +
           std::to_string(entry.mod_revision.value));
      if (!salvager.HasLease(entry.lease)) {
        const store::LeaseInfo* lease = backup->FindLease(entry.lease);
        if (lease != nullptr) SKIFF_RETURN_IF_ERROR(salvager.AddLease(*lease));
      }
      entry.mod_revision = revision_;
      ++entry.version;
    }
    if (!is_one || found.empty()) {
      ++lost_;
      Warn("lost: " + Shown(where) + ": " + why.message());
    }
    salvager.OnEntries(std::move(found));
    return salvager.failure();
  }

  static void Warn(const std::string& text) {
    std::fprintf(stderr, "skiff store salvage: %s\n", Printable(text).c_str());
  }

  std::string directory_;
  std::string to_;
  std::string backup_file_;
  int64_t bump_ = kDefaultBump;
  store::Revision revision_;
  uint64_t keys_ = 0;
  uint64_t lost_ = 0;
  std::optional<Status> no_store_;  // why the directory does not look like one
};

}  // namespace

std::unique_ptr<CommandRun> MakeStoreSalvage() { return std::make_unique<StoreSalvageRun>(); }

}  // namespace skiff::cli
