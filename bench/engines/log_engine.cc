// The limit: an append-only file of checksummed batches with one fdatasync each, and the index in
// memory. Not a candidate as it stands, since it must replay everything at start. The prealloc
// variant writes zeros ahead, so that a sync has no file size to journal.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <map>

#include <sys/stat.h>

#include "bench/engines/engine.h"
#include "bench/engines/record.h"

namespace skiff::bench::engines {
namespace {

constexpr size_t kSegmentBytes = 16 << 20;
constexpr size_t kCopyBatch = 1000;
constexpr size_t kMaxBatchBytes = 64 << 20;
constexpr size_t kHeaderBytes = 8;  // length and checksum of a batch

__attribute__((target("sse4.2"))) uint32_t Crc32c(std::string_view bytes) {
  uint64_t crc = ~uint32_t{0};
  size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + i, 8);
    crc = __builtin_ia32_crc32di(crc, word);
  }
  auto rest = static_cast<uint32_t>(crc);
  for (; i < bytes.size(); ++i) {
    rest = __builtin_ia32_crc32qi(rest, static_cast<unsigned char>(bytes[i]));
  }
  return ~rest;
}

class LogEngine : public Engine {
 public:
  explicit LogEngine(const std::string& variant) : preallocate_(variant == "prealloc") {}
  ~LogEngine() override {
    if (file_ >= 0) close(file_);
  }

  Outcome Open(const std::string& dir) override {
    path_ = dir + "/log";
    file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (file_ < 0) return Errno();
    struct stat info;
    fstat(file_, &info);
    allocated_ = static_cast<size_t>(info.st_size);
    return Replay([this](uint64_t revision, std::string_view key, Place place) {
      auto& entry = index_[std::string(key)];
      entry = {revision, place};
      return true;
    });
  }

  Outcome Commit(std::span<const Write> writes) override {
    batch_.assign(kHeaderBytes, '\0');
    for (const Write& write : writes) {
      const auto size = static_cast<uint32_t>(8 + 2 + write.key.size() + write.value.size());
      batch_.append(reinterpret_cast<const char*>(&size), 4);
      batch_.append(reinterpret_cast<const char*>(&write.revision), 8);
      const size_t value_at = batch_.size() + 2 + write.key.size();
      AppendRecord(write.key, write.value, &batch_);
      index_[std::string(write.key)] = {write.revision, {end_ + value_at, write.value.size()}};
    }
    const auto size = static_cast<uint32_t>(batch_.size() - kHeaderBytes);
    const uint32_t crc = Crc32c(std::string_view(batch_).substr(kHeaderBytes));
    std::memcpy(batch_.data(), &size, 4);
    std::memcpy(batch_.data() + 4, &crc, 4);
    if (preallocate_ && end_ + batch_.size() > allocated_) {
      const std::string zeros(kSegmentBytes, '\0');
      if (!WriteAll(zeros, allocated_) || fdatasync(file_) != 0) return Errno();
      allocated_ += zeros.size();
    }
    if (!WriteAll(batch_, end_) || fdatasync(file_) != 0) return Errno();
    end_ += batch_.size();
    return {};
  }

  std::expected<std::string, std::string> Get(std::string_view key) override {
    const auto found = index_.find(key);
    if (found == index_.end()) return Fail("not found");
    return ReadAt(found->second.place);
  }

  Outcome Range(std::string_view from, size_t limit, const Visit& visit) override {
    for (auto it = index_.lower_bound(from); it != index_.end() && limit > 0; ++it, --limit) {
      visit(it->second.revision, it->first, ReadAt(it->second.place));
    }
    return {};
  }

  Outcome Scan(const Visit& visit) override {
    return Replay([&](uint64_t revision, std::string_view key, Place place) {
      visit(revision, key, std::string_view(batch_).substr(place.at - replayed_, place.size));
      return true;
    });
  }

  Outcome Forget(std::span<const uint64_t>) override { return {}; }

  // Copies the current values to a new log and puts it in the place of the old one.
  Outcome Reclaim() override {
    LogEngine dense("append");
    dense.path_ = path_ + ".new";
    dense.file_ = open(dense.path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (dense.file_ < 0) return Errno();
    for (auto it = index_.begin(); it != index_.end();) {
      std::vector<std::string> values;
      std::vector<Write> writes;
      values.reserve(kCopyBatch);
      for (; it != index_.end() && values.size() < kCopyBatch; ++it) {
        values.push_back(ReadAt(it->second.place));
        writes.push_back({it->first, values.back(), it->second.revision});
      }
      if (auto done = dense.Commit(writes); !done) return done;
    }
    if (rename(dense.path_.c_str(), path_.c_str()) != 0) return Errno();
    std::swap(file_, dense.file_);
    std::swap(index_, dense.index_);
    end_ = allocated_ = dense.end_;
    return {};
  }

 private:
  struct Place {
    size_t at;
    size_t size;
  };
  struct Entry {
    uint64_t revision;
    Place place;
  };

  static std::unexpected<std::string> Errno() { return Fail(std::strerror(errno)); }

  bool WriteAll(std::string_view bytes, size_t at) const {
    while (!bytes.empty()) {
      const ssize_t n = pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(at));
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(n));
      at += static_cast<size_t>(n);
    }
    return true;
  }

  std::string ReadAt(Place place) const {
    std::string value(place.size, '\0');
    const ssize_t n = pread(file_, value.data(), value.size(), static_cast<off_t>(place.at));
    value.resize(n < 0 ? 0 : static_cast<size_t>(n));
    return value;
  }

  // Visits every record. A bad batch that reaches the end of the file is a torn write, never
  // acknowledged; any other is corruption.
  template <typename Each>
  Outcome Replay(Each each) {
    replayed_ = 0;
    while (true) {
      uint32_t head[2];
      if (pread(file_, head, kHeaderBytes, static_cast<off_t>(replayed_)) != kHeaderBytes) break;
      if (head[0] == 0) break;
      if (head[0] > kMaxBatchBytes) return Fail("corrupt length");
      batch_.resize(head[0]);
      const size_t at = replayed_ + kHeaderBytes;
      const ssize_t n = pread(file_, batch_.data(), head[0], static_cast<off_t>(at));
      if (n != static_cast<ssize_t>(head[0])) break;
      if (Crc32c(batch_) != head[1]) {
        if (at + head[0] >= allocated_) break;
        return Fail("corrupt batch");
      }
      replayed_ = at;
      for (size_t i = 0; i + 12 <= batch_.size();) {
        uint32_t size;
        uint64_t revision;
        std::memcpy(&size, batch_.data() + i, 4);
        std::memcpy(&revision, batch_.data() + i + 4, 8);
        Record record;
        if (!ParseRecord(std::string_view(batch_).substr(i + 12, size - 8), &record)) break;
        const auto value_at = static_cast<size_t>(record.value.data() - batch_.data());
        each(revision, record.key, Place{at + value_at, record.value.size()});
        i += 4 + size;
      }
      replayed_ = at + head[0];
    }
    end_ = replayed_;
    return {};
  }

  bool preallocate_;
  std::string path_;
  int file_ = -1;
  size_t end_ = 0;
  size_t allocated_ = 0;
  size_t replayed_ = 0;  // where the batch in batch_ begins while one is visited
  std::string batch_;
  std::map<std::string, Entry, std::less<>> index_;
};

}  // namespace

const Adapter kAdapter = {"log", {"append", "prealloc"}, [](const std::string& variant) {
                            return std::unique_ptr<Engine>(new LogEngine(variant));
                          }};

}  // namespace skiff::bench::engines
