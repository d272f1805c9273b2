// Sets of fields: who owns what in an object, as server-side apply knows it.
//
// A set is a sorted trie. A node stands for the path that leads to it; it is a member of the set,
// or leads to members, or both. An item of a list and a key of a map are members besides what they
// hold, a struct is only where nothing in it is shown.
//
// Sets are immutable views of arrays in an arena: results share whatever they can with what they
// were made from, so every arena that took part must outlive them. An empty set has no nodes, and
// no node is without purpose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/arena.h"
#include "object/fields/path_element.h"
#include "object/fields/shape.h"

namespace skiff::object {

struct FieldNode;

class FieldSet {
 public:
  FieldSet() = default;
  FieldSet(const FieldNode* nodes, size_t size)
      : nodes_(nodes), size_(static_cast<uint32_t>(size)) {}

  bool empty() const { return size_ == 0; }
  std::span<const FieldNode> nodes() const;
  const FieldNode* Find(const PathElement& element) const;
  bool Has(std::span<const PathElement> path) const;
  // Whether the two are the same arrays, which is quick to tell and mostly enough.
  bool SharesAll(const FieldSet& other) const {
    return nodes_ == other.nodes_ && size_ == other.size_;
  }

 private:
  const FieldNode* nodes_ = nullptr;
  uint32_t size_ = 0;
};

struct FieldNode {
  PathElement element;
  FieldSet children;
  bool member = false;
};

inline std::span<const FieldNode> FieldSet::nodes() const { return {nodes_, size_}; }

// --- operations. Each looks at members by their whole paths.

bool SameFields(const FieldSet& a, const FieldSet& b);
bool IsSubset(const FieldSet& part, const FieldSet& whole);
FieldSet Union(Arena& arena, const FieldSet& a, const FieldSet& b);
FieldSet UnionOfAll(Arena& arena, std::vector<FieldSet> sets);
FieldSet Intersection(Arena& arena, const FieldSet& a, const FieldSet& b);
// The members of `a` that are not in `b`, whatever is below those that are.
FieldSet Difference(Arena& arena, const FieldSet& a, const FieldSet& b);
// As Difference, and what is below a member of `b` goes too.
FieldSet RecursiveDifference(Arena& arena, const FieldSet& a, const FieldSet& b);
// The members that have no members below them.
FieldSet Leaves(Arena& arena, const FieldSet& set);
// With the fields of structs that lead to members as members themselves.
FieldSet WithNamedFields(Arena& arena, const FieldSet& set, const FieldShape& shape);
// The set of one path.
FieldSet SetOfPath(Arena& arena, std::span<const PathElement> path);

// Calls `f` with every member's path, in order.
void ForEachMember(const FieldSet& set, const std::function<void(std::span<const PathElement>)>& f);
std::string PathText(std::span<const PathElement> path);

// Builds a set level by level, from the leaves up: begin a level with Mark(), add nodes, and close
// it to get them as the sorted children of the next node. Adding an element twice unites the two.
class FieldSetBuilder {
 public:
  explicit FieldSetBuilder(Arena& arena) : arena_(arena) {}

  size_t Mark() const { return stack_.size(); }
  // Without a member and without children, nothing is added.
  void Add(const PathElement& element, bool member, const FieldSet& children) {
    if (member || !children.empty()) stack_.push_back({element, children, member});
  }
  FieldSet Close(size_t mark);

 private:
  Arena& arena_;
  std::vector<FieldNode> stack_;
};

}  // namespace skiff::object
