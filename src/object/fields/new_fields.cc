#include "object/fields/new_fields.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "object/fields/fields_v1.h"
#include "object/fields/list_items.h"
#include "object/fields/members.h"
#include "object/fields/shape.h"

namespace skiff::object {
namespace {

class NewFieldsWriter {
 public:
  NewFieldsWriter(Arena& arena, ByteBuffer& out) : arena_(arena), out_(out) {
    // As much as a pod needs.
    shown_.reserve(64);
    out_.Reserve(8 * 1024);
  }

  bool Run(const Value& object, const FieldExceptions& exceptions) {
    out_.Append('{');
    Gather(object, true);
    PutShown(0, true, exceptions);
    out_.Append('}');
    return !unusual_;
  }

 private:
  // A field that JSON shows.
  struct Shown {
    const FieldDesc* field;
    Value value;
    uint64_t first_letters;  // of its name, to sort by
  };

  // The first eight letters of a name as a number of the same order. What follows a shorter name
  // in the pool, a quote, sorts before every letter.
  static uint64_t FirstLetters(const FieldDesc& field) {
    uint64_t letters = 0;
    std::memcpy(&letters, field.key + 2, 8);
    return __builtin_bswap64(letters);
  }

  // The step into a field of a struct, whose name needs no escape.
  void PutStep(const FieldDesc& field) {
    static_assert(kKeyPadding >= 32);
    char* to = out_.Reserve(8 + size_t{field.name_size} + 32);
    std::memcpy(to, "\"f:", 3);
    to += 3;
    if (field.name_size <= 32) {
      std::memcpy(to, field.key + 2, 32);
    } else {
      std::memcpy(to, field.key + 2, field.name_size);
    }
    to += field.name_size;
    std::memcpy(to, "\":", 2);
    out_.CommitTo(to + 2);
  }

  // A step, unless neither it nor anything below it is owned. `field` is null but for fields of
  // structs; `before` is null, or what the field shows when it is not set.
  void Put(const PathElement& element, const FieldDesc* field, const FieldShape& shape,
           const Value* before, const Value& after, const FieldExceptions& exceptions) {
    FieldExceptions below;
    bool owned = true;
    if (!exceptions.reset.empty()) {
      const FieldNode* found = exceptions.reset.Find(element);
      if (found != nullptr && found->member) return;
      if (found != nullptr) below.reset = found->children;
    }
    if (!exceptions.unowned.empty()) {
      const FieldNode* found = exceptions.unowned.Find(element);
      owned = found == nullptr || !found->member;
      if (found != nullptr) below.unowned = found->children;
    }
    const size_t start = out_.size();
    if (out_.data()[start - 1] != '{') out_.Append(',');
    if (field != nullptr) {
      PutStep(*field);
    } else {
      AppendFieldStep(out_, element, scratch_);
    }
    const size_t mark = shown_.size();
    const bool by_fields = shape.kind() == FieldShape::Kind::kStruct && !shape.atomic();
    const bool beside_empty = by_fields && before != nullptr && before->is_object();
    if (by_fields && after.is_object()) Gather(after, beside_empty);
    if (shown_.size() == mark && !beside_empty && IsLeaf(shape, after)) {
      owned = owned && (before == nullptr || !SameInJson(arena_, shape, *before, after));
      out_.Append("{}");
      if (!owned) out_.Truncate(start);
      return;
    }
    owned = owned && before == nullptr;
    out_.Append('{');
    const size_t content = out_.size();
    if (owned) out_.Append("\".\":{}");
    const size_t steps = out_.size();
    PutContent(shape, after, mark, beside_empty, below);
    const bool nothing_below = out_.size() == steps;
    if (nothing_below) out_.Truncate(owned ? content : start);
    if (owned || !nothing_below) out_.Append('}');
  }

  // Of what has no fields that are shown.
  static bool IsLeaf(const FieldShape& shape, const Value& after) {
    if (shape.atomic()) return true;
    switch (shape.kind()) {
      case FieldShape::Kind::kStruct:
        return after.is_object() || after.is_null();
      case FieldShape::Kind::kMap:
      case FieldShape::Kind::kList:
        return after.size() == 0;
      case FieldShape::Kind::kDeduced:
      case FieldShape::Kind::kOpen:
        return false;
      case FieldShape::Kind::kScalar:
      case FieldShape::Kind::kUnknown:
        break;
    }
    return true;
  }

  void PutContent(const FieldShape& shape, const Value& after, size_t mark, bool beside_empty,
                  const FieldExceptions& exceptions) {
    if (shape.kind() == FieldShape::Kind::kStruct && after.is_object()) {
      PutShown(mark, beside_empty, exceptions);
    } else if (shape.kind() == FieldShape::Kind::kMap && after.is_map()) {
      const FieldShape element = shape.Element();
      for (const MapEntry& entry : after.entries()) {
        Put(PathElement::Field(entry.key), nullptr, element, nullptr, entry.value, exceptions);
      }
    } else if (shape.kind() == FieldShape::Kind::kList && after.is_list()) {
      PutList(shape, after, exceptions);
    } else {
      unusual_ = true;
    }
  }

  // Puts the fields of an object that count behind the others that wait. Where an empty object
  // would be shown anyway only what it sets counts, else all that is shown.
  void Gather(const Value& object, bool beside_empty) {
    const MessageDesc& type = *object.type();
    const auto mark = static_cast<ptrdiff_t>(shown_.size());
    if (beside_empty) {
      for (const Value& member : object.members()) {
        const FieldDesc& field = member.field_desc(type);
        const std::optional<Value> value = ShownMember(arena_, field, &member);
        if (value) shown_.push_back({&field, *value, FirstLetters(field)});
      }
    } else {
      ForEachShown(arena_, type, object, [&](uint16_t index, const Value& value) {
        shown_.push_back({&type.fields[index], value, FirstLetters(type.fields[index])});
      });
    }
    std::sort(shown_.begin() + mark, shown_.end(), [](const Shown& a, const Shown& b) {
      if (a.first_letters != b.first_letters) return a.first_letters < b.first_letters;
      return a.field->name() < b.field->name();
    });
  }

  void PutShown(size_t mark, bool beside_empty, const FieldExceptions& exceptions) {
    const size_t end = shown_.size();
    for (size_t i = mark; i < end; ++i) {
      const Shown each = shown_[i];
      std::optional<Value> before;
      if (beside_empty && each.field->shown_unset()) {
        before = ShownMember(arena_, *each.field, nullptr);
      }
      Put(PathElement::Field(each.field->name()), each.field, FieldShape::OfField(*each.field),
          before ? &*before : nullptr, each.value, exceptions);
    }
    shown_.resize(mark);
  }

  void PutList(const FieldShape& list, const Value& value, const FieldExceptions& exceptions) {
    const std::span<const PathElement> elements = ItemElements(arena_, list, value);
    const ItemIndex index(arena_, elements);
    unusual_ = unusual_ || index.has_duplicates();
    const FieldShape item = list.Element();
    for (const uint32_t place : index.sorted()) {
      unusual_ = unusual_ || elements[place].kind() == PathElement::Kind::kIndex;
      Put(elements[place], nullptr, item, nullptr, value.items()[place], exceptions);
    }
  }

  Arena& arena_;
  ByteBuffer& out_;
  ByteBuffer scratch_;
  std::vector<Shown> shown_;  // of the objects on the way, each level behind the one above
  bool unusual_ = false;
};

}  // namespace

bool AppendFieldsOfNew(Arena& arena, ByteBuffer& out, const Value& object,
                       const FieldExceptions& exceptions) {
  return NewFieldsWriter(arena, out).Run(object, exceptions);
}

}  // namespace skiff::object
