#include "object/selector/label_set.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>

namespace skiff {

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
  auto* block = static_cast<Block*>(::operator new(sizeof(Block) + symbol_bytes));
  new (block) Block{.references = 1, .size = static_cast<uint32_t>(pairs.size()), .table = &table};
  for (size_t i = 0; i < pairs.size(); ++i) {
    block->keys()[i] = pairs[i].first;
    block->values()[i] = pairs[i].second;
  }
  const uint32_t hash = KeyedHash(block->keys(), symbol_bytes, table.seed_);
  Block* const* found = table.label_blocks_.Find(hash, [&](Block* other) {
    return std::ranges::equal(other->symbols(), block->symbols());
  });
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
    switch (from.op()) {
      case LabelOperator::kEquals:
      case LabelOperator::kDoubleEquals:
      case LabelOperator::kIn:
        to.test = Test::kIn;
        break;
      case LabelOperator::kNotEquals:
      case LabelOperator::kNotIn:
        to.test = Test::kNotIn;
        break;
      case LabelOperator::kExists:
        to.test = Test::kExists;
        break;
      case LabelOperator::kDoesNotExist:
        to.test = Test::kDoesNotExist;
        break;
      case LabelOperator::kGreaterThan:
      case LabelOperator::kLessThan:
        to.test = from.op() == LabelOperator::kLessThan ? Test::kLessThan : Test::kGreaterThan;
        to.number = from.number();
        break;
    }
    if (to.test == Test::kIn || to.test == Test::kNotIn) {
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
  std::ranges::stable_sort(requirements_, {}, &Requirement::test);
  matches_empty_ = !matches_nothing_ && std::ranges::all_of(requirements_, [&](const auto& r) {
    return Holds(r, nullptr);
  });
}

BoundSelector::~BoundSelector() {
  if (!held_.empty()) table_->Release(held_);
}

inline bool BoundSelector::HasValue(const Requirement& requirement, Symbol value) const {
  if (requirement.value_count == 1) return requirement.value == value;
  const auto first = values_.begin() + requirement.first_value;
  return std::binary_search(first, first + requirement.value_count, value);
}

// `value` is null when the set lacks the key.
inline bool BoundSelector::Holds(const Requirement& requirement, const Symbol* value) const {
  switch (requirement.test) {
    case Test::kIn:
      return value != nullptr && HasValue(requirement, *value);
    case Test::kNotIn:
      return value == nullptr || !HasValue(requirement, *value);
    case Test::kExists:
      return value != nullptr;
    case Test::kDoesNotExist:
      return value == nullptr;
    case Test::kGreaterThan:
    case Test::kLessThan:
      if (value == nullptr) return false;
      const std::optional<int64_t> number = table_->Number(*value);
      if (!number) return false;
      return requirement.test == Test::kLessThan ? *number < requirement.number
                                                 : *number > requirement.number;
  }
  return false;
}

bool BoundSelector::MatchesBlock(SymbolTable::LabelBlock& block) const {
  assert(block.table == table_);
  if (matches_nothing_) return false;
  const Symbol* const keys = block.keys();
  const uint32_t size = block.size;
  for (const Requirement& requirement : requirements_) {
    const Symbol* value = nullptr;
    for (uint32_t i = 0; i < size; ++i) {
      if (keys[i] == requirement.key) {
        value = keys + size + i;
        break;
      }
    }
    if (!Holds(requirement, value)) return false;
  }
  return true;
}

}  // namespace skiff
