#include "store/embedded/memory_engine.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace skiff::store {
namespace {

constexpr uint64_t kNewest = UINT64_MAX;

size_t Index(Family family) { return static_cast<size_t>(family); }

Status SpoiledBlock() {
  return Status(StatusReason::kInternalError, "simulated damage of a block");
}

class MemoryBatch final : public EngineBatch {
 public:
  void Put(Family family, std::string_view key, std::string_view value) override {
    changes_.push_back({family, std::string(key), std::make_shared<const std::string>(value)});
    bytes_ += key.size() + value.size();
  }
  void Delete(Family family, std::string_view key) override {
    changes_.push_back({family, std::string(key), nullptr});
    bytes_ += key.size();
  }
  void Clear() override {
    changes_.clear();
    bytes_ = 0;
  }
  size_t bytes() const override { return bytes_; }
  const std::vector<MemoryChange>& changes() const { return changes_; }

 private:
  std::vector<MemoryChange> changes_;
  size_t bytes_ = 0;
};

}  // namespace

class MemoryCursor final : public EngineCursor {
 public:
  MemoryCursor(MemoryDisk* disk, Family family, uint64_t sequence)
      : disk_(disk), family_(family), sequence_(sequence) {}

  void Seek(std::string_view key) override {
    std::shared_lock lock(disk_->mutex_);
    MoveTo(Table().lower_bound(key));
  }
  void Next() override {
    std::shared_lock lock(disk_->mutex_);
    MoveTo(Table().upper_bound(key_));
  }
  bool Valid() const override { return value_ != nullptr && !corrupt_; }
  std::string_view key() const override { return key_; }
  std::string_view value() const override { return *value_; }
  Result<void> status() const override {
    if (corrupt_) return std::unexpected(SpoiledBlock());
    return {};
  }

 private:
  MemoryDisk::Table& Table() { return disk_->tables_[Index(family_)]; }

  void MoveTo(MemoryDisk::Table::iterator at) {
    value_ = nullptr;
    corrupt_ = false;
    for (; at != Table().end(); ++at) {
      value_ = MemoryDisk::Visible(at->second, sequence_);
      if (value_ == nullptr) continue;
      key_ = at->first;
      corrupt_ = disk_->IsCorrupt(family_, key_, sequence_);
      return;
    }
  }

  MemoryDisk* disk_;
  Family family_;
  uint64_t sequence_;
  std::string key_;
  std::shared_ptr<const std::string> value_;
  bool corrupt_ = false;
};

class MemorySnapshot final : public EngineSnapshot {
 public:
  explicit MemorySnapshot(std::shared_ptr<MemoryDisk> disk)
      : disk_(std::move(disk)), sequence_(disk_->AddSnapshot()) {}
  ~MemorySnapshot() override { disk_->DropSnapshot(sequence_); }

  std::unique_ptr<EngineCursor> NewCursor(Family family) override {
    return std::make_unique<MemoryCursor>(disk_.get(), family, sequence_);
  }
  Result<bool> Get(Family family, std::string_view key, std::string* value) override {
    SKIFF_ASSIGN_OR_RETURN(const auto found, disk_->Find(family, key, sequence_));
    if (found != nullptr) *value = *found;
    return found != nullptr;
  }

 private:
  std::shared_ptr<MemoryDisk> disk_;
  uint64_t sequence_;
};

class MemoryEngine final : public Engine {
 public:
  explicit MemoryEngine(std::shared_ptr<MemoryDisk> disk) : disk_(std::move(disk)) {}
  ~MemoryEngine() override {
    std::unique_lock lock(disk_->mutex_);
    disk_->open_ = false;
  }

  std::unique_ptr<EngineBatch> NewBatch() override { return std::make_unique<MemoryBatch>(); }
  Result<void> Write(EngineBatch& batch) override {
    return disk_->Write(static_cast<MemoryBatch&>(batch).changes());
  }
  Result<bool> Get(Family family, std::string_view key, std::string* value) override {
    SKIFF_ASSIGN_OR_RETURN(const auto found, disk_->Find(family, key, kNewest));
    if (found != nullptr) *value = *found;
    return found != nullptr;
  }
  std::unique_ptr<EngineSnapshot> NewSnapshot() override {
    return std::make_unique<MemorySnapshot>(disk_);
  }
  Result<void> Defragment() override { return {}; }
  DiskSpace room() override {
    std::shared_lock lock(disk_->mutex_);
    return disk_->room_;
  }
  DiskSpace MeasureDiskSpace() override { return room(); }
  Result<void> Reclaim(std::atomic<bool>& stop) override {
    static_cast<void>(stop);
    std::unique_lock lock(disk_->mutex_);
    ++disk_->reclaims_;
    return {};
  }
  EngineFigures Figures() override {
    std::shared_lock lock(disk_->mutex_);
    EngineFigures figures;
    for (const MemoryDisk::Table& table : disk_->tables_) {
      for (const auto& [key, versions] : table) {
        const auto& newest = versions.back().value;
        if (newest != nullptr) figures.bytes_in_use += key.size() + newest->size();
      }
    }
    figures.bytes_on_disk = figures.bytes_in_use;
    figures.syncs = disk_->writes_;
    return figures;
  }
  Result<void> Health() override {
    std::shared_lock lock(disk_->mutex_);
    if (!disk_->background_error_) return {};
    return Fail(StatusReason::kServiceUnavailable, "simulated error in the background");
  }

 private:
  std::shared_ptr<MemoryDisk> disk_;
};

std::shared_ptr<MemoryDisk> MemoryDisk::Copy() {
  auto copy = Make();
  std::shared_lock lock(mutex_);
  for (size_t i = 0; i < kFamilyCount; ++i) {
    for (const auto& [key, versions] : tables_[i]) {
      if (versions.back().value == nullptr) continue;
      copy->tables_[i][key].push_back({0, versions.back().value});
    }
  }
  return copy;
}

Result<std::unique_ptr<Engine>> MemoryDisk::Open() {
  std::unique_lock lock(mutex_);
  if (open_) return Fail(StatusReason::kServiceUnavailable, "another engine has the disk open");
  if (fail_opens_ > 0) {
    --fail_opens_;
    return Fail(StatusReason::kServiceUnavailable, "simulated error of opening");
  }
  open_ = true;
  failed_ = false;
  background_error_ = false;
  return std::make_unique<MemoryEngine>(shared_from_this());
}

void MemoryDisk::FailWrite(int nth, Outcome outcome) {
  std::unique_lock lock(mutex_);
  fail_write_ = nth;
  fail_outcome_ = outcome;
}

void MemoryDisk::FailOpens(int count) {
  std::unique_lock lock(mutex_);
  fail_opens_ = count;
}

void MemoryDisk::FailInBackground() {
  std::unique_lock lock(mutex_);
  background_error_ = true;
  failed_ = true;
}

void MemoryDisk::SetFull(bool full) {
  std::unique_lock lock(mutex_);
  full_ = full;
}

void MemoryDisk::SetDiskSpace(DiskSpace room) {
  std::unique_lock lock(mutex_);
  room_ = room;
}

int MemoryDisk::reclaims() {
  std::shared_lock lock(mutex_);
  return reclaims_;
}

void MemoryDisk::OnWrite(std::function<void()> hook) {
  std::unique_lock lock(mutex_);
  on_write_ = std::move(hook);
}

std::optional<std::string> MemoryDisk::Get(Family family, std::string_view key) {
  const auto found = Find(family, key, kNewest);
  return !found || *found == nullptr ? std::nullopt : std::optional(**found);
}

void MemoryDisk::Put(Family family, std::string_view key, std::string_view value) {
  std::unique_lock lock(mutex_);
  Apply({{family, std::string(key), std::make_shared<const std::string>(value)}});
}

void MemoryDisk::Delete(Family family, std::string_view key) {
  std::unique_lock lock(mutex_);
  Apply({{family, std::string(key), nullptr}});
}

std::vector<std::string> MemoryDisk::Keys(Family family) {
  std::shared_lock lock(mutex_);
  std::vector<std::string> keys;
  for (const auto& [key, versions] : tables_[Index(family)]) {
    if (versions.back().value != nullptr) keys.push_back(key);
  }
  return keys;
}

uint64_t MemoryDisk::writes() {
  std::shared_lock lock(mutex_);
  return writes_;
}

Result<void> MemoryDisk::Write(const std::vector<MemoryChange>& changes) {
  std::function<void()> hook;
  {
    std::shared_lock lock(mutex_);
    hook = on_write_;
  }
  if (hook) hook();
  std::unique_lock lock(mutex_);
  if (failed_) return Fail(StatusReason::kServiceUnavailable, "the engine failed before");
  if (full_) return Fail(StatusReason::kServiceUnavailable, "the simulated disk is full");
  if (fail_write_ > 0 && --fail_write_ == 0) {
    failed_ = true;
    if (fail_outcome_ == Outcome::kApplied) Apply(changes);
    return Fail(StatusReason::kServerTimeout, "simulated error of writing");
  }
  Apply(changes);
  ++writes_;
  return {};
}

void MemoryDisk::Apply(const std::vector<MemoryChange>& changes) {
  ++sequence_;
  if (snapshots_.empty() && !prunable_.empty()) {
    for (const auto& [family, key] : prunable_) {
      Table& table = tables_[Index(family)];
      if (const auto at = table.find(key); at != table.end()) Prune(table, at);
    }
    prunable_.clear();
  }
  for (const MemoryChange& change : changes) {
    Table& table = tables_[Index(change.family)];
    const auto at = table.try_emplace(change.key).first;
    at->second.push_back({sequence_, change.value});
    if (!snapshots_.empty()) prunable_.emplace(change.family, change.key);
    Prune(table, at);
  }
}

void MemoryDisk::Prune(Table& table, Table::iterator at) {
  Versions& versions = at->second;
  const uint64_t oldest = snapshots_.empty() ? kNewest : *snapshots_.begin();
  size_t first = versions.size() - 1;
  while (first > 0 && versions[first].sequence > oldest) --first;
  versions.erase(versions.begin(), versions.begin() + static_cast<ptrdiff_t>(first));
  if (versions.size() == 1 && versions[0].value == nullptr) table.erase(at);
}

std::shared_ptr<const std::string> MemoryDisk::Visible(const Versions& versions,
                                                       uint64_t sequence) {
  for (auto at = versions.rbegin(); at != versions.rend(); ++at) {
    if (at->sequence <= sequence) return at->value;
  }
  return nullptr;
}

void MemoryDisk::CorruptBlock(Family family, std::string first, std::string last) {
  std::unique_lock lock(mutex_);
  corrupt_.push_back({family, std::move(first), std::move(last), sequence_});
}

bool MemoryDisk::IsCorrupt(Family family, std::string_view key, uint64_t sequence) {
  for (const CorruptRange& block : corrupt_) {
    if (block.family != family || key < block.first || key > block.last) continue;
    const Table& table = tables_[Index(family)];
    const auto at = table.find(key);
    if (at == table.end()) return true;
    const auto seen =
        std::ranges::find_if(at->second.rbegin(), at->second.rend(),
                             [&](const Version& v) { return v.sequence <= sequence; });
    if (seen == at->second.rend() || seen->sequence <= block.sequence) return true;
  }
  return false;
}

Result<std::shared_ptr<const std::string>> MemoryDisk::Find(Family family, std::string_view key,
                                                            uint64_t sequence) {
  std::shared_lock lock(mutex_);
  if (IsCorrupt(family, key, sequence)) return std::unexpected(SpoiledBlock());
  const Table& table = tables_[Index(family)];
  const auto at = table.find(key);
  return at == table.end() ? nullptr : Visible(at->second, sequence);
}

uint64_t MemoryDisk::AddSnapshot() {
  std::unique_lock lock(mutex_);
  snapshots_.insert(sequence_);
  return sequence_;
}

void MemoryDisk::DropSnapshot(uint64_t sequence) {
  std::unique_lock lock(mutex_);
  snapshots_.erase(snapshots_.find(sequence));
}

}  // namespace skiff::store
