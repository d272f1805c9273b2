#include "tests/faults/disk_state.h"

#include <algorithm>
#include <utility>

namespace skiff {
namespace {

constexpr size_t kSectorBytes = 512;

std::string ParentOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

}  // namespace

std::string DiskOperation::ToString() const {
  static constexpr const char* kNames[] = {"create",         "append",         "sync",
                                           "truncate",       "rename",         "delete",
                                           "make directory", "sync directory", "mark"};
  std::string out = kNames[static_cast<size_t>(kind)];
  if (!path.empty()) out += " " + path;
  if (!target.empty()) out += " to " + target;
  if (kind == Kind::kAppend) out += " " + std::to_string(bytes.size()) + " bytes";
  if (file != 0) out += " file " + std::to_string(file);
  return out;
}

std::string DiskState::NameChange::directory() const {
  return ParentOf(added.empty() ? removed : added);
}

void DiskState::NameChange::Apply(std::map<std::string, uint64_t>* names) const {
  if (!removed.empty()) names->erase(removed);
  if (!added.empty()) (*names)[added] = file;
}

void DiskState::Change(NameChange change) {
  change.Apply(&names_);
  unsynced_.push_back(std::move(change));
}

void DiskState::Apply(const DiskOperation& operation) {
  using Kind = DiskOperation::Kind;
  switch (operation.kind) {
    case Kind::kCreate:
      files_[operation.file] = {};
      Change({.removed = "", .added = operation.path, .file = operation.file});
      break;
    case Kind::kAppend:
      files_[operation.file].bytes += operation.bytes;
      break;
    case Kind::kSync: {
      File& file = files_[operation.file];
      file.synced = file.bytes.size();
      file.before_truncation.reset();
      break;
    }
    case Kind::kTruncate: {
      File& file = files_[operation.file];
      if (operation.number < file.synced && !file.before_truncation) {
        file.before_truncation = file.Durable();
      }
      file.bytes.resize(operation.number);
      break;
    }
    case Kind::kRename:
      Change({.removed = operation.path,
              .added = operation.target,
              .file = names_.at(operation.path)});
      break;
    case Kind::kDelete:
      Change({.removed = operation.path, .added = "", .file = 0});
      break;
    case Kind::kMakeDirectory:
      Change({.removed = "", .added = operation.path, .file = kDirectory});
      break;
    case Kind::kSyncDirectory:
      for (const NameChange& change : unsynced_) {
        if (change.directory() == operation.path) change.Apply(&durable_names_);
      }
      std::erase_if(unsynced_,
                    [&](const NameChange& change) { return change.directory() == operation.path; });
      break;
    case Kind::kMark:
      break;
  }
}

std::string DiskState::Torn(const File& file, PowerCut how, Random& random) {
  if (how == PowerCut::kEverything || how == PowerCut::kBytesWithoutNames) return file.bytes;
  if (file.before_truncation && random.Uniform(2) == 0) return file.bytes;
  std::string kept = file.Durable();
  if (how == PowerCut::kNothingUnsynced || how == PowerCut::kNamesWithoutBytes ||
      file.before_truncation || file.bytes.size() <= kept.size()) {
    return kept;
  }
  const size_t unsynced = file.bytes.size() - file.synced;
  if (how == PowerCut::kTornAtByte) {
    size_t end = file.synced + random.Uniform(unsynced + 1);
    if (random.Uniform(2) == 0) return file.bytes.substr(0, end);
    // The size may have become durable before the bytes, whose sectors then are zero.
    end = std::max(file.synced, end / kSectorBytes * kSectorBytes);
    kept = file.bytes.substr(0, end);
    kept.resize(end + random.Uniform(file.bytes.size() - end + 1));
    return kept;
  }
  if (random.Uniform(2) == 0) kept.resize(file.bytes.size());
  for (size_t at = file.synced; at < file.bytes.size();) {
    const size_t to = std::min((at / kSectorBytes + 1) * kSectorBytes, file.bytes.size());
    if (random.Uniform(2) == 0) {
      if (kept.size() < to) kept.resize(to);
      kept.replace(at, to - at, file.bytes, at, to - at);
    }
    at = to;
  }
  return kept;
}

DiskState DiskState::AfterPowerCut(PowerCut how, Random& random) const {
  DiskState after;
  after.names_ = durable_names_;
  const bool drop = how == PowerCut::kNothingUnsynced || how == PowerCut::kBytesWithoutNames;
  const size_t prefix =
      how == PowerCut::kTornAtByte ? random.Uniform(unsynced_.size() + 1) : unsynced_.size();
  for (size_t i = 0; i < prefix && !drop; ++i) {
    if (how == PowerCut::kTornAtSector && random.Uniform(2) == 0) continue;
    unsynced_[i].Apply(&after.names_);
  }
  // What stands in a directory that is not there is not there either. Parents sort first.
  std::erase_if(after.names_, [&](const auto& entry) {
    return entry.first != "/" && !after.names_.contains(ParentOf(entry.first));
  });
  for (const auto& [path, file] : after.names_) {
    if (file == kDirectory || after.files_.contains(file)) continue;
    File found;
    found.bytes = Torn(files_.at(file), how, random);
    found.synced = found.bytes.size();
    after.files_.emplace(file, std::move(found));
  }
  after.durable_names_ = after.names_;
  return after;
}

bool DiskState::IsDirectory(const std::string& path) const {
  const auto found = names_.find(path);
  return found != names_.end() && found->second == kDirectory;
}

std::optional<uint64_t> DiskState::Find(const std::string& path) const {
  const auto found = names_.find(path);
  if (found == names_.end() || found->second == kDirectory) return std::nullopt;
  return found->second;
}

std::vector<std::string> DiskState::Children(const std::string& directory) const {
  std::vector<std::string> out;
  for (const auto& [path, file] : names_) {
    if (path != "/" && ParentOf(path) == directory) out.push_back(path.substr(path.rfind('/') + 1));
  }
  return out;
}

std::vector<std::string> DiskState::AllFiles() const {
  std::vector<std::string> out;
  for (const auto& [path, file] : names_) {
    if (file != kDirectory) out.push_back(path);
  }
  return out;
}

uint64_t DiskState::UsedBytes() const {
  uint64_t sum = 0;
  for (const auto& [path, file] : names_) {
    if (file != kDirectory) sum += files_.at(file).bytes.size();
  }
  return sum;
}

void DiskState::FlipBit(const std::string& path, uint64_t offset, int bit) {
  std::string& bytes = files_.at(*Find(path)).bytes;
  bytes[offset] = static_cast<char>(bytes[offset] ^ (1 << bit));
}

}  // namespace skiff
