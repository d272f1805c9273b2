#include "tests/faults/engine_workload.h"

#include "base/random.h"

namespace skiff {
namespace {

constexpr const char* kRevisionKey = "revision";
constexpr uint64_t kKeys = 40;

uint64_t Mix(uint64_t hash, std::string_view bytes) {
  hash ^= bytes.size();
  for (const char byte : bytes) {
    hash ^= static_cast<unsigned char>(byte);
    hash *= 0x100000001b3ULL;
  }
  return hash;
}

std::string Digits(uint64_t number) {
  std::string out(12, '0');
  for (size_t i = out.size(); i > 0; --i, number /= 10) out[i - 1] = "0123456789"[number % 10];
  return out;
}

}  // namespace

store::RocksDbOptions WorkloadOptions(std::shared_ptr<rocksdb::FileSystem> disk) {
  store::RocksDbOptions options;
  options.directory = "/store";
  options.file_system = std::move(disk);
  options.write_buffer_bytes = EngineWorkload::kWriteBufferBytes;
  options.room = store::DiskSpaceLimits{};
  return options;
}

EngineWorkload::EngineWorkload(uint64_t steps) : steps_(steps) {
  Contents contents;
  fingerprints_.push_back(Fingerprint(contents));
  for (uint64_t step = 1; step <= steps; ++step) {
    for (const Change& change : ChangesOf(step)) {
      auto& family = contents[static_cast<size_t>(change.family)];
      if (change.deletion) {
        family.erase(change.key);
      } else {
        family[change.key] = change.value;
      }
    }
    fingerprints_.push_back(Fingerprint(contents));
  }
}

std::vector<EngineWorkload::Change> EngineWorkload::ChangesOf(uint64_t step) {
  SeededRandom random(step);
  std::vector<Change> changes;
  // Mostly small; some larger than a block of the log, few larger than a buffer.
  uint64_t size = 50 + random.Uniform(2'000);
  if (step % 11 == 0) size = 40'000 + random.Uniform(10'000);
  if (step % 47 == 0) size = 150'000;
  std::string value;
  while (value.size() < size) {
    const uint64_t bits = random.Next();
    value.append(reinterpret_cast<const char*>(&bits), sizeof bits);
  }
  const std::string key = "key" + std::to_string(random.Uniform(kKeys));
  changes.push_back({store::Family::kLog, Digits(step), value});
  if (random.Uniform(5) == 0) {
    changes.push_back({store::Family::kCurrent, key, "", true});
  } else {
    changes.push_back({store::Family::kCurrent, key, Digits(step)});
  }
  if (step % 9 == 0)
    changes.push_back({store::Family::kLease, std::to_string(step), value.substr(0, 20)});
  if (step % 18 == 0)
    changes.push_back({store::Family::kLease, std::to_string(step / 2), "", true});
  changes.push_back({store::Family::kMeta, kRevisionKey, Digits(step)});
  // Compaction: what is older than 60 steps goes, but for every tenth.
  if (step % 20 == 0 && step >= 80) {
    for (uint64_t old = step - 80; old < step - 60; ++old) {
      if (old % 10 != 0) changes.push_back({store::Family::kLog, Digits(old), "", true});
    }
  }
  return changes;
}

uint64_t EngineWorkload::Fingerprint(const Contents& contents) {
  uint64_t hash = 0xcbf29ce484222325ULL;
  for (const auto& family : contents) {
    hash = Mix(hash, "family");
    for (const auto& [key, value] : family) hash = Mix(Mix(hash, key), value);
  }
  return hash;
}

Result<void> EngineWorkload::Write(store::Engine& engine, uint64_t step) const {
  const auto batch = engine.NewBatch();
  for (const Change& change : ChangesOf(step)) {
    if (change.deletion) {
      batch->Delete(change.family, change.key);
    } else {
      batch->Put(change.family, change.key, change.value);
    }
  }
  return engine.Write(*batch);
}

EngineWorkload::Found EngineWorkload::Check(store::Engine& engine) const {
  Found found;
  const auto snapshot = engine.NewSnapshot();
  std::string revision;
  const auto has = snapshot->Get(store::Family::kMeta, kRevisionKey, &revision);
  if (!has) return {0, has.error().ToString()};
  if (*has) found.revision = std::strtoull(revision.c_str(), nullptr, 10);
  if (found.revision > steps_) return {0, "revision " + revision + " was never written"};

  Contents contents;
  for (size_t i = 0; i < store::kFamilyCount; ++i) {
    const auto family = static_cast<store::Family>(i);
    const auto cursor = snapshot->NewCursor(family);
    for (cursor->Seek(""); cursor->Valid(); cursor->Next()) {
      contents[i].emplace(cursor->key(), cursor->value());
    }
    if (const auto status = cursor->status(); !status) return {0, status.error().ToString()};
    std::string value;
    for (const auto& [key, expected] : contents[i]) {
      const auto got = snapshot->Get(family, key, &value);
      if (!got) return {0, got.error().ToString()};
      if (!*got || value != expected) return {0, "a get differs from the cursor"};
    }
  }
  if (Fingerprint(contents) != fingerprints_[found.revision]) {
    found.problem = "SILENTLY WRONG: the contents are not those of revision " + revision;
  }
  return found;
}

}  // namespace skiff
