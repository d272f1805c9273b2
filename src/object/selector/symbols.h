// Interned strings: each distinct string of a table has one small number while somebody uses it.
//
// Labels repeat endlessly: a cluster of 100,000 pods has a few dozen keys and a few thousand
// values. A SymbolTable keeps each once and hands out dense 32-bit ids, so that label sets are
// arrays of integers and selectors compare integers. Symbols are counted: when the last user of
// one lets go, its text is freed and its id is given to the next new string, so that keys and
// values which differ per object (a pod's name, a hash) do not pile up.
//
// Threads: any thread may call anything. Intern and Release take the table's one mutex, for a
// short time; Text and Number take none, and are safe for as long as the caller, or a LabelSet or
// BoundSelector that it holds, keeps a reference to the symbol. LabelSet and BoundSelector do the
// counting; other code should rarely call Release itself. A table outlives all of its users.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash_index.h"

namespace skiff::object {

class BoundSelector;
class LabelSet;

using Symbol = uint32_t;

class SymbolTable {
 public:
  // `seed` keys the hash of the strings; a server passes a random number.
  explicit SymbolTable(uint64_t seed = 0x5bd1e995u) : seed_(seed) {}
  SymbolTable(const SymbolTable&) = delete;
  SymbolTable& operator=(const SymbolTable&) = delete;
  ~SymbolTable();

  // The symbol of the text, with one reference that the caller must release.
  Symbol Intern(std::string_view text);
  void Release(Symbol symbol) { Release(std::span(&symbol, 1)); }
  void Release(std::span<const Symbol> symbols);

  std::string_view Text(Symbol symbol) const {
    const Entry& entry = EntryOf(symbol);
    return {entry.text, entry.size};
  }
  // The text as a decimal integer, parsed when it was interned; nothing when it is not one.
  std::optional<int64_t> Number(Symbol symbol) const {
    const Entry& entry = EntryOf(symbol);
    return entry.is_number ? std::optional(entry.number) : std::nullopt;
  }

  // Distinct strings, distinct label sets, and ids ever in use at once: for metrics and tests.
  size_t symbol_count() const;
  size_t label_set_count() const;
  size_t id_limit() const;

 private:
  friend class BoundSelector;
  friend class LabelSet;
  struct LabelBlock;  // what equal LabelSets share; see label_set.h

  struct Entry {
    const char* text;
    int64_t number;
    uint32_t size;
    uint32_t references;
    uint32_t hash;
    bool is_number;
  };

  // Entries lie in segments that double in size and never move, so readers need no lock.
  static constexpr uint32_t kFirstSegmentLog2 = 8;
  static constexpr size_t kSegments = 32 - kFirstSegmentLog2;

  static std::pair<size_t, uint32_t> Locate(Symbol symbol) {
    const uint32_t shifted = symbol + (uint32_t{1} << kFirstSegmentLog2);
    const auto top = static_cast<uint32_t>(31 - __builtin_clz(shifted));
    return {top - kFirstSegmentLog2, shifted - (uint32_t{1} << top)};
  }
  const Entry& EntryOf(Symbol symbol) const {
    const auto [segment, offset] = Locate(symbol);
    return segments_[segment].load(std::memory_order_relaxed)[offset];
  }
  Entry& EntryOf(Symbol symbol) { return const_cast<Entry&>(std::as_const(*this).EntryOf(symbol)); }

  Symbol InternLocked(std::string_view text);
  void ReleaseLocked(Symbol symbol);
  Symbol NewSymbol();

  const uint64_t seed_;
  mutable std::mutex mutex_;  // guards all below, but for reads of entries that the reader holds
  std::array<std::atomic<Entry*>, kSegments> segments_{};
  HashIndex<Symbol> index_;
  std::vector<Symbol> free_;
  Symbol next_ = 0;
  HashIndex<LabelBlock*> label_blocks_;
};

// Decimal digits after an optional sign, in the range of int64: what Go's ParseInt takes.
std::optional<int64_t> ParseDecimal(std::string_view text);

}  // namespace skiff::object
