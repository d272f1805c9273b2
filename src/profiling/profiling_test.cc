#include <dlfcn.h>
#include <elf.h>
#include <unistd.h>
#include <zlib.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/thread.h"
#include "profiling/cpu_sampler.h"
#include "profiling/profile.h"
#include "profiling/profiles.h"
#include "profiling/symbols.h"

namespace skiff::profiling {

// Not of an unnamed namespace and not inlined, so that it has a symbol of its own.
__attribute__((noinline)) uint64_t BusyWorkForTheTest(const std::atomic<bool>& end) {
  uint64_t sum = 1;
  while (!end.load(std::memory_order_relaxed)) {
    for (int i = 0; i < 10'000; ++i) sum = sum * 6364136223846793005U + 1442695040888963407U;
  }
  return sum;
}

namespace {

uint64_t ReadVarint(std::string_view& bytes) {
  uint64_t value = 0;
  for (int shift = 0; !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes[0]);
    bytes.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) break;
  }
  return value;
}

// A message, read without its schema: numbers and bytes by field.
struct Message {
  std::multimap<int, uint64_t> numbers;
  std::multimap<int, std::string> bytes;

  explicit Message(std::string_view text) {
    while (!text.empty()) {
      const uint64_t key = ReadVarint(text);
      if ((key & 7) == 0) {
        numbers.emplace(static_cast<int>(key >> 3), ReadVarint(text));
        continue;
      }
      EXPECT_EQ(key & 7, 2U);
      const uint64_t size = ReadVarint(text);
      bytes.emplace(static_cast<int>(key >> 3), text.substr(0, size));
      text.remove_prefix(size);
    }
  }
  std::vector<std::string> All(int field) const {
    std::vector<std::string> out;
    for (auto [at, end] = bytes.equal_range(field); at != end; ++at) out.push_back(at->second);
    return out;
  }
  uint64_t Number(int field) const {
    const auto found = numbers.find(field);
    return found == numbers.end() ? 0 : found->second;
  }
};

constexpr int kSampleType = 1;
constexpr int kSample = 2;
constexpr int kLocation = 4;
constexpr int kFunction = 5;
constexpr int kStringTable = 6;

uint64_t Samples(const CpuSampler& sampler) {
  uint64_t all = 0;
  for (const auto& [stack, times] : sampler.stacks()) all += times;
  return all;
}

// Until that many samples were taken, which come as this process gets time on a processor.
void Sample(CpuSampler& sampler, uint64_t samples) {
  SystemClock clock;
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  const Duration end = clock.Monotonic() + std::chrono::seconds(60);
  while (Samples(sampler) < samples && clock.Monotonic() < end) {
    clock.WaitUntil(never, lock, clock.Monotonic() + std::chrono::milliseconds(20));
    sampler.Collect();
  }
}

TEST(LoadedCodeTest, KnowsFunctionsOfTheProgramAndOfLibraries) {
  const LoadedCode code;
  const auto own = reinterpret_cast<uintptr_t>(&BusyWorkForTheTest);
  ASSERT_NE(code.MappingOf(own), nullptr);
  EXPECT_EQ(Demangled(code.SymbolOf(own)),
            "skiff::profiling::BusyWorkForTheTest(std::atomic<bool> const&)");
  const auto library = reinterpret_cast<uintptr_t>(dlsym(RTLD_DEFAULT, "pthread_mutex_lock"));
  EXPECT_NE(code.SymbolOf(library).find("pthread_mutex_lock"), std::string::npos);
  EXPECT_EQ(code.MappingOf(0), nullptr);
  EXPECT_EQ(code.SymbolOf(1), "");
}

// An ELF file with one segment, of the addresses from 0x1000 on, and a packed table of functions.
std::string ElfWithPackedFunctions(std::string_view lines, uint64_t claimed_size) {
  constexpr std::string_view kNames("\0.skiff.functions\0.shstrtab", 27);
  uLongf size = compressBound(lines.size());
  std::string stream(size, '\0');
  compress(reinterpret_cast<Bytef*>(stream.data()), &size,
           reinterpret_cast<const Bytef*>(lines.data()), lines.size());
  stream.resize(size);
  const Elf64_Chdr compressed = {
      .ch_type = ELFCOMPRESS_ZLIB, .ch_reserved = 0, .ch_size = claimed_size, .ch_addralign = 1};
  struct {
    Elf64_Ehdr header = {};
    Elf64_Phdr segment = {};
    Elf64_Shdr sections[3] = {};
  } file;
  std::memcpy(file.header.e_ident, ELFMAG, SELFMAG);
  file.header.e_ident[EI_CLASS] = ELFCLASS64;
  file.header.e_phoff = sizeof(file.header);
  file.header.e_phnum = 1;
  file.header.e_shoff = sizeof(file.header) + sizeof(file.segment);
  file.header.e_shnum = 3;
  file.header.e_shstrndx = 2;
  file.segment.p_type = PT_LOAD;
  file.segment.p_vaddr = 0x1000;
  file.segment.p_filesz = 0x1000;
  file.sections[1].sh_name = 1;
  file.sections[1].sh_offset = sizeof(file);
  file.sections[1].sh_size = sizeof(compressed) + stream.size();
  file.sections[2].sh_name = 18;
  file.sections[2].sh_offset = sizeof(file) + file.sections[1].sh_size;
  file.sections[2].sh_size = kNames.size();
  return std::string(reinterpret_cast<const char*>(&file), sizeof(file)) +
         std::string(reinterpret_cast<const char*>(&compressed), sizeof(compressed)) + stream +
         std::string(kNames);
}

class PackedFunctionsTest : public testing::Test {
 protected:
  ~PackedFunctionsTest() override { std::remove(path_.c_str()); }
  const std::string& Write(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
    return path_;
  }
  const std::string path_ =
      testing::TempDir() + "packed_functions_test_" + std::to_string(getpid());
};

TEST_F(PackedFunctionsTest, AreFoundByTheirPlaceInTheFile) {
  constexpr std::string_view kLines = "1010 20 first\n40 0 in_assembler\n8 4 _ZN5skiff4lastEv\n";
  const ElfSymbols symbols(Write(ElfWithPackedFunctions(kLines, kLines.size())));
  EXPECT_EQ(symbols.size(), 3U);
  EXPECT_EQ(symbols.At(0x0f), "");
  EXPECT_EQ(symbols.At(0x10), "first");
  EXPECT_EQ(symbols.At(0x2f), "first");
  EXPECT_EQ(symbols.At(0x30), "");
  EXPECT_EQ(symbols.At(0x51), "in_assembler");
  EXPECT_EQ(symbols.At(0x5b), "_ZN5skiff4lastEv");
  EXPECT_EQ(symbols.At(0x5c), "");
}

TEST_F(PackedFunctionsTest, ThatAreDamagedAreNone) {
  constexpr std::string_view kLines = "1010 20 first\n";
  const std::string sound = ElfWithPackedFunctions(kLines, kLines.size());
  EXPECT_EQ(ElfSymbols(Write(ElfWithPackedFunctions(kLines, 5))).size(), 0U);
  EXPECT_EQ(ElfSymbols(Write(ElfWithPackedFunctions(kLines, uint64_t{1} << 60))).size(), 0U);
  EXPECT_EQ(ElfSymbols(Write(ElfWithPackedFunctions("no line\n", 8))).size(), 0U);
  for (size_t length = 0; length < sound.size(); ++length) {
    EXPECT_EQ(ElfSymbols(Write(sound.substr(0, length))).size(), 0U) << length;
  }
}

TEST(LoadedCodeTest, FilesThatAreNoProgramsHaveNoSymbols) {
  EXPECT_EQ(ElfSymbols("/proc/self/maps").size(), 0U);
  EXPECT_EQ(ElfSymbols("/nowhere").size(), 0U);
  EXPECT_EQ(ElfSymbols(std::string(SKIFF_SOURCE_DIR) + "/src/README.md").size(), 0U);
}

// The thread sanitizer holds signals back until a thread calls into it, and so changes where they
// find it.
#ifdef __SANITIZE_THREAD__
constexpr bool kSignalsComeLate = true;
#else
constexpr bool kSignalsComeLate = false;
#endif

TEST(CpuSamplerTest, FindsTheFunctionThatWorksInAnotherThread) {
  if (kSignalsComeLate) GTEST_SKIP() << "signals come late under the thread sanitizer";
  Result<std::unique_ptr<CpuSampler>> sampler = CpuSampler::Start(std::chrono::milliseconds(2));
  ASSERT_TRUE(sampler);
  std::atomic<bool> end = false;
  std::atomic<uint64_t> sum = 0;
  Thread worker("worker", [&] { sum = BusyWorkForTheTest(end); });
  Sample(**sampler, 100);
  end = true;
  worker.Join();
  const LoadedCode code;
  uint64_t in_work = 0;
  uint64_t all = 0;
  for (const auto& [stack, times] : (*sampler)->stacks()) {
    all += times;
    for (const uintptr_t each : stack) {
      if (code.SymbolOf(each).find("BusyWorkForTheTest") == std::string::npos) continue;
      in_work += times;
      EXPECT_GE(stack.size(), 3U);  // it was called, by the thread's own functions
      break;
    }
  }
  EXPECT_GT(in_work, 5U);
  EXPECT_GE(in_work * 2, all);
}

TEST(CpuSamplerTest, ThereIsOneAtATime) {
  Result<std::unique_ptr<CpuSampler>> first = CpuSampler::Start(kCpuProfilePeriod);
  ASSERT_TRUE(first);
  const auto second = CpuSampler::Start(kCpuProfilePeriod);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().reason(), StatusReason::kConflict);
  first->reset();
  EXPECT_TRUE(CpuSampler::Start(kCpuProfilePeriod));
}

TEST(ProfilesTest, CpuProfileHasSamplesWithNamedFunctions) {
  if (kSignalsComeLate) GTEST_SKIP() << "signals come late under the thread sanitizer";
  Result<std::unique_ptr<CpuSampler>> sampler = CpuSampler::Start(std::chrono::milliseconds(2));
  ASSERT_TRUE(sampler);
  std::atomic<bool> end = false;
  std::atomic<uint64_t> sum = 0;
  Thread worker("worker", [&] { sum = BusyWorkForTheTest(end); });
  Sample(**sampler, 50);
  end = true;
  worker.Join();
  const Message profile(CpuProfile(**sampler, std::chrono::seconds(1), std::chrono::seconds(2)));
  EXPECT_EQ(profile.All(kSampleType).size(), 2U);
  EXPECT_EQ(profile.Number(9), 1'000'000'000U);
  EXPECT_EQ(profile.Number(10), 2'000'000'000U);
  EXPECT_EQ(profile.Number(12), 2'000'000U);
  const std::vector<std::string> strings = profile.All(kStringTable);
  ASSERT_FALSE(strings.empty());
  EXPECT_EQ(strings[0], "");
  uint64_t functions_named = 0;
  for (const std::string& each : profile.All(kFunction)) {
    const Message function(each);
    ASSERT_LT(function.Number(2), strings.size());
    functions_named += strings[function.Number(2)].find("BusyWork") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(functions_named, 1U);
  // Every location of a sample is there.
  const size_t locations = profile.All(kLocation).size();
  ASSERT_FALSE(profile.All(kSample).empty());
  for (const std::string& each : profile.All(kSample)) {
    const Message sample(each);
    std::string packed = sample.All(1).at(0);
    std::string_view rest = packed;
    while (!rest.empty()) EXPECT_LE(ReadVarint(rest), locations);
  }
}

TEST(ProfilesTest, HeapProfileCountsWhatIsAllocated) {
  const auto in_use = [] {
    const Message profile(HeapProfile(std::chrono::seconds(7)));
    uint64_t sum = 0;
    for (const std::string& each : profile.All(kSample)) {
      std::string packed = Message(each).All(2).at(0);
      std::string_view rest = packed;
      sum += ReadVarint(rest);
    }
    return sum;
  };
  constexpr size_t kMuch = 64 * 1024 * 1024;
  const uint64_t before = in_use();
  std::vector<char> block(kMuch, 'x');
  EXPECT_GE(in_use() + kMuch / 8, before + kMuch);
  EXPECT_NE(HeapText().find("malloc, "), std::string::npos);
  EXPECT_EQ(block.back(), 'x');
}

}  // namespace
}  // namespace skiff::profiling
