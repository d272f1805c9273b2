#include <unistd.h>

#include <cstdio>
#include <utility>
#include <vector>

#include "base/random.h"
#include "cli/common/diagnostics.h"
#include "cli/common/long_operation.h"
#include "cli/store/store_commands.h"
#include "cli/store/store_import.h"
#include "cli/store/store_location.h"
#include "store/backup_file.h"

namespace skiff::cli {
namespace {

constexpr std::string_view kStandardOutput = "-";

class StoreBackupRun final : public CommandRun {
 public:
  void Declare(FlagSet& flags) override {
    DeclareLocation(flags, &place_, LocationKinds::kStores);
    DeclarePrefix(flags, &prefix_,
                  "of an etcd, only the keys under this prefix, '' for all; of an embedded store "
                  "all keys are taken");
    flags.Take({.placeholder = "FILE",
                .min = 1,
                .max = 1,
                .completes = Completes::kFiles,
                .target = &files_});
  }

  Result<void> Check() override {
    SKIFF_RETURN_IF_ERROR(CheckLocation(place_, LocationKinds::kStores));
    if (files_[0].empty()) return BadRequest("the name of FILE is empty");
    if (files_[0] == kStandardOutput && isatty(STDOUT_FILENO) == 1) {
      return BadRequest("a backup is binary and would garble the terminal; name a file");
    }
    return {};
  }

  int Run() override {
    LongOperation work("skiff store backup");
    const Result<store::BackupEnd> end = TakeIt(work);
    work.ClearLine();
    if (!end) return StoreFailure("backup", end.error());
    // Standard output may be the backup itself.
    std::fprintf(files_[0] == kStandardOutput ? stderr : stdout,
                 "backed up %s keys (%s) of %s at revision %lld\n", Grouped(end->entries).c_str(),
                 HumanBytes(end->key_bytes + end->value_bytes).c_str(), place_.Shown().c_str(),
                 static_cast<long long>(end->revision.value));
    return kExitSuccess;
  }

 private:
  Result<store::BackupEnd> TakeIt(LongOperation& work) {
    SystemRandom random;
    SKIFF_ASSIGN_OR_RETURN(const std::unique_ptr<LocationReader> source,
                           OpenForReading(place_, {&work.clock(), &random}));
    store::BackupHeader header;
    header.cluster_id = source->cluster_id();
    header.taken_at = std::chrono::duration_cast<std::chrono::seconds>(work.clock().Wall()).count();
    if (place_.is_etcd()) header.prefix = KeyPrefix(prefix_);
    const store::ProgressFunction progress = work.Step("backing up");
    if (files_[0] == kStandardOutput) {
      store::DescriptorSink sink(STDOUT_FILENO, "standard output");
      SKIFF_ASSIGN_OR_RETURN(const store::BackupEnd end,
                             store::TakeBackup(*source, header, sink, progress));
      SKIFF_RETURN_IF_ERROR(sink.Flush());
      return end;
    }
    if (!place_.is_etcd()) SKIFF_RETURN_IF_ERROR(CheckOutside(files_[0], place_.data_dir));
    std::unique_ptr<store::NewBackupFile> file;
    SKIFF_RETURN_IF_ERROR(work.Make([&]() -> Result<std::string> {
      SKIFF_ASSIGN_OR_RETURN(file, store::NewBackupFile::Create(files_[0]));
      return file->temporary_path();
    }));
    SKIFF_ASSIGN_OR_RETURN(const store::BackupEnd end,
                           store::TakeBackup(*source, header, *file, progress));
    SKIFF_RETURN_IF_ERROR(file->Commit());
    return end;
  }

  StoreLocation place_;
  std::string prefix_ = "/registry";
  std::vector<std::string> files_;
};

}  // namespace

std::unique_ptr<CommandRun> MakeStoreBackup() { return std::make_unique<StoreBackupRun>(); }

int StoreFailure(std::string_view command, const Status& status) {
  std::fprintf(stderr, "skiff store %s: %s\n", std::string(command).c_str(),
               Printable(status.message()).c_str());
  return kExitFailure;
}

}  // namespace skiff::cli
