#include "object/fields/compare.h"

#include <algorithm>

#include "object/equal.h"
#include "object/fields/list_items.h"
#include "object/fields/members.h"

namespace skiff::object {
namespace {

class Comparer {
 public:
  explicit Comparer(Arena& arena)
      : arena_(arena), added_(arena), modified_(arena), removed_(arena) {}

  FieldChanges Run(const FieldShape& shape, const Value& before, const Value& after) {
    Walk(shape, &before, &after);
    return {added_.Close(0), modified_.Close(0), removed_.Close(0)};
  }

 private:
  // In which set the value itself is.
  enum class Self : uint8_t { kNone, kAdded, kModified, kRemoved };

  void Descend(const PathElement& element, const FieldShape& shape, const Value* before,
               const Value* after) {
    const size_t added = added_.Mark();
    const size_t modified = modified_.Mark();
    const size_t removed = removed_.Mark();
    const Self self = Walk(shape, before, after);
    Finish(added_, added, element, self == Self::kAdded);
    Finish(modified_, modified, element, self == Self::kModified);
    Finish(removed_, removed, element, self == Self::kRemoved);
  }
  static void Finish(FieldSetBuilder& builder, size_t mark, const PathElement& element,
                     bool member) {
    if (!member && builder.Mark() == mark) return;
    const FieldSet children = builder.Close(mark);
    builder.Add(element, member, children);
  }

  // One of the two may be null: it is not there.
  Self Walk(const FieldShape& shape, const Value* before, const Value* after) {
    if (shape.atomic()) return Leaf(shape, before, after);
    switch (shape.kind()) {
      case FieldShape::Kind::kStruct:
        return WalkStruct(shape, before, after);
      case FieldShape::Kind::kMap:
      case FieldShape::Kind::kOpen:
        return WalkMap(shape, before, after);
      case FieldShape::Kind::kList:
        return WalkList(shape, before, after);
      case FieldShape::Kind::kDeduced:
        return WalkDeduced(shape, before, after);
      case FieldShape::Kind::kScalar:
      case FieldShape::Kind::kUnknown:
        break;
    }
    return Leaf(shape, before, after);
  }

  static Self Presence(const Value* before, const Value* after) {
    if (before == nullptr) return Self::kAdded;
    return after == nullptr ? Self::kRemoved : Self::kNone;
  }

  Self Leaf(const FieldShape& shape, const Value* before, const Value* after) {
    if (const Self self = Presence(before, after); self != Self::kNone) return self;
    return SameInJson(arena_, shape, *before, *after) ? Self::kNone : Self::kModified;
  }

  static bool IsEmpty(const Value* value) { return value == nullptr || value->size() == 0; }

  Self WalkStruct(const FieldShape& shape, const Value* before, const Value* after) {
    const MessageDesc& type = *shape.message();
    const bool typed =
        before != nullptr && after != nullptr && before->is_object() && after->is_object();
    if (typed) {
      WalkTyped(type, *before, *after);
      return Self::kNone;
    }
    const bool no_before = before == nullptr || ShowsNothing(arena_, shape, *before);
    const bool no_after = after == nullptr || ShowsNothing(arena_, shape, *after);
    if (no_before && no_after) return Leaf(shape, before, after);
    if (!no_before) {
      ForEachShown(arena_, type, *before, [&](uint16_t index, const Value& value) {
        const FieldDesc& field = type.fields[index];
        const std::optional<Value> other =
            no_after ? std::nullopt : ShownMember(arena_, *after, type, index);
        Descend(PathElement::Field(field.name()), FieldShape::OfField(field), &value,
                other ? &*other : nullptr);
      });
    }
    if (!no_after) {
      ForEachShown(arena_, type, *after, [&](uint16_t index, const Value& value) {
        if (!no_before && ShownMember(arena_, *before, type, index)) return;
        const FieldDesc& field = type.fields[index];
        Descend(PathElement::Field(field.name()), FieldShape::OfField(field), nullptr, &value);
      });
    }
    return Presence(before, after);
  }

  // The usual case: fields in step, and nothing to do for those that neither has or that are the
  // same in both.
  void WalkTyped(const MessageDesc& type, const Value& before, const Value& after) {
    const std::span<const Value> left = before.members();
    const std::span<const Value> right = after.members();
    size_t i = 0;
    size_t j = 0;
    while (i < left.size() || j < right.size()) {
      const unsigned at_left = i < left.size() ? left[i].field() : 0x10000u;
      const unsigned at_right = j < right.size() ? right[j].field() : 0x10000u;
      const unsigned index = std::min(at_left, at_right);
      const Value* l = at_left == index ? &left[i++] : nullptr;
      const Value* r = at_right == index ? &right[j++] : nullptr;
      if (l != nullptr && r != nullptr && Identical(*l, *r)) continue;
      const FieldDesc& field = type.fields[index];
      const std::optional<Value> was = ShownMember(arena_, field, l);
      const std::optional<Value> is = ShownMember(arena_, field, r);
      if (!was && !is) continue;
      Descend(PathElement::Field(field.name()), FieldShape::OfField(field), was ? &*was : nullptr,
              is ? &*is : nullptr);
    }
  }

  Self WalkMap(const FieldShape& shape, const Value* before, const Value* after) {
    if (IsEmpty(before) && IsEmpty(after)) return Leaf(shape, before, after);
    const auto entries_of = [](const Value* value) {
      return value != nullptr && value->is_map() ? value->entries() : std::span<const MapEntry>();
    };
    const std::span<const MapEntry> left = entries_of(before);
    const std::span<const MapEntry> right = entries_of(after);
    size_t i = 0;
    size_t j = 0;
    while (i < left.size() || j < right.size()) {
      int order = 0;
      if (i == left.size()) {
        order = 1;
      } else if (j == right.size()) {
        order = -1;
      } else {
        order = left[i].key.compare(right[j].key);
      }
      const Value* l = order <= 0 ? &left[i].value : nullptr;
      const Value* r = order >= 0 ? &right[j].value : nullptr;
      const std::string_view key = order <= 0 ? left[i].key : right[j].key;
      Descend(PathElement::Field(key), shape.Entry(key), l, r);
      i += static_cast<size_t>(order <= 0);
      j += static_cast<size_t>(order >= 0);
    }
    return Presence(before, after);
  }

  Self WalkDeduced(const FieldShape& shape, const Value* before, const Value* after) {
    const auto is_map = [](const Value* value) { return value != nullptr && value->is_map(); };
    const auto is_leaf = [](const Value* value) { return value != nullptr && !value->is_map(); };
    if (is_leaf(before) && is_leaf(after)) return Leaf(shape, before, after);
    if ((is_map(before) || before == nullptr) && (is_map(after) || after == nullptr)) {
      return WalkMap(shape, before, after);
    }
    if (before == nullptr) return Self::kAdded;
    if (after == nullptr) return Self::kRemoved;
    // A map and something else: what the map had goes or comes, and the value is another.
    WalkMap(shape, is_map(before) ? before : nullptr, is_map(after) ? after : nullptr);
    return Self::kModified;
  }

  // Items of one list, by the step that leads to them.
  struct Side {
    Side(Arena& arena, const FieldShape& list, const Value* items)
        : value(items),
          elements(items != nullptr ? ItemElements(arena, list, *items)
                                    : std::span<const PathElement>()),
          index(arena, elements) {}

    // The places with the step at `from`, which moves past them.
    std::span<const uint32_t> Take(size_t& from) const {
      const std::span<const uint32_t> sorted = index.sorted();
      const size_t start = from++;
      while (from < sorted.size() &&
             SamePathElement(elements[sorted[start]], elements[sorted[from]])) {
        ++from;
      }
      return sorted.subspan(start, from - start);
    }
    const Value& At(uint32_t place) const { return value->items()[place]; }

    const Value* value;
    std::span<const PathElement> elements;
    ItemIndex index;
  };

  Self WalkList(const FieldShape& list, const Value* before, const Value* after) {
    if (IsEmpty(before) && IsEmpty(after)) return Leaf(list, before, after);
    const Side left(arena_, list, before);
    const Side right(arena_, list, after);
    size_t i = 0;
    size_t j = 0;
    while (i < left.elements.size() || j < right.elements.size()) {
      int order = 0;
      if (i == left.elements.size()) {
        order = 1;
      } else if (j == right.elements.size()) {
        order = -1;
      } else {
        order = ComparePathElements(left.elements[left.index.sorted()[i]],
                                    right.elements[right.index.sorted()[j]]);
      }
      std::span<const uint32_t> olds;
      std::span<const uint32_t> news;
      if (order <= 0) olds = left.Take(i);
      if (order >= 0) news = right.Take(j);
      const PathElement& element = olds.empty() ? right.elements[news[0]] : left.elements[olds[0]];
      WalkItems(list, element, left, olds, right, news);
    }
    return Presence(before, after);
  }

  // Items with the same step. Several of them cannot be told apart and count as one.
  void WalkItems(const FieldShape& list, const PathElement& element, const Side& left,
                 std::span<const uint32_t> olds, const Side& right,
                 std::span<const uint32_t> news) {
    const FieldShape item = list.Element();
    if (olds.size() <= 1 && news.size() <= 1) {
      return Descend(element, item, olds.empty() ? nullptr : &left.At(olds[0]),
                     news.empty() ? nullptr : &right.At(news[0]));
    }
    if (olds.size() >= 2 && news.size() >= 2) {
      bool same = olds.size() == news.size();
      for (size_t k = 0; same && k < olds.size(); ++k) {
        same = SameInJson(arena_, item, left.At(olds[k]), right.At(news[k]));
      }
      if (!same) modified_.Add(element, true, {});
      return;
    }
    if (olds.size() >= 2) {
      if (!news.empty()) Descend(element, item, nullptr, &right.At(news[0]));
      removed_.Add(element, true, {});
      return;
    }
    if (!olds.empty()) Descend(element, item, &left.At(olds[0]), nullptr);
    added_.Add(element, true, {});
  }

  Arena& arena_;
  FieldSetBuilder added_;
  FieldSetBuilder modified_;
  FieldSetBuilder removed_;
};

}  // namespace

FieldChanges CompareFields(Arena& arena, const FieldShape& shape, const Value& before,
                           const Value& after) {
  return Comparer(arena).Run(shape, before, after);
}

}  // namespace skiff::object
