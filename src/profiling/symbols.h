// The code that this process has loaded: its program and libraries, where they lie in memory, and
// the functions in them, as their ELF symbol tables name them, or the packed table that the build
// leaves in an executable instead (cmake/pack_symbols.py has the format).
//
// Read anew for each profile and forgotten afterwards: the table of a large program has some
// hundred thousand entries. Belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace skiff::profiling {

// The symbols of one file, which is mapped while they are used. 64-bit ELF of this machine's byte
// order; of any other file there are none.
class ElfSymbols {
 public:
  explicit ElfSymbols(const std::string& path);
  ElfSymbols(const ElfSymbols&) = delete;
  ElfSymbols& operator=(const ElfSymbols&) = delete;
  ~ElfSymbols();

  // The function at an offset of the file, as it is called there; "" if there is none.
  std::string_view At(uint64_t file_offset) const;
  size_t size() const { return functions_.size(); }

 private:
  struct Function {
    uint64_t address;
    uint64_t size;
    std::string_view name;
  };
  struct Segment {
    uint64_t offset;
    uint64_t size;
    uint64_t address;
  };
  template <typename T>
  const T* Table(uint64_t offset, uint64_t count) const;
  void ReadSegments();
  void ReadSymbols();
  // Of the section .skiff.functions, if there is one.
  bool ReadPacked();

  std::string_view file_;
  std::string unpacked_;
  std::vector<Segment> segments_;
  std::vector<Function> functions_;  // by address
};

class LoadedCode {
 public:
  // What /proc/self/maps lists as executable.
  LoadedCode();
  ~LoadedCode();

  struct Mapping {
    uintptr_t start = 0;
    uintptr_t end = 0;
    uint64_t file_offset = 0;
    std::string path;                                       // "[vdso]" and the like have brackets
    mutable std::unique_ptr<ElfSymbols> symbols = nullptr;  // read when they are first needed
  };
  // Null: nothing is there.
  const Mapping* MappingOf(uintptr_t address) const;
  // As the linker calls it; "" if nobody knows.
  std::string SymbolOf(uintptr_t address) const;

 private:
  std::vector<Mapping> mappings_;  // by address
};

// The name of a function as C++ writes it; what is no such name stays as it is.
std::string Demangled(const std::string& symbol);

}  // namespace skiff::profiling
