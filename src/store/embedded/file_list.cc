#include "store/embedded/file_list.h"

#include <charconv>
#include <cstdio>
#include <optional>

#include "base/crc32c.h"

namespace skiff::store {
namespace {

constexpr std::string_view kTitle = "skiff files 1\n";
constexpr std::string_view kOpenLine = "open\n";
constexpr std::string_view kClosedLine = "closed\n";
constexpr size_t kSumBytes = 9;  // eight digits and the end of the line

std::string SumOf(std::string_view text) {
  char sum[kSumBytes + 1];
  std::snprintf(sum, sizeof sum, "%08x\n", Crc32c(text));
  return sum;
}

}  // namespace

bool FileList::Parse(std::string_view text) {
  if (text.size() < kTitle.size() + kSumBytes) return false;
  const std::string_view sum = text.substr(text.size() - kSumBytes);
  text.remove_suffix(kSumBytes);
  if (sum != SumOf(text) || !text.starts_with(kTitle)) return false;
  text.remove_prefix(kTitle.size());
  was_closed_ = text.starts_with(kClosedLine);
  if (!was_closed_ && !text.starts_with(kOpenLine)) return false;
  text.remove_prefix(was_closed_ ? kClosedLine.size() : kOpenLine.size());
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() + 1);
    const size_t space = line.find(' ');
    if (space == std::string_view::npos) return false;
    uint64_t& size = files_[std::string(line.substr(0, space))];
    std::from_chars(line.data() + space + 1, line.data() + line.size(), size);
  }
  return true;
}

Result<void> FileList::Check() {
  std::lock_guard lock(mutex_);
  files_.clear();
  was_closed_ = false;
  std::string text;
  if (!rocksdb::ReadFileToString(fs_.get(), PathOf(kFileList), &text).ok()) return {};
  if (!Parse(text)) {
    files_.clear();
    return {};
  }
  for (const auto& [name, wanted] : files_) {
    uint64_t size = 0;
    const bool is_there = fs_->GetFileSize(PathOf(name), io_, &size, nullptr).ok();
    if (is_there && size >= wanted && (!was_closed_ || size == wanted)) continue;
    const std::string what = !is_there
                                 ? "is missing"
                                 : "has " + std::to_string(size) + " bytes and should have " +
                                       (was_closed_ ? "" : "at least ") + std::to_string(wanted);
    return Fail(StatusReason::kInternalError,
                "the store in " + directory_ + ": the file " + name + " " + what +
                    "; what it held was acknowledged; nothing was changed; bring it back, restore "
                    "a backup, or let 'skiff store salvage' make a store of what is left");
  }
  return {};
}

Result<void> FileList::Open() {
  std::lock_guard lock(mutex_);
  is_kept_ = true;
  if (!was_closed_) return {};
  was_closed_ = false;
  // RocksDB begins a new manifest when it likes.
  std::erase_if(files_, [](const auto& file) { return !file.first.ends_with(".log"); });
  const rocksdb::IOStatus status = Write(false);
  if (status.ok()) return {};
  return Fail(StatusReason::kServiceUnavailable, "the store in " + directory_ + ": cannot write " +
                                                     kFileList + ": " + status.ToString());
}

void FileList::Add(const std::string& name) {
  std::lock_guard lock(mutex_);
  if (!is_kept_) return;
  // Its name must be as durable as the list that names it.
  std::unique_ptr<rocksdb::FSDirectory> directory;
  rocksdb::IOStatus status = fs_->NewDirectory(directory_, io_, &directory, nullptr);
  if (status.ok()) status = directory->Fsync(io_, nullptr);
  if (!status.ok()) return;
  files_[name] = 0;
  if (!Write(false).ok()) files_.erase(name);
}

rocksdb::IOStatus FileList::Remove(const std::string& name) {
  std::lock_guard lock(mutex_);
  const auto at = files_.find(name);
  if (!is_kept_ || at == files_.end()) return rocksdb::IOStatus::OK();
  const uint64_t size = at->second;
  files_.erase(at);
  const rocksdb::IOStatus status = Write(false);
  if (!status.ok()) files_[name] = size;
  return status;
}

void FileList::Close(const std::vector<std::string>& names) {
  std::lock_guard lock(mutex_);
  if (!is_kept_) return;
  is_kept_ = false;
  files_.clear();
  for (const std::string& name : names) {
    uint64_t size = 0;
    if (!fs_->GetFileSize(PathOf(name), io_, &size, nullptr).ok()) return;
    files_[name] = size;
  }
  Write(true).PermitUncheckedError();
}

rocksdb::IOStatus FileList::Write(bool closed) {
  std::string text(kTitle);
  text += closed ? kClosedLine : kOpenLine;
  for (const auto& [name, size] : files_) text += name + " " + std::to_string(size) + "\n";
  text += SumOf(text);
  const std::string path = PathOf(std::string(kFileList) + ".new");
  std::unique_ptr<rocksdb::FSWritableFile> file;
  rocksdb::IOStatus status = fs_->NewWritableFile(path, rocksdb::FileOptions(), &file, nullptr);
  if (status.ok()) status = file->Append(text, io_, nullptr);
  if (status.ok()) status = file->Fsync(io_, nullptr);
  if (status.ok()) status = file->Close(io_, nullptr);
  if (status.ok()) status = fs_->RenameFile(path, PathOf(kFileList), io_, nullptr);
  std::unique_ptr<rocksdb::FSDirectory> directory;
  if (status.ok()) status = fs_->NewDirectory(directory_, io_, &directory, nullptr);
  if (status.ok()) status = directory->Fsync(io_, nullptr);
  return status;
}

}  // namespace skiff::store
