// The labels of one object as interned symbols, and selectors that match them by number.
//
// A LabelSet is an immutable array of key and value symbols in ascending order of key, behind one
// pointer. Equal sets of one table share the array (the pods of a workload mostly do), so a copy
// is a count and equality is a comparison of pointers. The array holds a reference to each of its
// symbols and lets go of them with its last LabelSet.
//
// A BoundSelector is a LabelSelector translated to the symbols of one table; it never looks at
// text. Binding interns the selector's own keys and values and holds them until the selector goes
// away. A key or value that no object has today is thus known all the same, and an object that
// brings it tomorrow gets the very symbol: one binding is right for a single list and for the
// whole life of a watch alike.
//
// Threads: a LabelSet may be copied, destroyed and read by any thread, each thread with its own
// handle; a BoundSelector may be used by many threads at once. Building or dropping one takes the
// table's mutex; copying and matching do not.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "object/selector/label_selector.h"
#include "object/selector/symbols.h"
#include "object/value.h"

namespace skiff::object {

struct SymbolTable::LabelBlock {
  std::atomic<uint32_t> references;
  uint32_t size;  // labels
  SymbolTable* table;
  // Followed by `size` keys, ascending, and then by their `size` values; by kMinRoom symbols at
  // least, so that a matcher may read that many without asking.
  static constexpr size_t kMinRoom = 8;

  Symbol* keys() { return reinterpret_cast<Symbol*>(this + 1); }
  const Symbol* keys() const { return reinterpret_cast<const Symbol*>(this + 1); }
  Symbol* values() { return keys() + size; }
  std::span<Symbol> symbols() { return {keys(), size_t{2} * size}; }
};

class LabelSet {
 public:
  struct Label {
    std::string_view key;
    std::string_view value;
  };

  LabelSet() = default;  // no labels
  // Each key at most once.
  LabelSet(SymbolTable& table, std::span<const Label> labels);
  // `labels` is a map of strings such as metadata.labels, or null. What is not a string is left
  // out: the schema lets nothing else through.
  static LabelSet FromValue(SymbolTable& table, const Value* labels);

  LabelSet(const LabelSet& other) : block_(other.block_) {
    if (block_ != nullptr) block_->references.fetch_add(1, std::memory_order_relaxed);
  }
  LabelSet(LabelSet&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  LabelSet& operator=(LabelSet other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~LabelSet() {
    if (block_ != nullptr) Unreference();
  }

  size_t size() const { return block_ == nullptr ? 0 : block_->size; }
  bool empty() const { return block_ == nullptr; }
  // Null when empty.
  const SymbolTable* table() const { return block_ == nullptr ? nullptr : block_->table; }
  // In ascending order of key symbols, which is no order of text.
  Label at(size_t index) const {
    return {table()->Text(block_->keys()[index]), table()->Text(block_->values()[index])};
  }
  std::optional<std::string_view> Find(std::string_view key) const;
  // Reads the block into the cache ahead of a match.
  void Prefetch() const { __builtin_prefetch(block_); }

  // Sets of one table: equal labels.
  friend bool operator==(const LabelSet& a, const LabelSet& b) { return a.block_ == b.block_; }

 private:
  friend class BoundSelector;
  using Block = SymbolTable::LabelBlock;

  static Block* FindOrMake(SymbolTable& table, std::span<const std::pair<Symbol, Symbol>> pairs);
  void Unreference();

  Block* block_ = nullptr;
};

class BoundSelector {
 public:
  BoundSelector(SymbolTable& table, const LabelSelector& selector);
  BoundSelector(BoundSelector&& other) noexcept = default;
  BoundSelector& operator=(BoundSelector&&) = delete;
  BoundSelector(const BoundSelector&) = delete;
  ~BoundSelector();

  // The set must be empty or of the table that this selector is bound to.
  bool Matches(const LabelSet& set) const {
    if (set.block_ == nullptr) return matches_empty_;
    return MatchesBlock(*set.block_);
  }
  // Reads what a match needs into the cache ahead of it.
  void Prefetch() const {
    __builtin_prefetch(requirements_.data());
    __builtin_prefetch(reinterpret_cast<const char*>(requirements_.data()) + 64);
  }
  // Calls on_match(index) for each set that matches, in order. Faster than a loop over Matches
  // when the sets are not in the cache: it asks for the memory of the sets ahead.
  template <typename OnMatch>
  void MatchAll(std::span<const LabelSet> sets, OnMatch on_match) const {
    constexpr size_t kAhead = 16;
    for (size_t i = 0; i < sets.size(); ++i) {
      if (i + kAhead < sets.size()) sets[i + kAhead].Prefetch();
      if (Matches(sets[i])) on_match(i);
    }
  }

 private:
  enum class Test : uint8_t { kIn, kGreaterThan, kLessThan, kExists };
  struct Requirement {
    Symbol key;
    Test test;
    bool negated;
    uint32_t value_count;
    Symbol value;          // the only value, when value_count is 1
    uint32_t first_value;  // in values_, when there are more: ascending
    int64_t number;        // of kGreaterThan and kLessThan
  };

  static const Symbol* FindValue(const SymbolTable::LabelBlock& block, Symbol key);
  bool MatchesBlock(const SymbolTable::LabelBlock& block) const;
  bool Holds(const Requirement& requirement, const Symbol* value) const;
  bool HasValue(const Requirement& requirement, Symbol value) const;

  SymbolTable* table_;
  std::vector<Requirement> requirements_;  // the most selective kinds of test first
  std::vector<Symbol> values_;
  std::vector<Symbol> held_;
  bool matches_nothing_ = false;
  bool matches_empty_ = false;
};

}  // namespace skiff::object
