#include "store/embedded/rocksdb_directory.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "store/embedded/file_list.h"

namespace skiff::store {
namespace {

constexpr const char* kReserveFile = "RESERVE";
constexpr const char* kProbeFile = "PROBE";
constexpr size_t kProbeBytes = 64 * 1024;

// RocksDB's own words. A table that it does not find it looks for under a name of old, and that is
// the one that it then complains about.
std::string Detail(const rocksdb::Status& status) {
  std::string text = status.ToString();
  for (size_t at; (at = text.find(".ldb")) != std::string::npos;) text.replace(at, 4, ".sst");
  return " (RocksDB: " + text + ")";
}

// The process that holds a lock on the file; zero if that cannot be told. Must not be asked about
// a lock of this very process: closing the file would drop it.
pid_t LockHolder(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  struct flock lock = {};
  lock.l_type = F_RDLCK;
  lock.l_whence = SEEK_SET;
  const bool known = fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  close(fd);
  return known ? lock.l_pid : 0;
}

}  // namespace

std::string ExplainRocksDb(const std::string& directory, const rocksdb::Status& status) {
  const std::string what = "the store in " + directory + ": ";
  const std::string detail = Detail(status);
  if (status.IsNoSpace()) return what + "the disk is full; make room" + detail;
  if (status.IsPathNotFound() || detail.find("No such file") != std::string::npos) {
    return what +
           "a file or directory is missing; if it is one of the store's own, 'skiff store salvage' "
           "makes a sound store of what is left" +
           detail;
  }
  if (status.IsCorruption()) {
    return what +
           "a file is damaged; check the disk; 'skiff store salvage' saves what can be read" +
           detail;
  }
  if (status.IsIOError()) {
    return what + "the disk or the file system failed; see the kernel's log" + detail;
  }
  if (status.IsInvalidArgument() || status.IsNotSupported()) {
    return what + "the files are not of a store of this version" + detail;
  }
  return what + "failed" + detail;
}

std::unexpected<Status> RocksDbFailure(const std::string& directory,
                                       const rocksdb::Status& status) {
  return Fail(
      status.IsCorruption() ? StatusReason::kInternalError : StatusReason::kServiceUnavailable,
      ExplainRocksDb(directory, status));
}

std::unexpected<Status> RocksDbReadFailure(const std::string& directory,
                                           const rocksdb::Status& status) {
  const bool is_damage =
      status.IsCorruption() || status.IsIOError() || status.IsPathNotFound() || status.IsNotFound();
  return Fail(is_damage ? StatusReason::kInternalError : StatusReason::kServiceUnavailable,
              ExplainRocksDb(directory, status));
}

RocksDbDirectory::~RocksDbDirectory() { Unlock(); }

void RocksDbDirectory::Unlock() {
  if (lock_ != nullptr) fs_->UnlockFile(lock_, io_, nullptr).PermitUncheckedError();
  lock_ = nullptr;
}

bool RocksDbDirectory::Has(const std::string& name) const {
  return fs_->FileExists(PathOf(name), io_, nullptr).ok();
}

Result<bool> RocksDbDirectory::HoldsStore() const {
  std::vector<std::string> names;
  const rocksdb::Status status = fs_->GetChildren(path_, io_, &names, nullptr);
  if (status.IsNotFound() || status.IsPathNotFound()) return false;
  if (!status.ok()) return RocksDbFailure(path_, status);
  if (std::ranges::find(names, "CURRENT") != names.end()) return true;
  // What has held data has CURRENT, and without it all else would be taken for left over.
  for (const std::string& name : names) {
    if (name == kFileList || name.ends_with(".sst")) {
      return Damaged("CURRENT", 0, "it is missing");
    }
  }
  // An opening that was cut short leaves files of RocksDB without CURRENT, but OWNER came first.
  if (std::ranges::find(names, kOwnerName) != names.end()) return false;
  if (std::ranges::find(names, "store") != names.end()) {
    return Fail(StatusReason::kInvalid,
                "the directory " + path_ + " is not a store; the one in it is " + path_ + "/store");
  }
  for (const std::string& name : names) {
    if (name == "." || name == ".." || name == "lost+found") continue;
    return Fail(StatusReason::kInvalid, "the directory " + path_ +
                                            " is not a store and holds other files (such as " +
                                            name + "); give the store a directory of its own");
  }
  return false;
}

Result<void> RocksDbDirectory::Create() const {
  std::error_code error;
  const auto found = std::filesystem::status(path_, error).type();
  if (!error && found != std::filesystem::file_type::directory &&
      found != std::filesystem::file_type::not_found) {
    return Fail(StatusReason::kInvalid,
                path_ + " is not a directory; give the store a directory of its own");
  }
  rocksdb::Status status = fs_->CreateDirIfMissing(path_, io_, nullptr);
  if (status.ok()) {
    const std::string parent = std::filesystem::path(path_).parent_path().string();
    std::unique_ptr<rocksdb::FSDirectory> entry;
    status = fs_->NewDirectory(parent.empty() ? "." : parent, io_, &entry, nullptr);
    if (status.ok()) status = entry->Fsync(io_, nullptr);
  }
  if (!status.ok()) return RocksDbFailure(path_, status);
  return {};
}

Result<bool> RocksDbDirectory::MakePrivate() const {
  namespace fs = std::filesystem;
  constexpr fs::perms kOthers = fs::perms::group_all | fs::perms::others_all;
  std::error_code error;
  const bool was_exposed = (fs::status(path_, error).permissions() & kOthers) != fs::perms::none;
  if (was_exposed && !error) fs::permissions(path_, kOthers, fs::perm_options::remove, error);
  if (error) {
    return Fail(StatusReason::kInternalError,
                "the store in " + path_ + " cannot be kept from others: " + error.message());
  }
  // Nobody comes to the files any more but who has one open; they go without a word.
  for (const auto& entry : fs::directory_iterator(path_, error)) {
    std::error_code ignored;
    fs::permissions(entry.path(), kOthers, fs::perm_options::remove, ignored);
  }
  return was_exposed;
}

Result<void> RocksDbDirectory::Lock() {
  const bool is_new = !Has(kOwnerName) || !Has("CURRENT");
  const rocksdb::Status status = fs_->LockFile(PathOf(kOwnerName), io_, &lock_, nullptr);
  if (status.ok()) return is_new ? SyncNames() : Result<void>();
  const std::string text = status.ToString();
  if (text.find("lock hold by current process") != std::string::npos) {
    return Fail(StatusReason::kConflict,
                "the store in " + path_ + " is in use: it is open in this process already");
  }
  if (text.find("While lock file") == std::string::npos) return RocksDbFailure(path_, status);
  const pid_t holder = LockHolder(PathOf(kOwnerName));
  return Fail(StatusReason::kConflict,
              "the store in " + path_ + " is in use by another process" +
                  (holder > 0 ? " (pid " + std::to_string(holder) + ")" : "") +
                  "; stop that one, or choose another directory");
}

Result<void> RocksDbDirectory::CheckFree() {
  if (!Has(kOwnerName)) return {};
  Result<void> locked = Lock();
  Unlock();
  return locked;
}

Result<std::vector<std::string>> RocksDbDirectory::Logs() const {
  std::vector<std::string> names;
  const rocksdb::Status status = fs_->GetChildren(path_, io_, &names, nullptr);
  if (!status.ok()) return RocksDbFailure(path_, status);
  std::erase_if(names, [](const std::string& name) {
    return !name.ends_with(".log") || name.find_first_not_of("0123456789") != name.size() - 4;
  });
  // All numbers have at least six digits.
  std::ranges::sort(names, [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a > b;
  });
  return names;
}

Result<std::vector<std::string>> RocksDbDirectory::RecordFileNames() const {
  SKIFF_ASSIGN_OR_RETURN(const std::vector<NamedKind> files, RecordFiles());
  std::vector<std::string> names;
  for (const auto& [name, kind] : files) names.push_back(name);
  return names;
}

Result<std::vector<RocksDbDirectory::NamedKind>> RocksDbDirectory::RecordFiles() const {
  SKIFF_ASSIGN_OR_RETURN(const std::vector<std::string> names, Logs());
  std::string current;
  rocksdb::Status status;
  if (Has("CURRENT")) {
    status = rocksdb::ReadFileToString(fs_.get(), PathOf("CURRENT"), &current);
  }
  if (!status.ok()) return RocksDbFailure(path_, status);
  std::vector<NamedKind> files;
  if (Has("CURRENT")) {
    const bool sound = current.starts_with("MANIFEST-") && current.ends_with("\n");
    if (!sound) return Damaged("CURRENT", 0, "it does not name a manifest");
    current.pop_back();
    if (!Has(current)) {
      return Damaged("CURRENT", 0, ("it names " + current + ", which is missing").c_str());
    }
    files.emplace_back(current, RecordFileKind::kManifest);
  }
  for (const std::string& name : names) files.emplace_back(name, RecordFileKind::kLog);
  return files;
}

std::unexpected<Status> RocksDbDirectory::Damaged(const std::string& name, uint64_t at,
                                                  const char* what) const {
  return Fail(StatusReason::kInternalError,
              "the store in " + path_ + ": the file " + name + " is damaged at byte " +
                  std::to_string(at) + " (" + what +
                  "); nothing was changed; check the disk, and restore a backup or let 'skiff "
                  "store salvage' make a store of what can be read");
}

Result<void> RocksDbDirectory::SyncNames() const {
  std::unique_ptr<rocksdb::FSDirectory> directory;
  rocksdb::IOStatus status = fs_->NewDirectory(path_, io_, &directory, nullptr);
  if (status.ok()) status = directory->Fsync(io_, nullptr);
  if (!status.ok()) return RocksDbFailure(path_, status);
  return {};
}

Result<void> RocksDbDirectory::CutOff(const std::string& name, uint64_t size) const {
  std::unique_ptr<rocksdb::FSWritableFile> file;
  rocksdb::IOStatus status =
      fs_->ReopenWritableFile(PathOf(name), rocksdb::FileOptions(), &file, nullptr);
  if (status.ok()) status = file->Truncate(size, io_, nullptr);
  if (status.ok()) status = file->Fsync(io_, nullptr);
  if (status.ok()) status = file->Close(io_, nullptr);
  if (!status.ok()) return RocksDbFailure(path_, status);
  return {};
}

Result<void> RocksDbDirectory::Replace(const std::string& name, const std::string& contents) const {
  const std::string mended = PathOf(name + ".mended");
  std::unique_ptr<rocksdb::FSWritableFile> file;
  rocksdb::IOStatus status = fs_->NewWritableFile(mended, rocksdb::FileOptions(), &file, nullptr);
  if (status.ok()) status = file->Append(contents, io_, nullptr);
  if (status.ok()) status = file->Fsync(io_, nullptr);
  if (status.ok()) status = file->Close(io_, nullptr);
  if (status.ok()) status = fs_->RenameFile(mended, PathOf(name), io_, nullptr);
  if (!status.ok()) return RocksDbFailure(path_, status);
  return SyncNames();
}

Result<void> RocksDbDirectory::CheckRecordFiles(bool repair) const {
  SKIFF_ASSIGN_OR_RETURN(const auto files, RecordFiles());
  bool later_entries = false;
  for (const auto& [name, kind] : files) {
    std::string contents;
    const rocksdb::Status status = rocksdb::ReadFileToString(fs_.get(), PathOf(name), &contents);
    if (!status.ok()) return RocksDbFailure(path_, status);
    RecordFileCheck check = CheckRecordFile(kind, contents);
    bool mended = false;
    while (check.state == RecordFileState::kRepairable) {
      char& byte = contents[check.repair_at];
      byte = static_cast<char>(byte | (1 << check.repair_bit));
      mended = true;
      check = CheckRecordFile(kind, contents);
    }
    if (check.state == RecordFileState::kDamaged) return Damaged(name, check.bad_at, check.why);
    if (check.state == RecordFileState::kTorn) {
      // Each log was synced to its end before the next one was begun.
      if (later_entries) return Damaged(name, check.bad_at, "its end is missing");
      contents.resize(check.whole_bytes);
    }
    if (repair && mended) {
      SKIFF_RETURN_IF_ERROR(Replace(name, contents));
    } else if (repair && check.state == RecordFileState::kTorn) {
      SKIFF_RETURN_IF_ERROR(CutOff(name, contents.size()));
    }
    later_entries = later_entries || (kind == RecordFileKind::kLog && check.has_entries);
  }
  return {};
}

void RocksDbDirectory::RemoveTablesExcept(const std::set<std::string>& names) const {
  std::vector<std::string> found;
  if (!fs_->GetChildren(path_, io_, &found, nullptr).ok()) return;
  for (const std::string& name : found) {
    if (!name.ends_with(".sst") || names.contains(name)) continue;
    fs_->DeleteFile(PathOf(name), io_, nullptr).PermitUncheckedError();
  }
}

Result<void> RocksDbDirectory::Probe() const {
  // If the disk is full, it is the reserve that opening will use.
  if (Has(kReserveFile) && FreeBytes() < kProbeBytes) return {};
  const std::string path = PathOf(kProbeFile);
  std::unique_ptr<rocksdb::FSWritableFile> file;
  rocksdb::IOStatus status = fs_->NewWritableFile(path, rocksdb::FileOptions(), &file, nullptr);
  if (status.ok()) status = file->Append(std::string(kProbeBytes, 'x'), io_, nullptr);
  if (status.ok()) status = file->Fsync(io_, nullptr);
  if (status.ok()) status = file->Close(io_, nullptr);
  file.reset();
  fs_->DeleteFile(path, io_, nullptr).PermitUncheckedError();
  if (!status.ok()) return RocksDbFailure(path_, status);
  return {};
}

void RocksDbDirectory::KeepReserve(uint64_t bytes) const {
  std::unique_ptr<rocksdb::FSWritableFile> file;
  rocksdb::FileOptions options;
  options.fallocate_with_keep_size = false;  // the size tells how much was taken
  rocksdb::IOStatus status = fs_->NewWritableFile(PathOf(kReserveFile), options, &file, nullptr);
  if (!status.ok()) return;
  status = file->Allocate(0, bytes, io_, nullptr);
  file->Close(io_, nullptr).PermitUncheckedError();
  if (!status.ok()) GiveUpReserve();
}

void RocksDbDirectory::GiveUpReserve() const {
  fs_->DeleteFile(PathOf(kReserveFile), io_, nullptr).PermitUncheckedError();
}

std::optional<uint64_t> RocksDbDirectory::ReserveBytes() const {
  uint64_t bytes = 0;
  if (!fs_->GetFileSize(PathOf(kReserveFile), io_, &bytes, nullptr).ok()) return std::nullopt;
  return bytes;
}

uint64_t RocksDbDirectory::FreeBytes() const {
  uint64_t bytes = 0;
  const bool told = fs_->GetFreeSpace(path_, io_, &bytes, nullptr).ok();
  return told ? bytes : UINT64_MAX / 2;
}

uint64_t RocksDbDirectory::UsedBytes() const {
  std::vector<rocksdb::FileAttributes> files;
  if (!fs_->GetChildrenFileAttributes(path_, io_, &files, nullptr).ok()) return 0;
  uint64_t sum = 0;
  for (const rocksdb::FileAttributes& file : files) {
    if (!file.name.ends_with(kReserveFile)) sum += file.size_bytes;
  }
  return sum;
}

Result<void> CopyForRebuilding(const std::string& from, const std::string& into) {
  std::error_code error;
  std::filesystem::create_directory(into, error);
  std::string manifest;
  for (const auto& file : std::filesystem::directory_iterator(from, error)) {
    const std::string name = file.path().filename().string();
    const std::string target = into + "/" + name;
    if (name.ends_with(".sst")) {
      // Tables are never changed. Where there are no links, a copy must do.
      std::filesystem::create_hard_link(file.path(), target, error);
      if (error) std::filesystem::copy_file(file.path(), target, error);
    } else if (name.ends_with(".log") || name.starts_with("MANIFEST-")) {
      std::filesystem::copy_file(file.path(), target, error);
      if (name.starts_with("MANIFEST-")) manifest = std::max(manifest, name);
    }
    if (error) break;
  }
  if (error) {
    return Fail(StatusReason::kServiceUnavailable,
                "cannot copy " + from + " to " + into + ": " + error.message());
  }
  if (manifest.empty()) return {};
  const rocksdb::IOStatus status = rocksdb::WriteStringToFile(rocksdb::FileSystem::Default().get(),
                                                              manifest + "\n", into + "/CURRENT");
  if (!status.ok()) return RocksDbFailure(into, status);
  return {};
}

}  // namespace skiff::store
