#include "object/fields/field_set.h"

#include <algorithm>
#include <utility>

namespace skiff::object {
namespace {

bool Less(const FieldNode& a, const FieldNode& b) {
  return ComparePathElements(a.element, b.element) < 0;
}

// An array of at most `room` nodes that is filled in order.
class NodeWriter {
 public:
  NodeWriter(Arena& arena, size_t room)
      : nodes_(room == 0 ? nullptr : arena.AllocateArray<FieldNode>(room)) {}

  void Add(const PathElement& element, bool member, const FieldSet& children) {
    if (member || !children.empty()) nodes_[size_++] = {element, children, member};
  }
  void Add(const FieldNode& node) { nodes_[size_++] = node; }
  FieldSet Take() const { return FieldSet(nodes_, size_); }

 private:
  FieldNode* nodes_;
  size_t size_ = 0;
};

// Calls `f` with each node of `a` and its counterpart in `b`, or null. Goes along both, and in
// steps that grow where that takes long: a large change meets the few fields of every manager.
template <typename F>
void Join(const FieldSet& a, const FieldSet& b, F f) {
  constexpr int kSmallSteps = 8;
  const std::span<const FieldNode> others = b.nodes();
  size_t j = 0;
  for (const FieldNode& node : a.nodes()) {
    const auto compare = [&](size_t at) {
      return ComparePathElements(others[at].element, node.element);
    };
    int order = 1;
    for (int i = 0; j < others.size() && (order = compare(j)) < 0 && i < kSmallSteps; ++i) ++j;
    if (j < others.size() && order < 0) {
      size_t step = 1;
      for (; j + step < others.size() && compare(j + step - 1) < 0; step *= 2) j += step;
      const std::span<const FieldNode> rest = others.subspan(j, std::min(step, others.size() - j));
      j += static_cast<size_t>(std::ranges::lower_bound(rest, node, Less) - rest.begin());
      order = j < others.size() ? compare(j) : 1;
    }
    f(node, j < others.size() && order == 0 ? &others[j] : nullptr);
  }
}

}  // namespace

const FieldNode* FieldSet::Find(const PathElement& element) const {
  const std::span<const FieldNode> all = nodes();
  const auto at =
      std::lower_bound(all.begin(), all.end(), element, [](const FieldNode& node, const auto& e) {
        return ComparePathElements(node.element, e) < 0;
      });
  return at != all.end() && SamePathElement(at->element, element) ? &*at : nullptr;
}

bool FieldSet::Has(std::span<const PathElement> path) const {
  const FieldSet* at = this;
  for (size_t i = 0; i < path.size(); ++i) {
    const FieldNode* node = at->Find(path[i]);
    if (node == nullptr) return false;
    if (i + 1 == path.size()) return node->member;
    at = &node->children;
  }
  return false;
}

bool SameFields(const FieldSet& a, const FieldSet& b) {
  if (a.SharesAll(b)) return true;
  if (a.nodes().size() != b.nodes().size()) return false;
  for (size_t i = 0; i < a.nodes().size(); ++i) {
    const FieldNode& left = a.nodes()[i];
    const FieldNode& right = b.nodes()[i];
    if (left.member != right.member || !SamePathElement(left.element, right.element) ||
        !SameFields(left.children, right.children)) {
      return false;
    }
  }
  return true;
}

bool IsSubset(const FieldSet& part, const FieldSet& whole) {
  if (part.SharesAll(whole)) return true;
  bool holds = true;
  Join(part, whole, [&](const FieldNode& node, const FieldNode* other) {
    holds = holds && other != nullptr && (other->member || !node.member) &&
            IsSubset(node.children, other->children);
  });
  return holds;
}

FieldSet Union(Arena& arena, const FieldSet& a, const FieldSet& b) {
  if (b.empty() || a.SharesAll(b)) return a;
  if (a.empty()) return b;
  const std::span<const FieldNode> left = a.nodes();
  const std::span<const FieldNode> right = b.nodes();
  NodeWriter out(arena, left.size() + right.size());
  size_t i = 0;
  size_t j = 0;
  while (i < left.size() && j < right.size()) {
    const int order = ComparePathElements(left[i].element, right[j].element);
    if (order < 0) {
      out.Add(left[i++]);
    } else if (order > 0) {
      out.Add(right[j++]);
    } else {
      out.Add(left[i].element, left[i].member || right[j].member,
              Union(arena, left[i].children, right[j].children));
      ++i, ++j;
    }
  }
  for (; i < left.size(); ++i) out.Add(left[i]);
  for (; j < right.size(); ++j) out.Add(right[j]);
  return out.Take();
}

FieldSet UnionOfAll(Arena& arena, std::vector<FieldSet> sets) {
  // Two by two, so that no field is copied more often than there are rounds.
  for (; sets.size() > 1; sets.resize((sets.size() + 1) / 2)) {
    for (size_t i = 0; i < sets.size(); i += 2) {
      sets[i / 2] = i + 1 < sets.size() ? Union(arena, sets[i], sets[i + 1]) : sets[i];
    }
  }
  return sets.empty() ? FieldSet() : sets[0];
}

FieldSet Intersection(Arena& arena, const FieldSet& a, const FieldSet& b) {
  if (a.empty() || b.empty()) return {};
  if (a.SharesAll(b)) return a;
  NodeWriter out(arena, std::min(a.nodes().size(), b.nodes().size()));
  Join(a, b, [&](const FieldNode& node, const FieldNode* other) {
    if (other == nullptr) return;
    out.Add(node.element, node.member && other->member,
            Intersection(arena, node.children, other->children));
  });
  return out.Take();
}

FieldSet Difference(Arena& arena, const FieldSet& a, const FieldSet& b) {
  if (a.empty() || b.empty()) return a;
  if (a.SharesAll(b)) return {};
  NodeWriter out(arena, a.nodes().size());
  Join(a, b, [&](const FieldNode& node, const FieldNode* other) {
    if (other == nullptr) return out.Add(node);
    out.Add(node.element, node.member && !other->member,
            Difference(arena, node.children, other->children));
  });
  return out.Take();
}

FieldSet RecursiveDifference(Arena& arena, const FieldSet& a, const FieldSet& b) {
  if (a.empty() || b.empty()) return a;
  NodeWriter out(arena, a.nodes().size());
  Join(a, b, [&](const FieldNode& node, const FieldNode* other) {
    if (other == nullptr) return out.Add(node);
    if (other->member) return;
    out.Add(node.element, node.member, RecursiveDifference(arena, node.children, other->children));
  });
  return out.Take();
}

FieldSet Leaves(Arena& arena, const FieldSet& set) {
  NodeWriter out(arena, set.nodes().size());
  for (const FieldNode& node : set.nodes()) {
    out.Add(node.element, node.member && node.children.empty(), Leaves(arena, node.children));
  }
  return out.Take();
}

FieldSet WithNamedFields(Arena& arena, const FieldSet& set, const FieldShape& shape) {
  NodeWriter out(arena, set.nodes().size());
  for (const FieldNode& node : set.nodes()) {
    FieldShape below;
    bool named = false;
    if (node.element.is_field()) {
      named = shape.Declares(node.element.name());
      below = shape.Entry(node.element.name());
    } else if (node.element.kind() == PathElement::Kind::kKey) {
      below = shape.Element();
    }
    out.Add(node.element, node.member || (named && !node.children.empty()),
            WithNamedFields(arena, node.children, below));
  }
  return out.Take();
}

FieldSet SetOfPath(Arena& arena, std::span<const PathElement> path) {
  FieldSet out;
  for (size_t i = path.size(); i-- > 0;) {
    FieldNode* node = arena.AllocateArray<FieldNode>(1);
    *node = {path[i], out, out.empty()};
    out = FieldSet(node, 1);
  }
  return out;
}

namespace {

void VisitMembers(const FieldSet& set, std::vector<PathElement>& path,
                  const std::function<void(std::span<const PathElement>)>& f) {
  for (const FieldNode& node : set.nodes()) {
    path.push_back(node.element);
    if (node.member) f(path);
    VisitMembers(node.children, path, f);
    path.pop_back();
  }
}

}  // namespace

void ForEachMember(const FieldSet& set,
                   const std::function<void(std::span<const PathElement>)>& f) {
  std::vector<PathElement> path;
  VisitMembers(set, path, f);
}

std::string PathText(std::span<const PathElement> path) {
  std::string out;
  for (const PathElement& element : path) element.AppendTo(out);
  return out;
}

FieldSet FieldSetBuilder::Close(size_t mark) {
  const std::span<FieldNode> level(stack_.begin() + static_cast<ptrdiff_t>(mark), stack_.end());
  if (level.empty()) return {};
  if (!std::is_sorted(level.begin(), level.end(), Less)) {
    std::sort(level.begin(), level.end(), Less);
  }
  FieldNode* nodes = arena_.AllocateArray<FieldNode>(level.size());
  size_t size = 0;
  for (size_t i = 0; i < level.size();) {
    FieldNode& node = nodes[size++] = level[i++];
    if (i == level.size() || !SamePathElement(node.element, level[i].element)) continue;
    std::vector<FieldSet> children = {node.children};
    for (; i < level.size() && SamePathElement(node.element, level[i].element); ++i) {
      node.member |= level[i].member;
      children.push_back(level[i].children);
    }
    node.children = UnionOfAll(arena_, std::move(children));
  }
  stack_.resize(mark);
  return FieldSet(nodes, size);
}

}  // namespace skiff::object
