// What a disk holds, as a program sees it and as it would be found after a power cut.
//
// A write is durable when its file was synced after it, and a name (made, renamed, removed) when
// its directory was. A power cut may leave of everything else whatever PowerCut says. A state
// changes by operations, which can be kept and applied again to another state, so that one run of a
// program yields the disk at each of its operations.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"

namespace skiff {

struct DiskOperation {
  enum class Kind : uint8_t {
    kCreate,  // an empty file under a name, also one that exists
    kAppend,
    kSync,
    kTruncate,
    kRename,
    kDelete,
    kMakeDirectory,
    kSyncDirectory,
    kMark,  // changes nothing: the program says where it is
  };
  Kind kind = Kind::kMark;
  std::string path = {};  // of names and directories
  std::string target = {};
  uint64_t file = 0;
  std::string bytes = {};
  uint64_t number = 0;  // a size, or that of a mark

  std::string ToString() const;
};

enum class PowerCut : uint8_t {
  kNothingUnsynced,  // only what was synced is there
  kEverything,       // as if the process alone had died
  kTornAtByte,       // the first of each file's unsynced bytes, perhaps then zeros; names likewise
  kTornAtSector,     // any of the unsynced sectors, the others zero; any of the names
  kNamesWithoutBytes,  // names are there, and the unsynced bytes of their files are not
  kBytesWithoutNames,  // the reverse
};
inline constexpr int kPowerCuts = 6;

class DiskState {
 public:
  DiskState() { durable_names_ = names_ = {{"/", kDirectory}}; }

  void Apply(const DiskOperation& operation);
  // Everything in the result is durable.
  DiskState AfterPowerCut(PowerCut how, Random& random) const;

  bool IsDirectory(const std::string& path) const;
  // The file of that name.
  std::optional<uint64_t> Find(const std::string& path) const;
  const std::string& Bytes(uint64_t file) const { return files_.at(file).bytes; }
  // Names, without their directory.
  std::vector<std::string> Children(const std::string& directory) const;
  // Names with their directories, of files alone.
  std::vector<std::string> AllFiles() const;
  uint64_t NextFile() const { return files_.empty() ? 1 : files_.rbegin()->first + 1; }
  uint64_t UsedBytes() const;
  void FlipBit(const std::string& path, uint64_t offset, int bit);

 private:
  static constexpr uint64_t kDirectory = 0;

  struct File {
    std::string bytes;
    size_t synced = 0;  // of `bytes`, unless it was made shorter since
    std::optional<std::string> before_truncation;

    std::string Durable() const { return before_truncation.value_or(bytes.substr(0, synced)); }
  };
  // A rename both removes and adds.
  struct NameChange {
    std::string removed;
    std::string added;
    uint64_t file = 0;

    std::string directory() const;
    void Apply(std::map<std::string, uint64_t>* names) const;
  };

  void Change(NameChange change);
  static std::string Torn(const File& file, PowerCut how, Random& random);

  std::map<uint64_t, File> files_;
  std::map<std::string, uint64_t> names_;
  std::map<std::string, uint64_t> durable_names_;
  std::vector<NameChange> unsynced_;
};

}  // namespace skiff
