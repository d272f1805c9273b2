// What generated views (build/gen/views/<group>/<version>.h) stand on.
//
//   auto pod = ViewAs<core_v1::Pod>(document);           // nullopt unless it is a v1 Pod
//   for (core_v1::Container c : pod->spec().containers()) Use(c.image());
//
// A view is a pointer to a value of the message's type, or to nothing; copy it freely, but not
// beyond the life of the document. Reading follows Kubernetes: what is absent reads as zero ("",
// 0, false, kZeroTimestamp, "0" for quantities, an empty list, map or message), and fields that are
// pointers in the API read as std::optional, or as a message whose has_x() tells.
//
// Every message X has a twin MutableX to write through. It remembers the way from the document's
// root instead of an address, so writing in one place never invalidates a view of another:
//
//   Document document = apps_v1::Deployment::New();
//   apps_v1::MutableDeployment deployment(document);
//   auto pod_spec = deployment.mutable_spec().mutable_template().mutable_spec();
//   pod_spec.add_containers().set_image("nginx");
//
// Only the items of a list have an address of a kind: erasing one shifts those behind it. The text
// given to setters is copied. The Document itself must stay where it is while it is written to.
// Steps of the way lie in its arena, some 32 bytes for each mutable_x() or add_x() call. Setting a
// field that is no pointer to zero is clearing it.
//
// Names are those of JSON in snake case (podIPs: pod_ips), with an underscore behind a bare C++
// keyword (default_(), but set_default()). Durations are nanoseconds; quantities, bytes and raw
// JSON are text; fields that hold any JSON, or a schema or something else, are values.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <type_traits>

#include "object/value.h"

namespace skiff::object {

// The value of an int-or-string field.
struct IntOrStringValue {
  bool is_string = false;
  int32_t number = 0;
  std::string_view text = {};
  friend bool operator==(const IntOrStringValue&, const IntOrStringValue&) = default;
};

template <typename T>
class ListView;
template <typename T>
class MapView;

class View {
 public:
  constexpr View() = default;
  explicit View(const Value* value)
      : value_(value != nullptr && value->is_object() ? value : nullptr) {}

  // Null when the message is absent.
  const Value* AsValue() const { return value_; }

 protected:
  View(const Document& document, [[maybe_unused]] const MessageDesc* type)
      : value_(&document.root()) {
    assert(document.type() == type);
  }

  const Value* Get(uint16_t field) const {
    return value_ != nullptr ? value_->Member(field) : nullptr;
  }
  bool Has(uint16_t field) const { return Get(field) != nullptr; }
  std::string_view Text(uint16_t field) const {
    const Value* v = Get(field);
    return v != nullptr ? v->AsText() : std::string_view();
  }
  std::string_view Quantity(uint16_t field) const {
    const Value* v = Get(field);
    return v != nullptr ? v->AsText() : std::string_view("0");
  }
  bool Bool(uint16_t field) const {
    const Value* v = Get(field);
    return v != nullptr && v->AsBool();
  }
  int64_t Int(uint16_t field) const {
    const Value* v = Get(field);
    return v != nullptr ? v->AsInt() : 0;
  }
  int32_t Int32(uint16_t field) const { return static_cast<int32_t>(Int(field)); }
  uint64_t Uint(uint16_t field) const {
    const Value* v = Get(field);
    return v != nullptr ? v->AsUint() : 0;
  }
  double Double(uint16_t field) const {
    const Value* v = Get(field);
    return v != nullptr ? v->AsDouble() : 0;
  }
  Timestamp Time(uint16_t field) const {
    const Value* v = Get(field);
    return v != nullptr ? v->AsTime() : kZeroTimestamp;
  }
  IntOrStringValue IntOrString(uint16_t field) const;

  std::optional<std::string_view> OptionalText(uint16_t field) const;
  std::optional<bool> OptionalBool(uint16_t field) const;
  std::optional<int64_t> OptionalInt(uint16_t field) const;
  std::optional<int32_t> OptionalInt32(uint16_t field) const;
  std::optional<uint64_t> OptionalUint(uint16_t field) const;
  std::optional<double> OptionalDouble(uint16_t field) const;
  std::optional<Timestamp> OptionalTime(uint16_t field) const;
  std::optional<IntOrStringValue> OptionalIntOrString(uint16_t field) const;

 private:
  const Value* value_ = nullptr;
};

// The view of a document's root, or nothing when the document is of another type.
template <typename V>
std::optional<V> ViewAs(const Document& document) {
  if (document.type() != V::Type()) return std::nullopt;
  return V(&document.root());
}

// A document of this type with kind and apiVersion set.
Document NewDocument(const MessageDesc* type, std::string_view kind);

// One element of a list or map, as its view or its C++ type.
template <typename T>
T ElementAs(const Value* value) {
  if constexpr (std::is_same_v<T, std::string_view>) {
    return value->AsText();
  } else if constexpr (std::is_same_v<T, bool>) {
    return value->AsBool();
  } else if constexpr (std::is_same_v<T, uint64_t>) {
    return value->AsUint();
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(value->AsInt());
  } else if constexpr (std::is_same_v<T, double>) {
    return value->AsDouble();
  } else if constexpr (std::is_same_v<T, Timestamp>) {
    return value->AsTime();
  } else if constexpr (std::is_same_v<T, const Value*>) {
    return value;
  } else {
    return T(value);
  }
}

template <typename T>
class ListView {
 public:
  class Iterator {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;
    using pointer = void;
    using reference = T;
    Iterator() = default;
    explicit Iterator(const Value* at) : at_(at) {}
    T operator*() const { return ElementAs<T>(at_); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return Iterator(at_++); }
    friend bool operator==(Iterator, Iterator) = default;

   private:
    const Value* at_ = nullptr;
  };

  ListView() = default;
  explicit ListView(const Value* list) {
    if (list == nullptr || !list->is_list()) return;
    data_ = list->items().data();
    size_ = list->size();
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T operator[](size_t i) const {
    assert(i < size_);
    return ElementAs<T>(data_ + i);
  }
  Iterator begin() const { return Iterator(data_); }
  Iterator end() const { return Iterator(data_ + size_); }

 private:
  const Value* data_ = nullptr;
  size_t size_ = 0;
};

template <typename T>
class MapView {
 public:
  struct Entry {
    std::string_view key;
    T value;
  };
  class Iterator {
   public:
    using value_type = Entry;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;
    using pointer = void;
    using reference = Entry;
    Iterator() = default;
    explicit Iterator(const MapEntry* at) : at_(at) {}
    auto operator*() const { return Entry{at_->key, ElementAs<T>(&at_->value)}; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return Iterator(at_++); }
    friend bool operator==(Iterator, Iterator) = default;

   private:
    const MapEntry* at_ = nullptr;
  };

  MapView() = default;
  explicit MapView(const Value* map) : map_(map != nullptr && map->is_map() ? map : nullptr) {}

  size_t size() const { return map_ != nullptr ? map_->size() : 0; }
  bool empty() const { return size() == 0; }
  bool Contains(std::string_view key) const { return FindValue(key) != nullptr; }
  // T() when the key is absent.
  T Get(std::string_view key) const {
    const Value* found = FindValue(key);
    return found != nullptr ? ElementAs<T>(found) : T();
  }
  std::optional<T> Find(std::string_view key) const {
    const Value* found = FindValue(key);
    return found != nullptr ? std::optional<T>(ElementAs<T>(found)) : std::nullopt;
  }
  Iterator begin() const { return Iterator(map_ != nullptr ? map_->entries().data() : nullptr); }
  Iterator end() const {
    return Iterator(map_ != nullptr ? map_->entries().data() + map_->size() : nullptr);
  }

 private:
  const Value* FindValue(std::string_view key) const {
    return map_ != nullptr ? map_->Find(key) : nullptr;
  }

  const Value* map_ = nullptr;
};

// The way from a document's root to a message in it. A step lies in the document's arena.
struct MutablePlace {
  struct Step;
  Arena* arena;
  const Step* step;

  Value& Resolve() const;
};

class MutableView {
 public:
  explicit MutableView(MutablePlace place) : place_(place) {}

  // Made if it or a message on the way to it is missing.
  Value& AsValue() const { return place_.Resolve(); }
  Arena& arena() const { return *place_.arena; }

 protected:
  MutableView(Document& document, const MessageDesc* type);

  // Each of these writes the value in the form that the field's descriptor asks for.
  void SetText(uint16_t field, std::string_view text);
  void SetBool(uint16_t field, bool value);
  void SetInt(uint16_t field, int64_t value);
  void SetUint(uint16_t field, uint64_t value);
  void SetDouble(uint16_t field, double value);
  void SetTime(uint16_t field, Timestamp value);
  void SetCopy(uint16_t field, const Value& value);
  void SetMessage(uint16_t field, const View& message);  // absent: clears
  MutablePlace Message(uint16_t field);                  // created if absent
  void Clear(uint16_t field);

  void AddText(uint16_t field, std::string_view text);
  void AddInt(uint16_t field, int64_t value);
  void AddCopy(uint16_t field, const Value& value);
  MutablePlace AddMessage(uint16_t field);
  MutablePlace Item(uint16_t field, size_t index);
  void EraseItem(uint16_t field, size_t index);

  void PutText(uint16_t field, std::string_view key, std::string_view text);
  void PutBool(uint16_t field, std::string_view key, bool value);
  void PutInt(uint16_t field, std::string_view key, int64_t value);
  void PutCopy(uint16_t field, std::string_view key, const Value& value);
  void PutListItem(uint16_t field, std::string_view key, std::string_view text);
  MutablePlace Entry(uint16_t field, std::string_view key);  // created if absent
  void EraseEntry(uint16_t field, std::string_view key);

 private:
  void SetScalar(uint16_t field, bool is_zero, Value value);

  MutablePlace place_;
};

}  // namespace skiff::object
