#include "object/fields/list_items.h"

#include <algorithm>

#include "base/strings.h"
#include "object/equal.h"
#include "object/fields/members.h"

namespace skiff {
namespace {

// Lists have one to four keys; more would still be read, by the arena's grace.
constexpr size_t kUsualKeys = 4;

std::string QuotedNames(std::span<const std::string_view> names) {
  std::string out = "[";
  for (const std::string_view name : names) {
    if (out.size() != 1) out += ' ';
    out += Quoted(name);
  }
  return out + "]";
}

// The value that a key has in an item, or null when the item has neither it nor a default.
Value KeyValue(Arena& arena, const FieldShape& shape, const Value& item, std::string_view name) {
  const MessageDesc* type = shape.message();
  if (type == nullptr) {
    const Value* found = item.Find(name);
    return found != nullptr ? *found : Value();
  }
  const uint16_t index = type->FindField(name);
  if (index == MessageDesc::kNoField) return {};
  const FieldDesc& field = type->fields[index];
  const std::optional<Value> shown = ShownMember(arena, item, *type, index);
  return shown ? *shown : KeyDefault(arena, *type, field);
}

bool KeyElement(Arena& arena, const FieldShape& list, const Value& item, PathElement* out,
                std::string* why) {
  auto fail = [&](std::string message) {
    if (why != nullptr) *why = std::move(message);
    return false;
  };
  if (item.is_null()) return fail("associative list with keys may not have a null element");
  if (!item.is_object() && !item.is_map()) {
    return fail("associative list with keys may not have non-map elements");
  }
  const FieldShape shape = list.Element();
  const std::span<const std::string_view> names = list.keys();
  KeyField* fields = arena.AllocateArray<KeyField>(std::max(names.size(), kUsualKeys));
  size_t size = 0;
  for (const std::string_view name : names) {
    const Value value = KeyValue(arena, shape, item, name);
    if (value.is_null()) continue;
    size_t at = size++;
    for (; at > 0 && name < fields[at - 1].name; --at) fields[at] = fields[at - 1];
    fields[at] = {name, value.WithField(0)};
  }
  if (size == 0) {
    return fail("associative list with keys has an element that omits all key fields " +
                QuotedNames(names) + " (and doesn't have default values for any key fields)");
  }
  *out = PathElement::Key({fields, size});
  return true;
}

}  // namespace

bool ItemElement(Arena& arena, const FieldShape& list, const Value& item, size_t index,
                 PathElement* out, std::string* why) {
  *out = PathElement::Index(static_cast<int64_t>(index));
  if (!list.keys().empty()) return KeyElement(arena, list, item, out, why);
  if (!item.is_null() && IsScalar(item)) {
    Value* value = arena.AllocateArray<Value>(1);
    *value = item;
    *out = PathElement::Item(value);
    return true;
  }
  if (why != nullptr) {
    *why = item.is_null()   ? "associative list without keys has an element that's an explicit null"
           : item.is_list() ? "not supported: associative list with lists as elements"
                            : "associative list without keys has an element that's a map type";
  }
  return false;
}

std::span<const PathElement> ItemElements(Arena& arena, const FieldShape& list,
                                          const Value& value) {
  if (!value.is_list() || value.size() == 0) return {};
  PathElement* elements = arena.AllocateArray<PathElement>(value.size());
  size_t size = 0;
  for (const Value& item : value.items()) {
    ItemElement(arena, list, item, size, &elements[size]);
    ++size;
  }
  return {elements, size};
}

ItemIndex::ItemIndex(Arena& arena, std::span<const PathElement> elements) : elements_(elements) {
  if (elements.empty()) return;
  sorted_ = {arena.AllocateArray<uint32_t>(elements.size()), elements.size()};
  bool ascends = true;
  for (uint32_t i = 0; i < sorted_.size(); ++i) {
    sorted_[i] = i;
    ascends = ascends && (i == 0 || ComparePathElements(elements[i - 1], elements[i]) < 0);
  }
  if (ascends) return;
  std::sort(sorted_.begin(), sorted_.end(), [&](uint32_t a, uint32_t b) {
    const int order = ComparePathElements(elements_[a], elements_[b]);
    return order != 0 ? order < 0 : a < b;
  });
  for (size_t i = 1; i < sorted_.size(); ++i) {
    if (SamePathElement(elements_[sorted_[i - 1]], elements_[sorted_[i]])) has_duplicates_ = true;
  }
}

const uint32_t* ItemIndex::LowerBound(const PathElement& element) const {
  return std::lower_bound(sorted_.data(), sorted_.data() + sorted_.size(), element,
                          [&](uint32_t i, const PathElement& wanted) {
                            return ComparePathElements(elements_[i], wanted) < 0;
                          });
}

uint32_t ItemIndex::Find(const PathElement& element) const {
  const uint32_t* at = LowerBound(element);
  const bool found =
      at != sorted_.data() + sorted_.size() && SamePathElement(elements_[*at], element);
  return found ? *at : kNone;
}

size_t ItemIndex::Count(const PathElement& element) const {
  size_t count = 0;
  for (const uint32_t* at = LowerBound(element);
       at != sorted_.data() + sorted_.size() && SamePathElement(elements_[*at], element); ++at) {
    ++count;
  }
  return count;
}

}  // namespace skiff
