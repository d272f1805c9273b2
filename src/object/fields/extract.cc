#include "object/fields/extract.h"

#include "object/fields/list_items.h"
#include "object/fields/members.h"

namespace skiff::object {
namespace {

class Extractor {
 public:
  Extractor(Arena& arena, bool shows_unset)
      : arena_(arena), shows_unset_(shows_unset), builder_(arena) {}

  // Adds what is below the value to the level under way; true if the value is a member itself.
  bool Walk(const FieldShape& shape, const Value& value) {
    if (shape.atomic()) return true;
    switch (shape.kind()) {
      case FieldShape::Kind::kStruct:
        WalkStruct(*shape.message(), value);
        return false;
      case FieldShape::Kind::kMap:
      case FieldShape::Kind::kOpen:
        WalkMap(shape, value);
        return false;
      case FieldShape::Kind::kList:
        WalkList(shape, value);
        return false;
      case FieldShape::Kind::kDeduced:
        if (!value.is_map()) return true;
        WalkMap(shape, value);
        return false;
      case FieldShape::Kind::kScalar:
      case FieldShape::Kind::kUnknown:
        break;
    }
    return true;
  }

  FieldSet Close() { return builder_.Close(0); }

 private:
  void Descend(const PathElement& element, const FieldShape& shape, const Value& value,
               bool member) {
    const size_t mark = builder_.Mark();
    member = Walk(shape, value) || member;
    const FieldSet children = builder_.Close(mark);
    builder_.Add(element, member, children);
  }

  void WalkStruct(const MessageDesc& type, const Value& value) {
    ForEachShown(arena_, type, value, [&](uint16_t index, const Value& member) {
      if (!shows_unset_ && value.is_object() && value.Member(index) == nullptr) return;
      const FieldDesc& field = type.fields[index];
      const FieldShape shape = FieldShape::OfField(field);
      const bool empty = member.is_null() || (member.is_map() && member.size() == 0) ||
                         (member.is_object() && ShowsNothing(arena_, shape, member));
      Descend(PathElement::Field(field.name()), shape, member, empty);
    });
  }

  // A key is owned by being there, a field of an open object only if it holds nothing else.
  void WalkMap(const FieldShape& shape, const Value& value) {
    if (!value.is_map()) return;
    for (const MapEntry& entry : value.entries()) {
      const bool member = !shape.Declares(entry.key) || ShowsNothing(arena_, shape, entry.value);
      Descend(PathElement::Field(entry.key), shape.Entry(entry.key), entry.value, member);
    }
  }

  void WalkList(const FieldShape& list, const Value& value) {
    const std::span<const PathElement> elements = ItemElements(arena_, list, value);
    if (elements.empty()) return;
    const ItemIndex index(arena_, elements);
    const FieldShape item = list.Element();
    for (size_t i = 0; i < elements.size(); ++i) {
      // Items that cannot be told from one another are owned as one, whatever they hold.
      if (index.has_duplicates() && index.Count(elements[i]) > 1) {
        builder_.Add(elements[i], true, {});
      } else {
        Descend(elements[i], item, value.items()[i], true);
      }
    }
  }

  Arena& arena_;
  const bool shows_unset_;
  FieldSetBuilder builder_;
};

}  // namespace

FieldSet FieldsOf(Arena& arena, const FieldShape& shape, const Value& value) {
  Extractor extractor(arena, true);
  extractor.Walk(shape, value);
  return extractor.Close();
}

FieldSet SetFieldsOf(Arena& arena, const FieldShape& shape, const Value& value) {
  Extractor extractor(arena, false);
  extractor.Walk(shape, value);
  return extractor.Close();
}

}  // namespace skiff::object
