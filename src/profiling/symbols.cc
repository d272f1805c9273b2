#include "profiling/symbols.h"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include <sys/mman.h>
#include <sys/stat.h>

#include "base/limits.h"

namespace skiff::profiling {
namespace {

std::string_view MapFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  struct stat about = {};
  void* mapped = MAP_FAILED;
  if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0 &&
      static_cast<size_t>(about.st_size) <= limits::kMaxSymbolFileBytes) {
    mapped = mmap(nullptr, static_cast<size_t>(about.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  }
  close(file);
  if (mapped == MAP_FAILED) return {};
  return {static_cast<const char*>(mapped), static_cast<size_t>(about.st_size)};
}

// The text at an offset of a string table, up to its zero byte.
std::string_view TextAt(std::string_view table, uint64_t offset) {
  if (offset >= table.size()) return {};
  table.remove_prefix(offset);
  return table.substr(0, table.find('\0'));
}

// What an ELF file holds in compressed form: an Elf64_Chdr, then a zlib stream. Empty: nothing that
// could be read.
std::string Unpacked(std::string_view bytes) {
  Elf64_Chdr header = {};
  if (bytes.size() < sizeof(header)) return {};
  std::memcpy(&header, bytes.data(), sizeof(header));
  bytes.remove_prefix(sizeof(header));
  if (header.ch_type != ELFCOMPRESS_ZLIB || header.ch_size > limits::kMaxSymbolFileBytes) {
    return {};
  }
  std::string out(header.ch_size, '\0');
  uLongf size = out.size();
  const int result = uncompress(reinterpret_cast<Bytef*>(out.data()), &size,
                                reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  return result == Z_OK && size == out.size() ? out : std::string();
}

// Takes a hexadecimal number and the space behind it off the front of a line.
bool TakeNumber(std::string_view& line, uint64_t& number) {
  const auto [end, fault] = std::from_chars(line.data(), line.data() + line.size(), number, 16);
  if (fault != std::errc() || end == line.data() + line.size() || *end != ' ') return false;
  line.remove_prefix(static_cast<size_t>(end - line.data()) + 1);
  return true;
}

}  // namespace

ElfSymbols::ElfSymbols(const std::string& path) : file_(MapFile(path)) {
  const auto* header = Table<Elf64_Ehdr>(0, 1);
  if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64) {
    return;
  }
  ReadSegments();
  if (!ReadPacked()) ReadSymbols();
}

ElfSymbols::~ElfSymbols() {
  if (!file_.empty()) munmap(const_cast<char*>(file_.data()), file_.size());
}

template <typename T>
const T* ElfSymbols::Table(uint64_t offset, uint64_t count) const {
  if (offset > file_.size() || count > (file_.size() - offset) / sizeof(T)) return nullptr;
  const char* at = file_.data() + offset;
  if (reinterpret_cast<uintptr_t>(at) % alignof(T) != 0) return nullptr;
  return reinterpret_cast<const T*>(at);
}

void ElfSymbols::ReadSegments() {
  const auto* header = Table<Elf64_Ehdr>(0, 1);
  const auto* segments = Table<Elf64_Phdr>(header->e_phoff, header->e_phnum);
  if (segments == nullptr) return;
  for (size_t i = 0; i < header->e_phnum; ++i) {
    if (segments[i].p_type != PT_LOAD) continue;
    segments_.push_back({segments[i].p_offset, segments[i].p_filesz, segments[i].p_vaddr});
  }
}

bool ElfSymbols::ReadPacked() {
  const auto* header = Table<Elf64_Ehdr>(0, 1);
  const auto* sections = Table<Elf64_Shdr>(header->e_shoff, header->e_shnum);
  if (sections == nullptr || header->e_shstrndx >= header->e_shnum) return false;
  const Elf64_Shdr& named = sections[header->e_shstrndx];
  const char* names = Table<char>(named.sh_offset, named.sh_size);
  if (names == nullptr) return false;
  for (size_t i = 0; i < header->e_shnum; ++i) {
    if (TextAt({names, named.sh_size}, sections[i].sh_name) != ".skiff.functions") continue;
    const char* bytes = Table<char>(sections[i].sh_offset, sections[i].sh_size);
    if (bytes != nullptr) unpacked_ = Unpacked({bytes, sections[i].sh_size});
  }
  uint64_t address = 0;
  for (std::string_view rest = unpacked_; !rest.empty();) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    uint64_t distance = 0;
    uint64_t size = 0;
    if (!TakeNumber(line, distance) || !TakeNumber(line, size)) continue;
    functions_.push_back({address += distance, size, line});
  }
  return !functions_.empty();
}

void ElfSymbols::ReadSymbols() {
  const auto* header = Table<Elf64_Ehdr>(0, 1);
  const auto* sections = Table<Elf64_Shdr>(header->e_shoff, header->e_shnum);
  if (sections == nullptr) return;
  // The full table if there is one; a stripped library has only what it exports.
  const Elf64_Shdr* chosen = nullptr;
  for (size_t i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type == SHT_SYMTAB) chosen = &sections[i];
    if (sections[i].sh_type == SHT_DYNSYM && chosen == nullptr) chosen = &sections[i];
  }
  if (chosen == nullptr || chosen->sh_link >= header->e_shnum) return;
  const Elf64_Shdr& strings = sections[chosen->sh_link];
  const char* text = Table<char>(strings.sh_offset, strings.sh_size);
  const uint64_t count = chosen->sh_size / sizeof(Elf64_Sym);
  const auto* symbols = Table<Elf64_Sym>(chosen->sh_offset, count);
  if (text == nullptr || symbols == nullptr) return;
  for (uint64_t i = 0; i < count; ++i) {
    const auto type = ELF64_ST_TYPE(symbols[i].st_info);
    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbols[i].st_value == 0) continue;
    functions_.push_back({symbols[i].st_value, symbols[i].st_size,
                          TextAt({text, strings.sh_size}, symbols[i].st_name)});
  }
  std::ranges::sort(functions_, {}, &Function::address);
}

std::string_view ElfSymbols::At(uint64_t file_offset) const {
  for (const Segment& each : segments_) {
    if (file_offset < each.offset || file_offset - each.offset >= each.size) continue;
    const uint64_t address = each.address + (file_offset - each.offset);
    auto after = std::ranges::upper_bound(functions_, address, {}, &Function::address);
    if (after == functions_.begin()) return {};
    const Function& function = *--after;
    // Functions in assembler often have no size.
    const bool within = function.size == 0 || address - function.address < function.size;
    return within ? function.name : std::string_view();
  }
  return {};
}

LoadedCode::LoadedCode() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    Mapping mapping;
    char dash = 0;
    std::string rights;
    std::string device;
    std::string inode;
    words >> std::hex >> mapping.start >> dash >> mapping.end >> rights >> mapping.file_offset >>
        device >> inode;
    if (!words || rights.size() < 3 || rights[2] != 'x') continue;
    std::getline(words >> std::ws, mapping.path);
    mappings_.push_back(std::move(mapping));
  }
}

LoadedCode::~LoadedCode() = default;

const LoadedCode::Mapping* LoadedCode::MappingOf(uintptr_t address) const {
  auto after = std::ranges::upper_bound(mappings_, address, {}, &Mapping::start);
  if (after == mappings_.begin()) return nullptr;
  const Mapping& mapping = *--after;
  return address < mapping.end ? &mapping : nullptr;
}

std::string LoadedCode::SymbolOf(uintptr_t address) const {
  const Mapping* mapping = MappingOf(address);
  if (mapping == nullptr || !mapping->path.starts_with('/')) {
    return mapping != nullptr ? mapping->path : std::string();
  }
  if (mapping->symbols == nullptr) mapping->symbols = std::make_unique<ElfSymbols>(mapping->path);
  return std::string(mapping->symbols->At(address - mapping->start + mapping->file_offset));
}

std::string Demangled(const std::string& symbol) {
  int failed = 0;
  char* text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &failed);
  if (failed != 0 || text == nullptr) return symbol;
  std::string out(text);
  std::free(text);
  return out;
}

}  // namespace skiff::profiling
