#include "object/fields/list_items.h"

#include <algorithm>

#include "base/strings.h"
#include "object/equal.h"
#include "object/fields/members.h"

namespace skiff::object {
namespace {

// Lists have one to four keys; more are looked up item by item.
constexpr size_t kUsualKeys = 4;

std::string QuotedNames(std::span<const std::string_view> names) {
  std::string out = "[";
  for (const std::string_view name : names) {
    if (out.size() != 1) out += ' ';
    out += Quoted(name);
  }
  return out + "]";
}

// The keys of a list's items, found in their type once for all of them.
class KeyNames {
 public:
  explicit KeyNames(const FieldShape& list)
      : names_(list.keys()), list_(list), item_(list.Element()) {
    const MessageDesc* type = item_.message();
    for (size_t i = 0; i < std::min(names_.size(), kUsualKeys); ++i) {
      fields_[i] = type != nullptr ? type->FindField(names_[i]) : MessageDesc::kNoField;
    }
  }

  std::span<const std::string_view> names() const { return names_; }
  const FieldShape& list() const { return list_; }
  const MessageDesc* item_type() const { return item_.message(); }
  uint16_t field(size_t i) const {
    return i < kUsualKeys ? fields_[i] : item_type()->FindField(names_[i]);
  }

 private:
  std::span<const std::string_view> names_;
  FieldShape list_;
  FieldShape item_;
  uint16_t fields_[kUsualKeys] = {};
};

// The value that a key has in an item, or null when the item has neither it nor a default.
Value KeyValue(Arena& arena, const KeyNames& keys, size_t i, const Value& item) {
  const MessageDesc* type = keys.item_type();
  if (type == nullptr) {
    const Value* found = item.Find(keys.names()[i]);
    if (found == nullptr) found = keys.list().OpenKeyDefault(keys.names()[i]);
    return found != nullptr ? *found : Value();
  }
  const uint16_t index = keys.field(i);
  if (index == MessageDesc::kNoField) return {};
  const std::optional<Value> shown = ShownMember(arena, item, *type, index);
  return shown ? *shown : KeyDefault(arena, *type, type->fields[index]);
}

bool KeyElement(Arena& arena, const KeyNames& keys, const Value& item, PathElement* out,
                std::string* why) {
  auto fail = [&](std::string_view message) {
    if (why != nullptr) *why = message;
    return false;
  };
  if (item.is_null()) return fail("associative list with keys may not have a null element");
  if (!item.is_object() && !item.is_map()) {
    return fail("associative list with keys may not have non-map elements");
  }
  const std::span<const std::string_view> names = keys.names();
  KeyField* fields = arena.AllocateArray<KeyField>(names.size());
  size_t size = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    const Value value = KeyValue(arena, keys, i, item);
    if (value.is_null()) continue;
    size_t at = size++;
    for (; at > 0 && names[i] < fields[at - 1].name; --at) fields[at] = fields[at - 1];
    fields[at] = {names[i], value.WithField(0)};
  }
  if (size == 0) {
    return fail("associative list with keys has an element that omits all key fields " +
                QuotedNames(names) + " (and doesn't have default values for any key fields)");
  }
  *out = PathElement::Key({fields, size});
  return true;
}

// The step to an item of a list that has no keys.
bool ValueElement(Arena& arena, const Value& item, PathElement* out, std::string* why) {
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

}  // namespace

bool ItemElement(Arena& arena, const FieldShape& list, const Value& item, size_t index,
                 PathElement* out, std::string* why) {
  *out = PathElement::Index(static_cast<int64_t>(index));
  if (list.keys().empty()) return ValueElement(arena, item, out, why);
  return KeyElement(arena, KeyNames(list), item, out, why);
}

std::span<const PathElement> ItemElements(Arena& arena, const FieldShape& list,
                                          const Value& value) {
  if (!value.is_list() || value.size() == 0) return {};
  PathElement* elements = arena.AllocateArray<PathElement>(value.size());
  const KeyNames keys(list);
  size_t size = 0;
  for (const Value& item : value.items()) {
    PathElement& element = elements[size];
    element = PathElement::Index(static_cast<int64_t>(size++));
    if (keys.names().empty()) {
      ValueElement(arena, item, &element, nullptr);
    } else {
      KeyElement(arena, keys, item, &element, nullptr);
    }
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

}  // namespace skiff::object
