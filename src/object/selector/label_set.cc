#include "object/selector/label_set.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace skiff::object {
namespace {

// Bit i says whether symbols[i] is `symbol`, for the kMinRoom symbols that every block has.
inline uint32_t EqualSymbols(const Symbol* symbols, Symbol symbol) {
#if defined(__SSE2__)
  const __m128i wanted = _mm_set1_epi32(static_cast<int>(symbol));
  auto equal_four = [wanted](const Symbol* four) {
    const __m128i loaded = _mm_loadu_si128(reinterpret_cast<const __m128i*>(four));
    return static_cast<uint32_t>(
        _mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(loaded, wanted))));
  };
  return equal_four(symbols) | equal_four(symbols + 4) << 4;
#else
  uint32_t equal = 0;
  for (uint32_t i = 0; i < 8; ++i) equal |= uint32_t{symbols[i] == symbol} << i;
  return equal;
#endif
}

}  // namespace

LabelSet::LabelSet(SymbolTable& table, std::span<const Label> labels) {
  if (labels.empty()) return;
  std::vector<std::pair<Symbol, Symbol>> pairs;
  pairs.reserve(labels.size());
  std::lock_guard lock(table.mutex_);
  for (const Label& label : labels) {
    const Symbol key = table.InternLocked(label.key);
    pairs.emplace_back(key, table.InternLocked(label.value));
  }
  std::ranges::sort(pairs);
  block_ = FindOrMake(table, pairs);
}

LabelSet LabelSet::FromValue(SymbolTable& table, const Value* labels) {
  if (labels == nullptr || !labels->is_map()) return {};
  std::vector<Label> list;
  list.reserve(labels->size());
  for (const MapEntry& entry : labels->entries()) {
    if (entry.value.is_string()) list.push_back({entry.key, entry.value.AsText()});
  }
  return LabelSet(table, list);
}

// Takes over one reference to each symbol of `pairs`. The table is locked.
LabelSet::Block* LabelSet::FindOrMake(SymbolTable& table,
                                      std::span<const std::pair<Symbol, Symbol>> pairs) {
  const size_t symbol_bytes = pairs.size() * 2 * sizeof(Symbol);
  const size_t room_bytes = std::max(symbol_bytes, Block::kMinRoom * sizeof(Symbol));
  auto* block = static_cast<Block*>(::operator new(sizeof(Block) + room_bytes));
  new (block) Block{.references = 1, .size = static_cast<uint32_t>(pairs.size()), .table = &table};
  std::memset(block->keys(), 0, room_bytes);
  for (size_t i = 0; i < pairs.size(); ++i) {
    block->keys()[i] = pairs[i].first;
    block->values()[i] = pairs[i].second;
  }
  const uint32_t hash = KeyedHash(block->keys(), symbol_bytes, table.seed_);
  Block* const* found = table.label_blocks_.Find(
      hash, [&](Block* other) { return std::ranges::equal(other->symbols(), block->symbols()); });
  if (found == nullptr) {
    table.label_blocks_.Insert(hash, block);
    return block;
  }
  (*found)->references.fetch_add(1, std::memory_order_relaxed);
  for (Symbol symbol : block->symbols()) table.ReleaseLocked(symbol);
  ::operator delete(block);
  return *found;
}

void LabelSet::Unreference() {
  // The count goes from 1 to 0 under the lock only, where another thread may be about to share
  // the block and count it up again.
  uint32_t count = block_->references.load(std::memory_order_relaxed);
  while (count > 1) {
    if (block_->references.compare_exchange_weak(count, count - 1, std::memory_order_release)) {
      return;
    }
  }
  SymbolTable& table = *block_->table;
  std::lock_guard lock(table.mutex_);
  if (block_->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const auto symbols = block_->symbols();
  table.label_blocks_.Erase(KeyedHash(symbols.data(), symbols.size_bytes(), table.seed_), block_);
  for (Symbol symbol : symbols) table.ReleaseLocked(symbol);
  block_->~Block();
  ::operator delete(block_);
}

std::optional<std::string_view> LabelSet::Find(std::string_view key) const {
  for (size_t i = 0; i < size(); ++i) {
    if (table()->Text(block_->keys()[i]) == key) return table()->Text(block_->values()[i]);
  }
  return std::nullopt;
}

BoundSelector::BoundSelector(SymbolTable& table, const LabelSelector& selector)
    : table_(&table), matches_nothing_(selector.matches_nothing()) {
  for (const LabelRequirement& from : selector.requirements()) {
    Requirement to{};
    to.key = held_.emplace_back(table.Intern(from.key()));
    const LabelOperator op = from.op();
    to.negated = op == LabelOperator::kNotEquals || op == LabelOperator::kNotIn ||
                 op == LabelOperator::kDoesNotExist;
    if (op == LabelOperator::kExists || op == LabelOperator::kDoesNotExist) {
      to.test = Test::kExists;
    } else if (op == LabelOperator::kGreaterThan || op == LabelOperator::kLessThan) {
      to.test = op == LabelOperator::kLessThan ? Test::kLessThan : Test::kGreaterThan;
      to.number = from.number();
    } else {
      to.test = Test::kIn;
      to.first_value = static_cast<uint32_t>(values_.size());
      to.value_count = static_cast<uint32_t>(from.values().size());
      for (const std::string& value : from.values()) {
        values_.push_back(held_.emplace_back(table.Intern(value)));
      }
      std::sort(values_.begin() + to.first_value, values_.end());
      to.value = values_[to.first_value];
    }
    requirements_.push_back(to);
  }
  std::ranges::stable_sort(requirements_, {},
                           [](const Requirement& r) { return std::pair(r.negated, r.test); });
  matches_empty_ = !matches_nothing_ && std::ranges::all_of(requirements_, [&](const auto& r) {
    return Holds(r, nullptr);
  });
}

BoundSelector::~BoundSelector() {
  if (!held_.empty()) table_->Release(held_);
}

// Few values are compared without a branch: which one it is cannot be predicted.
inline bool BoundSelector::HasValue(const Requirement& requirement, Symbol value) const {
  if (requirement.value_count == 1) return requirement.value == value;
  const Symbol* first = values_.data() + requirement.first_value;
  if (requirement.value_count > 8) {
    return std::binary_search(first, first + requirement.value_count, value);
  }
  bool found = false;
  for (uint32_t i = 0; i < requirement.value_count; ++i) found |= first[i] == value;
  return found;
}

// `value` is null when the set lacks the key.
inline bool BoundSelector::Holds(const Requirement& requirement, const Symbol* value) const {
  switch (requirement.test) {
    case Test::kIn:
      return (value != nullptr && HasValue(requirement, *value)) != requirement.negated;
    case Test::kExists:
      return (value != nullptr) != requirement.negated;
    case Test::kGreaterThan:
    case Test::kLessThan:
      break;
  }
  if (value == nullptr) return false;
  const std::optional<int64_t> number = table_->Number(*value);
  if (!number) return false;
  return requirement.test == Test::kLessThan ? *number < requirement.number
                                             : *number > requirement.number;
}

// The value of the key in a block, or null. All keys of a usual set are compared at once: a loop
// that stops at the key would mispredict where sets differ in their keys.
inline const Symbol* BoundSelector::FindValue(const SymbolTable::LabelBlock& block, Symbol key) {
  constexpr uint32_t kRoom = SymbolTable::LabelBlock::kMinRoom;
  const Symbol* const keys = block.keys();
  if (block.size > kRoom) [[unlikely]] {
    const Symbol* found = std::find(keys, keys + block.size, key);
    return found == keys + block.size ? nullptr : found + block.size;
  }
  // What follows the keys are values, which do not count.
  const uint32_t equal = EqualSymbols(keys, key) & ((1u << block.size) - 1);
  return equal == 0 ? nullptr : keys + block.size + __builtin_ctz(equal);
}

bool BoundSelector::MatchesBlock(const SymbolTable::LabelBlock& block) const {
  assert(block.table == table_);
  if (matches_nothing_) return false;
  for (const Requirement& requirement : requirements_) {
    if (!Holds(requirement, FindValue(block, requirement.key))) return false;
  }
  return true;
}

}  // namespace skiff::object
