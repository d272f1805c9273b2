#include "store/embedded/rocksdb_engine.h"

#include <unistd.h>

#include <atomic>
#include <fstream>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/temporary_directory.h"
#include "base/thread.h"

namespace skiff::store {
namespace {

class RocksDbEngineTest : public testing::Test {
 protected:
  RocksDbOptions Options() const {
    RocksDbOptions options;
    options.directory = place_.PathOf("store");
    options.room = DiskSpaceLimits{.reserve = 1 << 20};
    return options;
  }
  std::unique_ptr<Engine> Open() const { return Open(Options()); }
  static std::unique_ptr<Engine> Open(const RocksDbOptions& options) {
    auto engine = RocksDbEngine::Open(options);
    EXPECT_TRUE(engine.has_value()) << engine.error().ToString();
    return engine ? std::move(*engine) : nullptr;
  }
  static Status OpenError(const RocksDbOptions& options) {
    auto engine = RocksDbEngine::Open(options);
    EXPECT_FALSE(engine.has_value());
    return engine ? Status(StatusReason::kUnknown, "opened") : engine.error();
  }
  static void Put(Engine& engine, std::string_view key, std::string_view value) {
    auto batch = engine.NewBatch();
    batch->Put(Family::kLog, key, value);
    const auto written = engine.Write(*batch);
    ASSERT_TRUE(written.has_value()) << written.error().ToString();
  }
  static std::string Get(Engine& engine, std::string_view key) {
    std::string value;
    const auto found = engine.Get(Family::kLog, key, &value);
    if (!found) return "error: " + found.error().ToString();
    return *found ? value : "absent";
  }
  static bool Has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  }

  TemporaryDirectory place_;
};

TEST_F(RocksDbEngineTest, WithoutCreateAnAbsentStoreIsNotFoundAndNotMade) {
  RocksDbOptions options = Options();
  options.create = false;
  EXPECT_EQ(OpenError(options).reason(), StatusReason::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(options.directory));
  options.create = true;
  Open(options).reset();
  options.create = false;
  EXPECT_NE(Open(options), nullptr);
}

TEST_F(RocksDbEngineTest, RefusesADirectoryOfSomethingElse) {
  const std::string directory = place_.PathOf("store");
  std::filesystem::create_directory(directory);
  std::ofstream(directory + "/photo.jpg") << "holiday";
  const Status status = OpenError(Options());
  EXPECT_EQ(status.reason(), StatusReason::kInvalid);
  EXPECT_TRUE(Has(status.message(), directory)) << status.message();
  EXPECT_TRUE(Has(status.message(), "photo.jpg")) << status.message();
}

TEST_F(RocksDbEngineTest, TellsWhereTheStoreOfAClusterIs) {
  const std::string directory = place_.PathOf("store");
  std::filesystem::create_directories(directory + "/store");
  const Status status = OpenError(Options());
  EXPECT_EQ(status.reason(), StatusReason::kInvalid);
  EXPECT_TRUE(Has(status.message(), directory + "/store")) << status.message();
}

TEST_F(RocksDbEngineTest, AFileInItsPlaceIsNoFaultOfTheDisk) {
  std::ofstream(place_.PathOf("store")) << "a file";
  const Status status = OpenError(Options());
  EXPECT_EQ(status.reason(), StatusReason::kInvalid);
  EXPECT_TRUE(Has(status.message(), "/store is not a directory")) << status.message();
}

TEST_F(RocksDbEngineTest, TakesAnEmptyDirectory) {
  std::filesystem::create_directory(place_.PathOf("store"));
  EXPECT_NE(Open(), nullptr);
}

TEST_F(RocksDbEngineTest, OthersCannotLookIntoADirectoryNewOrOld) {
  using std::filesystem::perms;
  const auto mode = [&](const std::string& path) {
    return std::filesystem::status(path).permissions();
  };
  RocksDbOptions options = Options();
  int exposed = 0;
  options.on_exposed = [&] { ++exposed; };
  Open(options).reset();
  EXPECT_EQ(mode(options.directory), perms::owner_all);
  EXPECT_EQ(exposed, 0);
  constexpr perms kOpenToAll = perms::owner_all | perms::group_all | perms::others_all;
  std::filesystem::permissions(options.directory, kOpenToAll);
  std::filesystem::permissions(options.directory + "/OWNER", kOpenToAll);
  options.read_only = true;
  Open(options).reset();
  EXPECT_EQ(mode(options.directory), kOpenToAll);
  options.read_only = false;
  Open(options).reset();
  EXPECT_EQ(mode(options.directory), perms::owner_all);
  EXPECT_EQ(mode(options.directory + "/OWNER"), perms::owner_all);
  EXPECT_EQ(exposed, 1);
}

TEST_F(RocksDbEngineTest, ADirectoryWhoseParentIsMissingIsNamed) {
  RocksDbOptions options = Options();
  options.directory = place_.PathOf("a/b/c");
  const Status status = OpenError(options);
  EXPECT_TRUE(Has(status.message(), "a/b/c")) << status.message();
}

TEST_F(RocksDbEngineTest, ASecondOpeningInTheSameProcessIsRefused) {
  const auto engine = Open();
  for (int i = 0; i < 2; ++i) {
    const Status status = OpenError(Options());
    EXPECT_EQ(status.reason(), StatusReason::kConflict);
    EXPECT_TRUE(Has(status.message(), "in use")) << status.message();
  }
}

TEST_F(RocksDbEngineTest, AnotherProcessIsToldWhoHoldsTheDirectory) {
  // A child inherits RocksDB's table of locks, so the child must be made before the lock is taken.
  int go[2];
  ASSERT_EQ(pipe(go), 0);
  std::unique_ptr<Engine> engine;
  const pid_t self = getpid();
  int answer[2];
  ASSERT_EQ(pipe(answer), 0);
  const pid_t child = fork();
  if (child == 0) {
    char byte;
    if (read(go[0], &byte, 1) != 1) _exit(2);
    auto refused = RocksDbEngine::Open(Options());
    const std::string text = refused ? "opened" : refused.error().message();
    const ssize_t written = write(answer[1], text.data(), text.size());
    _exit(written > 0 ? 0 : 1);
  }
  engine = Open();
  ASSERT_EQ(write(go[1], "x", 1), 1);
  close(answer[1]);
  std::string text(4096, '\0');
  const ssize_t size = read(answer[0], text.data(), text.size());
  text.resize(static_cast<size_t>(std::max<ssize_t>(size, 0)));
  int status = 0;
  waitpid(child, &status, 0);
  for (const int fd : {go[0], go[1], answer[0]}) close(fd);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(Has(text, "is in use by another process (pid " + std::to_string(self) + ")")) << text;
  EXPECT_TRUE(Has(text, Options().directory)) << text;
}

TEST_F(RocksDbEngineTest, ADamagedTableIsAnErrorThatNamesTheFile) {
  {
    const auto engine = Open();
    for (int i = 0; i < 100; ++i) Put(*engine, "key" + std::to_string(i), std::string(1000, 'x'));
    ASSERT_TRUE(engine->Defragment().has_value());
  }
  std::string damaged;
  for (const auto& entry : std::filesystem::directory_iterator(Options().directory)) {
    if (entry.path().extension() != ".sst" || entry.file_size() < 50'000) continue;
    damaged = entry.path().filename().string();
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(20'000);
    file.put('y');
  }
  ASSERT_FALSE(damaged.empty());
  const auto engine = Open();
  const auto snapshot = engine->NewSnapshot();
  const auto cursor = snapshot->NewCursor(Family::kLog);
  for (cursor->Seek(""); cursor->Valid();) cursor->Next();
  ASSERT_FALSE(cursor->status().has_value());
  const std::string message = cursor->status().error().message();
  EXPECT_TRUE(Has(message, damaged)) << message;
  EXPECT_TRUE(Has(message, "damaged")) << message;
}

TEST_F(RocksDbEngineTest, ACursorReportsADamagedFileAmongOthersAndDoesNotSkipIt) {
  RocksDbOptions options = Options();
  options.write_buffer_bytes = 16 * 1024;
  {
    const auto engine = Open(options);
    for (int i = 100; i < 500; ++i) {
      Put(*engine, "key" + std::to_string(i), std::string(2'000, 'x'));
    }
    ASSERT_TRUE(engine->Defragment().has_value());
  }
  std::vector<std::filesystem::path> tables;
  for (const auto& entry : std::filesystem::directory_iterator(options.directory)) {
    if (entry.path().extension() == ".sst" && entry.file_size() > 50'000) {
      tables.push_back(entry.path());
    }
  }
  ASSERT_GE(tables.size(), 3U) << "the files of one level";
  for (const auto& table : tables) {
    const auto flip = [&table] {
      std::fstream file(table, std::ios::in | std::ios::out | std::ios::binary);
      const int byte = file.get();
      file.seekp(0);
      file.put(static_cast<char>(byte ^ 1));
    };
    flip();
    {
      options.read_only = true;
      const auto engine = Open(options);
      const auto snapshot = engine->NewSnapshot();
      const auto cursor = snapshot->NewCursor(Family::kLog);
      for (cursor->Seek(""); cursor->Valid();) cursor->Next();
      ASSERT_FALSE(cursor->status().has_value()) << table;
      EXPECT_TRUE(Has(cursor->status().error().message(), table.filename().string()));
    }
    flip();
  }
}

// The file of the directory with that ending; the last by name.
std::filesystem::path FileOf(const std::string& directory, std::string_view ending) {
  std::filesystem::path found;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (!entry.path().string().ends_with(ending)) continue;
    if (entry.path() > found) found = entry.path();
  }
  return found;
}

TEST_F(RocksDbEngineTest, AMissingTableIsToldAndEverythingElseIsReadAndWritten) {
  {
    const auto engine = Open();
    Put(*engine, "key", "value");
    ASSERT_TRUE(engine->Defragment().has_value());
    Put(*engine, "later", "value");
  }
  const std::filesystem::path table = FileOf(Options().directory, ".sst");
  ASSERT_TRUE(std::filesystem::remove(table));
  for (int round = 0; round < 2; ++round) {
    const auto engine = Open();
    EXPECT_TRUE(Has(engine->Damage(), table.filename().string())) << engine->Damage();
    EXPECT_TRUE(Has(Get(*engine, "key"), table.filename().string())) << Get(*engine, "key");
    EXPECT_EQ(Get(*engine, "later"), "value");
    Put(*engine, "now", "written");
    EXPECT_EQ(Get(*engine, "now"), "written");
    EXPECT_FALSE(engine->Defragment().has_value());
    EXPECT_TRUE(engine->Health().has_value()) << "it is written on";
    Put(*engine, "now", "again");
  }
  RocksDbOptions options = Options();
  options.read_only = true;
  const auto reader = Open(options);
  EXPECT_TRUE(Has(Get(*reader, "key"), table.filename().string())) << Get(*reader, "key");
  EXPECT_EQ(Get(*reader, "now"), "again");
}

TEST_F(RocksDbEngineTest, ADamagedTableThatCannotBeMergedDoesNotEndWriting) {
  RocksDbOptions options = Options();
  options.write_buffer_bytes = 16 * 1024;
  {
    const auto engine = Open(options);
    for (int i = 100; i < 200; ++i) Put(*engine, "key" + std::to_string(i), std::string(2000, 'x'));
    ASSERT_TRUE(engine->Defragment().has_value());
  }
  {
    std::fstream file(FileOf(options.directory, ".sst"),
                      std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(5'000);
    file.put('y');
  }
  const auto engine = Open(options);
  // Enough to be merged many times over.
  for (int round = 0; round < 20; ++round) {
    for (int i = 100; i < 200; ++i) Put(*engine, "key" + std::to_string(i), std::string(2000, 'y'));
    EXPECT_TRUE(engine->Health().has_value());
  }
  EXPECT_EQ(Get(*engine, "key150"), std::string(2000, 'y'));
}

TEST_F(RocksDbEngineTest, AfterACleanStopALogThatIsMissingOrShorterIsRefusedByName) {
  {
    const auto engine = Open();
    for (int i = 0; i < 20; ++i) Put(*engine, "key" + std::to_string(i), "value");
  }
  std::string manifest;
  std::getline(std::ifstream(Options().directory + "/CURRENT"), manifest);
  for (const std::string& ending : {std::string(".log"), manifest}) {
    const std::filesystem::path file = FileOf(Options().directory, ending);
    ASSERT_FALSE(file.empty()) << ending;
    const std::filesystem::path kept = place_.PathOf("kept");
    std::filesystem::copy_file(file, kept, std::filesystem::copy_options::overwrite_existing);
    for (const bool removed : {true, false}) {
      if (removed) std::filesystem::remove(file);
      // A byte less, or all: neither is what a power cut leaves behind after a clean stop.
      if (!removed) std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
      for (const bool read_only : {true, false}) {
        RocksDbOptions options = Options();
        options.read_only = read_only;
        const Status status = OpenError(options);
        EXPECT_EQ(status.reason(), StatusReason::kInternalError);
        EXPECT_TRUE(Has(status.message(), file.filename().string())) << status.message();
        EXPECT_TRUE(Has(status.message(), "skiff store salvage")) << status.message();
      }
      std::filesystem::copy_file(kept, file, std::filesystem::copy_options::overwrite_existing);
    }
  }
  EXPECT_EQ(Get(*Open(), "key19"), "value");
}

TEST_F(RocksDbEngineTest, ALogThatIsMissingAfterACrashIsRefusedByName) {
  auto engine = Open();
  for (int i = 0; i < 20; ++i) Put(*engine, "key" + std::to_string(i), "value");
  // What a crash would leave.
  const std::string copy = place_.PathOf("copy");
  std::filesystem::copy(Options().directory, copy);
  RocksDbOptions options = Options();
  options.directory = copy;
  const std::filesystem::path log = FileOf(copy, ".log");
  ASSERT_TRUE(std::filesystem::remove(log));
  EXPECT_TRUE(Has(OpenError(options).message(), log.filename().string()));
}

TEST_F(RocksDbEngineTest, AStoreWithoutItsCurrentFileIsNotTakenForANewOne) {
  {
    const auto engine = Open();
    Put(*engine, "key", "value");
  }
  ASSERT_TRUE(std::filesystem::remove(Options().directory + "/CURRENT"));
  EXPECT_TRUE(Has(OpenError(Options()).message(), "CURRENT"));
  RocksDbOptions options = Options();
  options.salvage = true;
  EXPECT_FALSE(RocksDbEngine::Open(options).has_value());
  options.directory = place_.PathOf("rebuilt");
  ASSERT_TRUE(RocksDbEngine::Rebuild(Options(), options.directory).has_value());
  EXPECT_EQ(Get(*Open(options), "key"), "value");
}

TEST_F(RocksDbEngineTest, WhatIsLeftWithoutALogCanBeSalvaged) {
  {
    const auto engine = Open();
    Put(*engine, "in a file", "1");
    ASSERT_TRUE(engine->Defragment().has_value());
    Put(*engine, "in the log", "2");
  }
  std::filesystem::remove(FileOf(Options().directory, ".log"));
  RocksDbOptions options = Options();
  options.salvage = true;
  const auto engine = Open(options);
  EXPECT_EQ(Get(*engine, "in a file"), "1");
  EXPECT_EQ(Get(*engine, "in the log"), "absent");
}

TEST_F(RocksDbEngineTest, ReadOnlyFindsAllThatWasAcknowledgedAndChangesNothing) {
  const auto writer = Open();
  Put(*writer, "in a file", "1");
  ASSERT_TRUE(writer->Defragment().has_value());
  Put(*writer, "in the log", "2");
  std::map<std::string, uintmax_t> before;
  const auto files = [&] {
    std::map<std::string, uintmax_t> out;
    for (const auto& entry : std::filesystem::directory_iterator(Options().directory)) {
      out[entry.path().filename()] = entry.file_size();
    }
    return out;
  };
  before = files();

  RocksDbOptions options = Options();
  options.read_only = true;
  {
    const auto reader = Open(options);
    EXPECT_EQ(Get(*reader, "in a file"), "1");
    EXPECT_EQ(Get(*reader, "in the log"), "2");
    auto batch = reader->NewBatch();
    batch->Put(Family::kLog, "a", "b");
    EXPECT_FALSE(reader->Write(*batch).has_value());
    EXPECT_EQ(files(), before);

    // The writer goes on, and what the reader sees stays as it was.
    Put(*writer, "later", "3");
    ASSERT_TRUE(writer->Defragment().has_value());
    EXPECT_EQ(Get(*reader, "later"), "absent");
    const auto snapshot = reader->NewSnapshot();
    const auto cursor = snapshot->NewCursor(Family::kLog);
    int count = 0;
    for (cursor->Seek(""); cursor->Valid(); cursor->Next()) ++count;
    EXPECT_EQ(count, 2);
    EXPECT_TRUE(cursor->status().has_value());
  }
  EXPECT_EQ(Get(*Open(options), "later"), "3");
}

TEST_F(RocksDbEngineTest, ReadOnlyBesideABusyWriterSeesOneStateWithAllThatWasAcknowledged) {
  RocksDbOptions options = Options();
  options.write_buffer_bytes = 64 * 1024;
  const auto writer = Open(options);
  std::atomic<int> acknowledged{0};
  std::atomic<bool> stop{false};
  // Write n adds n and takes away n - 50, so that files come and go all the time.
  Thread busy("writer", [&] {
    for (int n = 1; !stop; ++n) {
      auto batch = writer->NewBatch();
      batch->Put(Family::kLog, std::to_string(1'000'000 + n), std::string(5'000, 'x'));
      batch->Delete(Family::kLog, std::to_string(1'000'000 + n - 50));
      batch->Put(Family::kMeta, "last", std::to_string(n));
      if (!writer->Write(*batch)) break;
      acknowledged = n;
    }
  });
  options.read_only = true;
  for (int round = 0; round < 20; ++round) {
    const int before = acknowledged;
    auto reader = RocksDbEngine::Open(options);
    if (!reader) {
      ADD_FAILURE() << reader.error().ToString();
      break;
    }
    std::string text;
    const int last = (*reader)->Get(Family::kMeta, "last", &text).value() ? std::stoi(text) : 0;
    EXPECT_GE(last, before);
    const auto snapshot = (*reader)->NewSnapshot();
    const auto cursor = snapshot->NewCursor(Family::kLog);
    int expected = std::max(1, last - 49);
    for (cursor->Seek(""); cursor->Valid(); cursor->Next(), ++expected) {
      EXPECT_EQ(cursor->key(), std::to_string(1'000'000 + expected));
    }
    EXPECT_TRUE(cursor->status().has_value()) << cursor->status().error().ToString();
    EXPECT_EQ(expected, last + 1);
  }
  stop = true;
}

TEST_F(RocksDbEngineTest, ReadOnlyOfNothingIsNotFoundAndMakesNothing) {
  RocksDbOptions options = Options();
  options.read_only = true;
  EXPECT_EQ(OpenError(options).reason(), StatusReason::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(options.directory));
}

TEST_F(RocksDbEngineTest, TurnsWritesAwayWhenTheDiskIsNearlyFullAndIsWellAgainWithRoom) {
  RocksDbOptions options = Options();
  options.room = DiskSpaceLimits{.nothing = UINT64_MAX / 4};
  const auto engine = Open(options);
  auto batch = engine->NewBatch();
  batch->Put(Family::kLog, "a", "b");
  const auto written = engine->Write(*batch);
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().reason(), StatusReason::kServiceUnavailable);
  EXPECT_TRUE(Has(written.error().message(), "nearly full")) << written.error().message();
  EXPECT_FALSE(engine->Health().has_value());
  EXPECT_EQ(Get(*engine, "a"), "absent");
}

TEST_F(RocksDbEngineTest, ProbesADiskBesideAnEngineAndLeavesNothing) {
  const auto engine = Open();
  EXPECT_TRUE(RocksDbEngine::Probe(Options()).has_value());
  EXPECT_FALSE(std::filesystem::exists(Options().directory + "/PROBE"));
  RocksDbOptions elsewhere = Options();
  elsewhere.directory = place_.PathOf("missing");
  EXPECT_FALSE(RocksDbEngine::Probe(elsewhere).has_value());
}

TEST_F(RocksDbEngineTest, ReadOnlyReportsADamagedLogAndLeavesATornOneAlone) {
  {
    const auto engine = Open();
    for (int i = 0; i < 20; ++i) Put(*engine, "key" + std::to_string(i), std::string(300, 'x'));
  }
  std::string log;
  for (const auto& entry : std::filesystem::directory_iterator(Options().directory)) {
    if (entry.path().extension() == ".log" && entry.file_size() > 0) log = entry.path();
  }
  ASSERT_FALSE(log.empty());
  RocksDbOptions options = Options();
  options.read_only = true;
  // As a crash leaves it, with the last record cut short: it was never acknowledged.
  std::filesystem::remove(options.directory + "/FILES");
  std::filesystem::resize_file(log, std::filesystem::file_size(log) - 10);
  const auto size = std::filesystem::file_size(log);
  {
    const auto reader = Open(options);
    EXPECT_EQ(Get(*reader, "key18"), std::string(300, 'x'));
    EXPECT_EQ(Get(*reader, "key19"), "absent");
    EXPECT_EQ(std::filesystem::file_size(log), size);
  }
  {
    std::fstream file(log, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(1000);
    file.put('y');
  }
  const std::string message = OpenError(options).message();
  EXPECT_TRUE(Has(message, std::filesystem::path(log).filename().string())) << message;
  EXPECT_TRUE(Has(OpenError(Options()).message(), "damaged at byte"));
}

TEST_F(RocksDbEngineTest, KeepsAReserve) {
  const auto engine = Open();
  EXPECT_TRUE(std::filesystem::exists(Options().directory + "/RESERVE"));
}

TEST_F(RocksDbEngineTest, FiguresTellTheSizeOnDiskWhichShrinksWhenDataGoes) {
  const auto engine = Open();
  for (int i = 0; i < 200; ++i) Put(*engine, "key" + std::to_string(i), std::string(50'000, 'x'));
  const EngineFigures full = engine->Figures();
  EXPECT_GT(full.bytes_on_disk, 10'000'000U);
  EXPECT_GT(full.bytes_in_use, 1'000'000U);
  auto batch = engine->NewBatch();
  for (int i = 0; i < 200; ++i) batch->Delete(Family::kLog, "key" + std::to_string(i));
  ASSERT_TRUE(engine->Write(*batch).has_value());
  ASSERT_TRUE(engine->Defragment().has_value());
  // RocksDB deletes files that nobody needs any more on a thread of its own.
  SystemClock clock;
  const Duration deadline = clock.Monotonic() + std::chrono::seconds(60);
  while (engine->Figures().bytes_on_disk >= 5'000'000U && clock.Monotonic() < deadline) {
    std::mutex mutex;
    std::condition_variable nobody;
    std::unique_lock lock(mutex);
    clock.WaitUntil(nobody, lock, clock.Monotonic() + std::chrono::milliseconds(5));
  }
  EXPECT_LT(engine->Figures().bytes_on_disk, 5'000'000U);
}

}  // namespace
}  // namespace skiff::store
