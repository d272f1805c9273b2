#include "cli/store_import.h"

#include <dirent.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include <sys/stat.h>

#include "base/strings.h"
#include "base/temporary_name.h"
#include "store/backup_file.h"
#include "store/embedded/importer.h"
#include "store/embedded/rocksdb_engine.h"

namespace skiff {
namespace {

// Without slashes at the end, which rename and the name beside would stumble over.
std::string Trimmed(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

std::unexpected<Status> CannotMake(const std::string& directory, int error) {
  std::string why = std::strerror(error);
  if (error == EBUSY || error == EXDEV) {
    why = "it is the root of a file system; name a directory within it";
  }
  return Fail(StatusReason::kInternalError, "cannot make " + Quoted(directory) + ": " + why);
}

// A directory that vanishes unless it is renamed.
class TemporaryDirectory {
 public:
  TemporaryDirectory() = default;
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }

  Result<std::string> MakeBeside(const std::string& directory) {
    std::string beside = TemporaryNameBeside(directory);
    if (mkdtemp(beside.data()) == nullptr) return CannotMake(directory, errno);
    path_ = std::move(beside);
    return path_;
  }

  Result<void> RenameTo(const std::string& directory) {
    if (rename(path_.c_str(), directory.c_str()) != 0) return CannotMake(directory, errno);
    path_.clear();
    return SyncParentDirectory(directory);
  }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Closed again when it returns: all is on disk then.
Result<void> Fill(const std::string& directory, const BackupIndex& backup, Revision revision,
                  LongWork& work, Random& random) {
  RocksDbOptions options;
  options.directory = directory;
  SKIFF_ASSIGN_OR_RETURN(const std::unique_ptr<Engine> engine,
                         RocksDbEngine::Open(std::move(options)));
  SKIFF_ASSIGN_OR_RETURN(EmbeddedImporter importer, EmbeddedImporter::Begin(*engine, work.clock()));
  for (const LeaseInfo& lease : backup.leases()) SKIFF_RETURN_IF_ERROR(importer.Add(lease));
  const ProgressFunction progress = work.Step("writing");
  WorkProgress so_far{0, backup.end().entries, 0};
  for (const BackupIndex::Place& place : backup.by_revision()) {
    SKIFF_ASSIGN_OR_RETURN(const KeyValue entry, backup.Read(place));
    SKIFF_RETURN_IF_ERROR(importer.Add(entry));
    ++so_far.entries;
    so_far.bytes += entry.key.size() + entry.value.size();
    if (progress) progress(so_far);
  }
  return importer.Finish(revision, random);
}

}  // namespace

Result<void> CheckNewDirectory(const std::string& directory) {
  const std::string path = Trimmed(directory);
  struct stat found;
  if (stat(path.c_str(), &found) != 0) {
    if (errno == ENOENT) return {};
    return CannotMake(path, errno);
  }
  if (!S_ISDIR(found.st_mode)) return CannotMake(path, ENOTDIR);
  std::error_code error;
  const bool is_empty = std::filesystem::is_empty(path, error);
  if (error) return CannotMake(path, error.value());
  if (is_empty) return {};
  return Fail(StatusReason::kAlreadyExists,
              Quoted(path) + " is not empty; name a directory that does not exist yet");
}

Result<Revision> ImportIntoNewDirectory(const BackupIndex& backup, const ImportOptions& options,
                                        LongWork& work, Random& random) {
  const std::string directory = Trimmed(options.directory);
  SKIFF_RETURN_IF_ERROR(CheckNewDirectory(directory));
  TemporaryDirectory made;
  SKIFF_RETURN_IF_ERROR(work.Make([&] { return made.MakeBeside(directory); }));
  const Revision revision{backup.end().revision.value + options.bump_revision};
  SKIFF_RETURN_IF_ERROR(Fill(made.path(), backup, revision, work, random));
  if (options.check) SKIFF_RETURN_IF_ERROR(options.check(made.path()));
  SKIFF_RETURN_IF_ERROR(work.Publish([&] { return made.RenameTo(directory); }));
  return revision;
}

}  // namespace skiff
