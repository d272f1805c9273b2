#include "cli/store/store_import.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include <sys/file.h>
#include <sys/stat.h>

#include "base/strings.h"
#include "base/temporary_name.h"
#include "cli/common/host.h"
#include "store/backup_file.h"
#include "store/embedded/importer.h"
#include "store/embedded/rocksdb_engine.h"

namespace skiff::cli {
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

// A directory for what is being made, which vanishes with this object. Its lock tells others that
// somebody is still at it.
class TemporaryDirectory {
 public:
  TemporaryDirectory() = default;
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    Remove();
    if (fd_ >= 0) close(fd_);
  }

  Result<std::string> MakeBeside(const std::string& directory) {
    std::string beside = TemporaryNameBeside(directory);
    if (mkdtemp(beside.data()) == nullptr) return CannotMake(directory, errno);
    path_ = std::move(beside);
    fd_ = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd_ < 0 || flock(fd_, LOCK_EX | LOCK_NB) != 0) return CannotMake(directory, errno);
    return path_;
  }

  // Gives what was made in it its name.
  Result<void> Publish(const std::string& directory) {
    if (rename(made().c_str(), directory.c_str()) != 0) return CannotMake(directory, errno);
    Remove();
    return store::SyncParentDirectory(directory);
  }

  std::string made() const { return path_ + "/made"; }
  std::string scratch() const { return path_ + "/scratch"; }

 private:
  void Remove() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
    path_.clear();
  }

  std::string path_;
  int fd_ = -1;
};

// Whether the name is one that TemporaryNameBeside gives to what becomes `name`.
bool IsTemporaryNameOf(std::string_view found, std::string_view name) {
  std::string wanted = TemporaryNameBeside(name);
  const size_t random_bytes = std::strlen("XXXXXX");
  wanted.resize(wanted.size() - random_bytes);
  return found.size() == wanted.size() + random_bytes && found.starts_with(wanted);
}

// What those who were killed have left. Nobody has it locked.
void RemoveLeftOvers(const std::string& directory) {
  const std::filesystem::path path(directory);
  const std::filesystem::path parent = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code error;
  for (const auto& each : std::filesystem::directory_iterator(parent, error)) {
    if (!IsTemporaryNameOf(each.path().filename().string(), path.filename().string())) continue;
    const int fd = open(each.path().c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) continue;
    std::error_code ignored;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) std::filesystem::remove_all(each.path(), ignored);
    close(fd);
  }
}

// Closed again when it returns: all is on disk then.
Result<void> Fill(const std::string& directory, const store::BackupIndex& backup,
                  store::Revision revision, LongOperation& work, Random& random) {
  store::RocksDbOptions options;
  options.directory = directory;
  SKIFF_ASSIGN_OR_RETURN(const std::unique_ptr<store::Engine> engine,
                         store::RocksDbEngine::Open(std::move(options)));
  SKIFF_ASSIGN_OR_RETURN(store::EmbeddedImporter importer,
                         store::EmbeddedImporter::Begin(*engine, work.clock()));
  for (const store::LeaseInfo& lease : backup.leases()) SKIFF_RETURN_IF_ERROR(importer.Add(lease));
  const store::ProgressFunction progress = work.Step("writing");
  store::WorkProgress so_far{0, backup.end().entries, 0};
  for (const store::BackupIndex::Place& place : backup.by_revision()) {
    SKIFF_ASSIGN_OR_RETURN(const store::KeyValue entry, backup.Read(place));
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

Result<void> CheckOutside(const std::string& place, const std::string& store_directory) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path store = fs::canonical(Trimmed(store_directory), error);
  if (error) return {};  // whoever opens it says why
  const fs::path parent = fs::absolute(Trimmed(place), error).parent_path();
  const fs::path where = fs::weakly_canonical(parent, error);
  if (error || std::ranges::mismatch(store, where).in1 != store.end()) return {};
  return BadRequest(Quoted(place) +
                    " lies in the directory of a store, whose files are its own; "
                    "name a place outside of it");
}

Result<void> MakeNewDirectory(
    const std::string& directory, LongOperation& work,
    const std::function<Result<void>(const std::string& made, const std::string& scratch)>& fill) {
  KeepNewFilesPrivate();
  const std::string path = Trimmed(directory);
  SKIFF_RETURN_IF_ERROR(CheckNewDirectory(path));
  RemoveLeftOvers(path);
  TemporaryDirectory beside;
  SKIFF_RETURN_IF_ERROR(work.Make([&] { return beside.MakeBeside(path); }));
  SKIFF_RETURN_IF_ERROR(fill(beside.made(), beside.scratch()));
  return work.Publish([&] { return beside.Publish(path); });
}

Result<store::Revision> ImportIntoNewDirectory(const store::BackupIndex& backup,
                                               const ImportOptions& options, LongOperation& work,
                                               Random& random) {
  const store::Revision revision{backup.end().revision.value + options.bump_revision};
  const auto fill = [&](const std::string& made, const std::string&) -> Result<void> {
    SKIFF_RETURN_IF_ERROR(Fill(made, backup, revision, work, random));
    return options.check ? options.check(made) : Result<void>();
  };
  SKIFF_RETURN_IF_ERROR(MakeNewDirectory(options.directory, work, fill));
  return revision;
}

}  // namespace skiff::cli
