#include "store/cache/ordered_index.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace skiff::store {

// Nodes hold up to kCapacity entries or children. Small ones are cheap to copy, large ones take
// less memory and fewer steps; with 32 the index takes about 20 bytes per entry.
struct IndexNode {
  static constexpr size_t kCapacity = 32;
  // A node that an erasure leaves with less looks for a neighbour to merge with, if both together
  // then leave room for more.
  static constexpr size_t kSparse = kCapacity / 4;
  static constexpr size_t kMergedMost = kCapacity * 3 / 4;

  std::atomic<uint32_t> references{1};
  uint32_t count = 0;        // entries in this subtree
  uint16_t prefix_size = 0;  // bytes that all keys here begin with; perhaps not all such bytes
  uint8_t size = 0;
  uint8_t height = 0;  // 0: a leaf
  // Of each key the four bytes behind the prefix, in a form that signed integers order alike;
  // kNoHint in unused places.
  static constexpr int32_t kNoHint = INT32_MAX;
  std::array<int32_t, kCapacity> hints;
  // A leaf's entries, which it counts; or the first entry below each child, which it does not.
  std::array<const CacheEntry*, kCapacity> keys;

  bool leaf() const { return height == 0; }
  std::string_view key(size_t position) const { return keys[position]->key(); }

  static IndexNode* New(size_t height);
  void Reference() { references.fetch_add(1, std::memory_order_relaxed); }
  static void Unreference(IndexNode* node);
  static void Delete(IndexNode* node);  // the node alone
  // The node itself if nobody shares it, else a copy instead of it.
  static IndexNode* Writable(IndexNode* node);

  static void ReferenceEntry(const CacheEntry* entry) { entry->Reference(); }

  // The first position whose key is not less, or, with kAfter, is greater.
  enum class Bound : uint8_t { kNotLess, kAfter };
  template <Bound bound>
  size_t Search(std::string_view key) const;
  // The child below which the key belongs, which is asked for ahead of its use.
  size_t ChildOf(std::string_view key) const;
  static void PrefetchLines(const void* from, size_t size) {
    constexpr size_t kCacheLine = 64;
    for (size_t i = 0; i < size; i += kCacheLine) {
      __builtin_prefetch(static_cast<const char*>(from) + i);
    }
  }
  void PrefetchKeys() const {
    PrefetchLines(this, 1);
    PrefetchLines(keys.data(), sizeof(keys));
  }

  void SetKey(size_t position, const CacheEntry* entry);  // with its hint
  void RenewHints();
  void InsertKey(size_t position, const CacheEntry* entry);
  void InsertChild(size_t position, IndexNode* child);
  void RemoveAt(size_t position);
  // Moves what stands from `position` on to the end of `to`. Hints and counts follow.
  void MoveTail(size_t position, IndexNode* to);
  void Recount();
};

namespace {

struct InnerNode : IndexNode {
  std::array<IndexNode*, kCapacity> children;
  std::array<uint32_t, kCapacity> counts;
};

InnerNode& Inner(IndexNode* node) { return *static_cast<InnerNode*>(node); }
const InnerNode& Inner(const IndexNode* node) { return *static_cast<const InnerNode*>(node); }

int32_t HintOf(std::string_view key, size_t prefix_size) {
  uint32_t bytes = 0;
  if (key.size() >= prefix_size + sizeof(bytes)) [[likely]] {
    std::memcpy(&bytes, key.data() + prefix_size, sizeof(bytes));
    bytes = __builtin_bswap32(bytes);
  } else {
    for (size_t i = 0; i < sizeof(bytes); ++i) {
      const size_t at = prefix_size + i;
      bytes = bytes << 8 | (at < key.size() ? static_cast<uint8_t>(key[at]) : 0u);
    }
  }
  return static_cast<int32_t>(bytes ^ 0x80000000u);
}

size_t CommonPrefixSize(std::string_view a, std::string_view b) {
  return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

template <typename T>
void OpenGap(T& array, size_t position, size_t size) {
  std::move_backward(array.begin() + static_cast<ptrdiff_t>(position),
                     array.begin() + static_cast<ptrdiff_t>(size),
                     array.begin() + static_cast<ptrdiff_t>(size) + 1);
}
template <typename T>
void CloseGap(T& array, size_t position, size_t size) {
  std::move(array.begin() + static_cast<ptrdiff_t>(position) + 1,
            array.begin() + static_cast<ptrdiff_t>(size),
            array.begin() + static_cast<ptrdiff_t>(position));
}
template <typename T>
void MoveItems(const T& from, size_t position, size_t count, T& to, size_t to_position) {
  std::copy_n(from.begin() + static_cast<ptrdiff_t>(position), count,
              to.begin() + static_cast<ptrdiff_t>(to_position));
}

}  // namespace

// --- nodes

IndexNode* IndexNode::New(size_t height) {
  IndexNode* node = height == 0 ? new IndexNode : new InnerNode;
  node->height = static_cast<uint8_t>(height);
  node->hints.fill(kNoHint);
  return node;
}

void IndexNode::Delete(IndexNode* node) {
  if (node->leaf()) {
    delete node;
  } else {
    delete &Inner(node);
  }
}

void IndexNode::Unreference(IndexNode* node) {
  if (node->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  for (size_t i = 0; i < node->size; ++i) {
    if (node->leaf()) {
      EntryRef::Adopt(node->keys[i]);
    } else {
      Unreference(Inner(node).children[i]);
    }
  }
  Delete(node);
}

IndexNode* IndexNode::Writable(IndexNode* node) {
  // Nobody but the writer can make the one reference two. The load sees what readers did before
  // they let go.
  if (node->references.load(std::memory_order_acquire) == 1) return node;
  IndexNode* copy = New(node->height);
  copy->count = node->count;
  copy->prefix_size = node->prefix_size;
  copy->size = node->size;
  MoveItems(node->hints, 0, node->size, copy->hints, 0);
  MoveItems(node->keys, 0, node->size, copy->keys, 0);
  if (node->leaf()) {
    for (size_t i = 0; i < node->size; ++i) ReferenceEntry(node->keys[i]);
  } else {
    MoveItems(Inner(node).counts, 0, node->size, Inner(copy).counts, 0);
    MoveItems(Inner(node).children, 0, node->size, Inner(copy).children, 0);
    for (size_t i = 0; i < node->size; ++i) Inner(copy).children[i]->Reference();
  }
  Unreference(node);
  return copy;
}

template <IndexNode::Bound bound>
size_t IndexNode::Search(std::string_view wanted) const {
  if (prefix_size != 0) {
    const std::string_view prefix = key(0).substr(0, prefix_size);
    const int order = wanted.substr(0, prefix_size).compare(prefix);
    if (order != 0) return order < 0 ? 0 : size;
  }
  // All hints are looked at, whatever the size, so that the compiler makes vector code of it.
  const int32_t hint = HintOf(wanted, prefix_size);
  int32_t less = 0, not_greater = 0;
  for (size_t i = 0; i < kCapacity; ++i) {
    less += hints[i] < hint ? 1 : 0;
    not_greater += hints[i] <= hint ? 1 : 0;
  }
  size_t low = std::min<size_t>(static_cast<size_t>(less), size);
  size_t high = std::min<size_t>(static_cast<size_t>(not_greater), size);
  while (low < high) {
    const size_t middle = (low + high) / 2;
    const int order = key(middle).compare(wanted);
    if (order < 0 || (bound == Bound::kAfter && order == 0)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

size_t IndexNode::ChildOf(std::string_view wanted) const {
  const size_t after = Search<Bound::kAfter>(wanted);
  const size_t child = after == 0 ? 0 : after - 1;
  // The search there reads its hints and first key: asked for together, they are one wait.
  PrefetchLines(Inner(this).children[child], offsetof(IndexNode, keys));
  keys[child]->Prefetch();
  return child;
}

void IndexNode::RenewHints() {
  std::fill(hints.begin() + size, hints.end(), kNoHint);
  if (size == 0) return;
  prefix_size = static_cast<uint16_t>(CommonPrefixSize(key(0), key(size - size_t{1})));
  for (size_t i = 0; i < size; ++i) hints[i] = HintOf(key(i), prefix_size);
}

void IndexNode::SetKey(size_t position, const CacheEntry* entry) {
  keys[position] = entry;
  // The keys ascend, so the first and the last tell what all have in common.
  if (position == 0 || position + 1 == size) {
    const size_t common = CommonPrefixSize(key(0), key(size - size_t{1}));
    if (common < prefix_size || size == 1) {
      RenewHints();
      return;
    }
  }
  hints[position] = HintOf(entry->key(), prefix_size);
}

void IndexNode::InsertKey(size_t position, const CacheEntry* entry) {
  OpenGap(hints, position, size);
  OpenGap(keys, position, size);
  ++size;
  SetKey(position, entry);
}

void IndexNode::InsertChild(size_t position, IndexNode* child) {
  InnerNode& self = Inner(this);
  OpenGap(self.children, position, size);
  OpenGap(self.counts, position, size);
  self.children[position] = child;
  self.counts[position] = child->count;
  InsertKey(position, child->keys[0]);
}

void IndexNode::RemoveAt(size_t position) {
  CloseGap(hints, position, size);
  CloseGap(keys, position, size);
  if (!leaf()) {
    CloseGap(Inner(this).children, position, size);
    CloseGap(Inner(this).counts, position, size);
  }
  --size;
  hints[size] = kNoHint;
}

void IndexNode::MoveTail(size_t position, IndexNode* to) {
  const size_t moved = size - position;
  MoveItems(keys, position, moved, to->keys, to->size);
  if (!leaf()) {
    MoveItems(Inner(this).children, position, moved, Inner(to).children, to->size);
    MoveItems(Inner(this).counts, position, moved, Inner(to).counts, to->size);
  }
  to->size = static_cast<uint8_t>(to->size + moved);
  size = static_cast<uint8_t>(position);
  for (IndexNode* node : {this, to}) {
    node->RenewHints();
    node->Recount();
  }
}

void IndexNode::Recount() {
  count = size;
  if (leaf()) return;
  count = 0;
  for (size_t i = 0; i < size; ++i) count += Inner(this).counts[i];
}

// --- reading

size_t IndexReader::size() const { return root_ == nullptr ? 0 : root_->count; }

const CacheEntry* IndexReader::Find(std::string_view key) const {
  const IndexNode* node = root_;
  if (node == nullptr) return nullptr;
  while (!node->leaf()) node = Inner(node).children[node->ChildOf(key)];
  const size_t position = node->Search<IndexNode::Bound::kNotLess>(key);
  if (position == node->size || node->key(position) != key) return nullptr;
  return node->keys[position];
}

size_t IndexReader::Rank(std::string_view key) const {
  size_t rank = 0;
  const IndexNode* node = root_;
  if (node == nullptr || key.empty()) return 0;
  while (!node->leaf()) {
    const InnerNode& inner = Inner(node);
    const size_t child = node->ChildOf(key);
    for (size_t i = 0; i < child; ++i) rank += inner.counts[i];
    node = inner.children[child];
  }
  return rank + node->Search<IndexNode::Bound::kNotLess>(key);
}

size_t IndexReader::Count(std::string_view from, std::string_view to) const {
  const size_t low = Rank(from);
  const size_t high = to.empty() ? size() : Rank(to);
  return high > low ? high - low : 0;
}

IndexCursor IndexReader::Seek(std::string_view from, std::string_view to) const {
  IndexCursor cursor;
  cursor.left_ = Count(from, to);
  if (cursor.left_ == 0) return cursor;
  const IndexNode* node = root_;
  cursor.height_ = node->height;
  while (!node->leaf()) {
    const size_t child = node->ChildOf(from);
    cursor.path_[node->height - size_t{1}] = {node, child};
    node = Inner(node).children[child];
  }
  const size_t position = node->Search<IndexNode::Bound::kNotLess>(from);
  cursor.EnterLeaf(node, position);
  // The bound may lie behind the last entry of the leaf that it belongs to.
  if (position == node->size) cursor.EnterNextLeaf();
  return cursor;
}

const IndexNode* IndexCursor::LeafAhead(size_t ahead) const {
  if (height_ == 0) return nullptr;
  const auto& [parent, child] = path_[0];
  if (child + ahead < parent->size) return Inner(parent).children[child + ahead];
  if (height_ == 1) return nullptr;
  const auto& [grandparent, parents_place] = path_[1];
  if (parents_place + 1 == grandparent->size) return nullptr;
  const IndexNode* const next_parent = Inner(grandparent).children[parents_place + 1];
  const size_t place = child + ahead - parent->size;
  return place < next_parent->size ? Inner(next_parent).children[place] : nullptr;
}

void IndexCursor::EnterLeaf(const IndexNode* leaf, size_t position) {
  at_ = leaf->keys.data() + position;
  run_end_ = leaf->keys.data() + leaf->size;
  // Entries lie all over the memory, and so do their labels, which most lists look at: they are
  // asked for ahead, all of a leaf at once. So is the leaf that tells where the entries are.
  for (size_t i = position; i < leaf->size; ++i) leaf->keys[i]->labels().Prefetch();
  if (left_ <= RunSize()) return;
  if (const IndexNode* const next = LeafAhead(1)) {
    for (size_t i = 0; i < next->size; ++i) next->keys[i]->Prefetch();
  }
  if (const IndexNode* const after = LeafAhead(2)) after->PrefetchKeys();
}

void IndexCursor::EnterNextLeaf() {
  size_t level = 0;
  while (++path_[level].child == path_[level].node->size) ++level;
  for (; level > 0; --level) {
    const auto& [node, child] = path_[level];
    path_[level - 1] = {Inner(node).children[child], 0};
  }
  EnterLeaf(Inner(path_[0].node).children[path_[0].child], 0);
}

IndexSnapshot::IndexSnapshot(const IndexSnapshot& other) : IndexReader(other.root_) {
  if (root_ != nullptr) root_->Reference();
}

IndexSnapshot::~IndexSnapshot() {
  if (root_ != nullptr) IndexNode::Unreference(root_);
}

// --- writing

namespace {

// Makes room in a full node for one more at `position`: returns a new right neighbour, and where
// the new one belongs. What is added in order (names that count up) leaves full nodes behind.
struct Split {
  IndexNode* right;
  IndexNode* target;
  size_t position;
};
Split SplitFor(IndexNode* node, size_t position) {
  const size_t size = node->size;
  const size_t middle = position == size ? size : position == 0 ? 0 : size / 2;
  IndexNode* right = IndexNode::New(node->height);
  node->MoveTail(middle, right);
  if (position < middle || position == 0) return {right, node, position};
  return {right, right, position - middle};
}

struct PutOutcome {
  EntryRef replaced;
  IndexNode* right = nullptr;  // what was split off
};

PutOutcome PutIntoLeaf(IndexNode* leaf, EntryRef entry) {
  const size_t position = leaf->Search<IndexNode::Bound::kNotLess>(entry->key());
  if (position < leaf->size && leaf->key(position) == entry->key()) {
    return {.replaced = EntryRef::Adopt(std::exchange(leaf->keys[position], entry.Release()))};
  }
  Split split{nullptr, leaf, position};
  if (leaf->size == IndexNode::kCapacity) split = SplitFor(leaf, position);
  split.target->InsertKey(split.position, entry.Release());
  ++split.target->count;
  return {.replaced = {}, .right = split.right};
}

PutOutcome PutInto(IndexNode*& slot, EntryRef entry) {
  slot = IndexNode::Writable(slot);
  IndexNode* const node = slot;
  if (node->leaf()) return PutIntoLeaf(node, std::move(entry));

  InnerNode& inner = Inner(node);
  const size_t child = node->ChildOf(entry->key());
  PutOutcome outcome = PutInto(inner.children[child], std::move(entry));
  const IndexNode* changed = inner.children[child];
  inner.counts[child] = changed->count;
  if (outcome.replaced) {
    node->keys[child] = changed->keys[0];  // the same key, perhaps of a new entry
    return outcome;
  }
  ++node->count;
  // Only a key before all others becomes a new first key.
  if (child == 0 && node->keys[0] != changed->keys[0]) node->SetKey(0, changed->keys[0]);
  if (outcome.right == nullptr) return outcome;

  IndexNode* const added = std::exchange(outcome.right, nullptr);
  Split split{nullptr, node, child + 1};
  if (node->size == IndexNode::kCapacity) split = SplitFor(node, child + 1);
  split.target->InsertChild(split.position, added);
  if (split.right != nullptr) {
    node->Recount();
    split.right->Recount();
  }
  outcome.right = split.right;
  return outcome;
}

// Joins the child with its right neighbour if both are small enough.
void MergeWithNext(IndexNode* node, size_t child) {
  InnerNode& inner = Inner(node);
  if (child + 1 >= node->size) return;
  const IndexNode* left = inner.children[child];
  const IndexNode* right = inner.children[child + 1];
  if (size_t{left->size} + right->size > IndexNode::kMergedMost) return;
  IndexNode* const into = inner.children[child] = IndexNode::Writable(inner.children[child]);
  IndexNode* const from = IndexNode::Writable(inner.children[child + 1]);
  from->MoveTail(0, into);
  IndexNode::Delete(from);
  inner.counts[child] = into->count;
  node->RemoveAt(child + 1);
}

// The key is there.
EntryRef EraseFrom(IndexNode*& slot, std::string_view key) {
  slot = IndexNode::Writable(slot);
  IndexNode* const node = slot;
  --node->count;
  if (node->leaf()) {
    const size_t position = node->Search<IndexNode::Bound::kNotLess>(key);
    EntryRef erased = EntryRef::Adopt(node->keys[position]);
    node->RemoveAt(position);
    return erased;
  }
  InnerNode& inner = Inner(node);
  const size_t child = node->ChildOf(key);
  EntryRef erased = EraseFrom(inner.children[child], key);
  IndexNode* const changed = inner.children[child];
  if (changed->size == 0) {
    IndexNode::Delete(changed);
    node->RemoveAt(child);
    return erased;
  }
  inner.counts[child] = changed->count;
  if (node->keys[child] != changed->keys[0]) node->SetKey(child, changed->keys[0]);
  if (changed->size < IndexNode::kSparse) {
    MergeWithNext(node, child);
    if (child > 0) MergeWithNext(node, child - 1);
  }
  return erased;
}

}  // namespace

EntryRef OrderedIndex::Put(EntryRef entry) {
  if (root_ == nullptr) root_ = IndexNode::New(0);
  PutOutcome outcome = PutInto(root_, std::move(entry));
  if (outcome.right != nullptr) {
    IndexNode* const root = IndexNode::New(root_->height + size_t{1});
    root->InsertChild(0, root_);
    root->InsertChild(1, outcome.right);
    root->Recount();
    root_ = root;
  }
  return std::move(outcome.replaced);
}

EntryRef OrderedIndex::Erase(std::string_view key) {
  // Looked up first, so that nothing is copied in vain.
  if (Find(key) == nullptr) return {};
  EntryRef erased = EraseFrom(root_, key);
  while (!root_->leaf() && root_->size == 1) {
    IndexNode* const only = Inner(root_).children[0];
    IndexNode::Delete(root_);
    root_ = only;
  }
  if (root_->size == 0) {
    IndexNode::Delete(root_);
    root_ = nullptr;
  }
  return erased;
}

void OrderedIndex::Clear() {
  if (root_ != nullptr) IndexNode::Unreference(std::exchange(root_, nullptr));
}

IndexSnapshot OrderedIndex::Snapshot() const {
  if (root_ != nullptr) root_->Reference();
  return IndexSnapshot(root_);
}

namespace {

struct KeyItem {
  uint64_t hint;  // the eight bytes behind what all keys of its run begin with
  EntryRef entry;
  std::string_view key() const { return entry->key(); }
};

// Keys lie all over the memory, so that each look at one is dear: they are looked at once, to sort
// by eight of their bytes beside the entries; then those that have these in common, by the next.
void SortRun(std::span<KeyItem> items) {
  constexpr size_t kFew = 16;
  if (items.size() <= kFew) {
    std::ranges::sort(items, {}, &KeyItem::key);
    return;
  }
  size_t prefix_size = items[0].key().size();
  for (const KeyItem& item : items) {
    prefix_size = CommonPrefixSize(items[0].key().substr(0, prefix_size), item.key());
  }
  const auto half = [](std::string_view key, size_t from) {
    return static_cast<uint64_t>(static_cast<uint32_t>(HintOf(key, from)) ^ 0x80000000u);
  };
  for (KeyItem& item : items) {
    item.hint = half(item.key(), prefix_size) << 32 | half(item.key(), prefix_size + 4);
  }
  std::ranges::sort(items, {}, &KeyItem::hint);
  for (size_t begin = 0, end = 0; begin < items.size(); begin = end) {
    for (end = begin + 1; end < items.size() && items[end].hint == items[begin].hint;) ++end;
    const std::span<KeyItem> run = items.subspan(begin, end - begin);
    // A run of all of them is one of keys that end, or go on with zero bytes.
    if (run.size() == items.size()) {
      std::ranges::sort(run, {}, &KeyItem::key);
    } else if (run.size() > 1) {
      SortRun(run);
    }
  }
}

void SortByKey(std::vector<EntryRef>& entries) {
  std::vector<KeyItem> items;
  items.reserve(entries.size());
  for (EntryRef& entry : entries) items.push_back({0, std::move(entry)});
  SortRun(items);
  for (size_t i = 0; i < items.size(); ++i) entries[i] = std::move(items[i].entry);
}

}  // namespace

void OrderedIndex::Load(std::vector<EntryRef> entries) {
  Clear();
  // Nodes with some room, so that the first changes do not split all of them.
  constexpr size_t kFill = IndexNode::kCapacity * 7 / 8;
  SortByKey(entries);
  std::vector<IndexNode*> level;
  level.reserve(entries.size() / kFill + 1);
  for (size_t i = 0; i < entries.size(); ++i) {
    if (i % kFill == 0) level.push_back(IndexNode::New(0));
    IndexNode* const leaf = level.back();
    leaf->keys[leaf->size++] = entries[i].Release();
    ++leaf->count;
  }
  for (IndexNode* leaf : level) leaf->RenewHints();
  for (size_t height = 1; level.size() > 1; ++height) {
    std::vector<IndexNode*> above;
    for (size_t i = 0; i < level.size(); ++i) {
      if (i % kFill == 0) above.push_back(IndexNode::New(height));
      InnerNode& parent = Inner(above.back());
      parent.children[parent.size] = level[i];
      parent.counts[parent.size] = level[i]->count;
      parent.keys[parent.size++] = level[i]->keys[0];
      parent.count += level[i]->count;
    }
    for (IndexNode* parent : above) parent->RenewHints();
    level = std::move(above);
  }
  if (!level.empty()) root_ = level.front();
}

}  // namespace skiff::store
