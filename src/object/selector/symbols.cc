#include "object/selector/symbols.h"

#include <cassert>
#include <charconv>
#include <cstring>
#include <limits>
#include <new>

namespace skiff::object {

std::optional<int64_t> ParseDecimal(std::string_view text) {
  const char* begin = text.data();
  const char* end = begin + text.size();
  if (begin != end && *begin == '+') {
    if (++begin == end || *begin == '-') return std::nullopt;
  }
  int64_t number = 0;
  const auto [rest, error] = std::from_chars(begin, end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

SymbolTable::~SymbolTable() {
  assert(index_.size() == 0 && label_blocks_.size() == 0 && "a user outlived its symbol table");
  for (auto& segment : segments_) delete[] segment.load(std::memory_order_relaxed);
}

Symbol SymbolTable::Intern(std::string_view text) {
  std::lock_guard lock(mutex_);
  return InternLocked(text);
}

Symbol SymbolTable::InternLocked(std::string_view text) {
  const uint32_t hash = KeyedHash(text.data(), text.size(), seed_);
  const Symbol* found = index_.Find(hash, [&](Symbol symbol) { return Text(symbol) == text; });
  if (found != nullptr) {
    ++EntryOf(*found).references;
    return *found;
  }
  const Symbol symbol = NewSymbol();
  auto* copy = new char[text.size() + 1];
  if (!text.empty()) std::memcpy(copy, text.data(), text.size());
  const std::optional<int64_t> number = ParseDecimal(text);
  EntryOf(symbol) = {.text = copy,
                     .number = number.value_or(0),
                     .size = static_cast<uint32_t>(text.size()),
                     .references = 1,
                     .hash = hash,
                     .is_number = number.has_value()};
  index_.Insert(hash, symbol);
  return symbol;
}

Symbol SymbolTable::NewSymbol() {
  if (!free_.empty()) {
    const Symbol symbol = free_.back();
    free_.pop_back();
    return symbol;
  }
  // Out of ids is out of memory: four thousand million distinct strings are in use.
  constexpr Symbol kLast = std::numeric_limits<Symbol>::max() - (Symbol{1} << kFirstSegmentLog2);
  if (next_ == kLast) throw std::bad_alloc();
  const auto [segment, offset] = Locate(next_);
  if (offset == 0) {
    segments_[segment].store(new Entry[size_t{1} << (segment + kFirstSegmentLog2)]{},
                             std::memory_order_relaxed);
  }
  return next_++;
}

void SymbolTable::Release(std::span<const Symbol> symbols) {
  std::lock_guard lock(mutex_);
  for (Symbol symbol : symbols) ReleaseLocked(symbol);
}

void SymbolTable::ReleaseLocked(Symbol symbol) {
  Entry& entry = EntryOf(symbol);
  assert(entry.references > 0);
  if (--entry.references != 0) return;
  index_.Erase(entry.hash, symbol);
  delete[] entry.text;
  entry = {};
  free_.push_back(symbol);
}

size_t SymbolTable::symbol_count() const {
  std::lock_guard lock(mutex_);
  return index_.size();
}

size_t SymbolTable::label_set_count() const {
  std::lock_guard lock(mutex_);
  return label_blocks_.size();
}

size_t SymbolTable::id_limit() const {
  std::lock_guard lock(mutex_);
  return next_;
}

}  // namespace skiff::object
