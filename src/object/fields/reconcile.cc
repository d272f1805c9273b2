#include "object/fields/reconcile.h"

#include <algorithm>

namespace skiff::object {
namespace {

FieldShape ShapeBelow(const FieldShape& shape, const PathElement& element) {
  if (element.is_field()) {
    return shape.kind() == FieldShape::Kind::kDeduced ? FieldShape() : shape.Entry(element.name());
  }
  return shape.kind() == FieldShape::Kind::kList ? shape.Element() : FieldShape();
}

}  // namespace

FieldSet FitToSchema(Arena& arena, const FieldSet& set, const FieldShape& shape) {
  const std::span<const FieldNode> nodes = set.nodes();
  FieldNode* copy = nullptr;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].children.empty()) continue;
    const FieldShape below = ShapeBelow(shape, nodes[i].element);
    if (below.kind() == FieldShape::Kind::kUnknown) continue;
    const FieldSet fitted =
        below.atomic() ? FieldSet() : FitToSchema(arena, nodes[i].children, below);
    if (fitted.SharesAll(nodes[i].children)) continue;
    if (copy == nullptr) {
      copy = arena.AllocateArray<FieldNode>(nodes.size());
      std::copy(nodes.begin(), nodes.end(), copy);
    }
    copy[i].children = fitted;
    copy[i].member = copy[i].member || below.atomic();
  }
  return copy == nullptr ? set : FieldSet(copy, nodes.size());
}

}  // namespace skiff::object
