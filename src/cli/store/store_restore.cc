#include <cstdio>
#include <utility>
#include <vector>

#include "base/random.h"
#include "cli/common/diagnostics.h"
#include "cli/common/long_operation.h"
#include "cli/store/store_commands.h"
#include "cli/store/store_import.h"
#include "store/backup_file.h"

namespace skiff::cli {
namespace {

// Room for the changes since the backup: eleven days at a thousand a second. Nine thousand million
// restores would use up the numbers.
constexpr int64_t kDefaultBump = 1'000'000'000;

class StoreRestoreRun final : public CommandRun {
 public:
  void Declare(FlagSet& flags) override {
    flags.Add({.name = "data-dir",
               .placeholder = "DIR",
               .help = "the directory to make; it must not exist, or be empty",
               .required = true,
               .completes = Completes::kDirectories,
               .value = Text(&directory_)});
    flags.Add({.name = "bump-revision",
               .placeholder = "N",
               .help = "go on this much after the revision of the backup",
               .value = WholeNumber(&bump_, 0)});
    flags.Take({.placeholder = "FILE",
                .min = 1,
                .max = 1,
                .completes = Completes::kFiles,
                .target = &files_});
  }

  Result<void> Check() override {
    if (directory_.empty()) return BadRequest("--data-dir: the name of the directory is empty");
    if (files_[0] == "-") {
      return BadRequest(
          "a backup is read more than once, so it cannot come from a pipe; store it "
          "in a file");
    }
    return {};
  }

  int Run() override {
    LongOperation work("skiff store restore");
    const Result<void> done = Restore(work);
    return done ? kExitSuccess : StoreFailure("restore", done.error());
  }

 private:
  Result<void> Restore(LongOperation& work) {
    SKIFF_RETURN_IF_ERROR(CheckNewDirectory(directory_));
    SKIFF_ASSIGN_OR_RETURN(const std::unique_ptr<store::ByteSource> bytes,
                           store::OpenBackupFile(files_[0]));
    const auto read = [&]() -> Result<store::BackupIndex> {
      SKIFF_ASSIGN_OR_RETURN(store::BackupReader reader, store::BackupReader::Open(*bytes));
      return store::BackupIndex::Build(*bytes, reader);
    };
    const Result<store::BackupIndex> index = read();
    if (!index) {
      return Fail(index.error().reason(), files_[0] + ": " + index.error().message());
    }
    const int64_t highest = index->end().revision.value;
    if (bump_ > INT64_MAX - highest) return BadRequest("--bump-revision: too much");
    SystemRandom random;
    SKIFF_ASSIGN_OR_RETURN(const store::Revision revision,
                           ImportIntoNewDirectory(*index, {directory_, bump_}, work, random));
    work.ClearLine();
    std::printf("restored %s keys (%s) of revision %lld to %s, which goes on after revision %lld\n",
                Grouped(index->end().entries).c_str(),
                HumanBytes(index->end().key_bytes + index->end().value_bytes).c_str(),
                static_cast<long long>(highest), Printable(directory_).c_str(),
                static_cast<long long>(revision.value));
    return {};
  }

  std::string directory_;
  int64_t bump_ = kDefaultBump;
  std::vector<std::string> files_;
};

}  // namespace

std::unique_ptr<CommandRun> MakeStoreRestore() { return std::make_unique<StoreRestoreRun>(); }

}  // namespace skiff::cli
