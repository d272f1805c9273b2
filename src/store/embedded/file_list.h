// FILES, the list of what must be in the directory of an engine on RocksDB. Private to
// rocksdb_engine.cc.
//
// RocksDB notes in its manifest which tables and which finished logs there are. It does not note
// the log in use: if that is missing, or was cut off after a whole record, what it held is gone
// without a word, and of the manifest itself the same is true. So this list names each log from
// before its first record on until RocksDB deletes it; and when the engine is closed, it also names
// the manifest, and holds the sizes that the files then have for good.
//
// The form: a line "skiff files 1", a line "open" or "closed", a line for each file with its name
// and, if it is known, the size that it has at least (open) or exactly (closed), and a line with
// the CRC32C of all that, in hexadecimal. It is replaced as a whole, and on disk before whatever
// depends on it happens. A list that is damaged itself is as good as none: it only repeats what the
// files say.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rocksdb/file_system.h>

#include "base/status.h"

namespace skiff::store {

inline constexpr const char* kFileList = "FILES";

class FileList {
 public:
  FileList(std::string directory, std::shared_ptr<rocksdb::FileSystem> fs)
      : directory_(std::move(directory)), fs_(std::move(fs)) {}

  // Reads the list and compares it with the directory. An error names the first file that is
  // missing or too short. No list is no error.
  Result<void> Check();
  // From now on the files change.
  Result<void> Open();
  // A new file stands in the directory. Failing to note it is no error: it is then not missed.
  void Add(const std::string& name);
  // A file is about to be deleted, which must not happen after an error.
  rocksdb::IOStatus Remove(const std::string& name);
  // Nothing changes any more.
  void Close(const std::vector<std::string>& names);

 private:
  rocksdb::IOStatus Write(bool closed);
  std::string PathOf(const std::string& name) const { return directory_ + "/" + name; }
  bool Parse(std::string_view text);

  const std::string directory_;
  const std::shared_ptr<rocksdb::FileSystem> fs_;
  const rocksdb::IOOptions io_;
  std::mutex mutex_;
  bool is_kept_ = false;  // since Open()
  bool was_closed_ = false;
  std::map<std::string, uint64_t> files_;  // with their sizes
};

}  // namespace skiff::store
