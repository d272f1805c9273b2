#include "object/fields/path_element.h"

#include <algorithm>

#include "base/buffer.h"
#include "base/strings.h"
#include "object/json/encode.h"

namespace skiff::object {
namespace {

// Where values of this kind stand in the order.
int RankOf(Tag tag) {
  switch (tag) {
    case Tag::kInt:
    case Tag::kUint:
    case Tag::kDouble:
    case Tag::kDuration:
      return 0;
    case Tag::kString:
    case Tag::kBytes:
    case Tag::kRawJson:
      return 1;
    case Tag::kBool:
      return 2;
    case Tag::kList:
      return 3;
    case Tag::kMap:
    case Tag::kObject:
      return 4;
    default:
      return 5;
  }
}

double NumberOf(const Value& value) {
  if (value.tag() == Tag::kDouble) return value.AsDouble();
  if (value.tag() == Tag::kUint) return static_cast<double>(value.AsUint());
  return static_cast<double>(value.AsInt());
}

template <typename T>
int Order(const T& a, const T& b) {
  return a < b ? -1 : int{b < a};
}

int CompareText(std::string_view a, std::string_view b) {
  if (a.data() == b.data() && a.size() == b.size()) return 0;
  // Most names differ in their first letter already.
  if (!a.empty() && !b.empty() && a[0] != b[0]) {
    return Order(static_cast<unsigned char>(a[0]), static_cast<unsigned char>(b[0]));
  }
  return a.compare(b);
}

int CompareMaps(const Value& a, const Value& b) {
  const std::span<const MapEntry> left = a.entries();
  const std::span<const MapEntry> right = b.entries();
  for (size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    if (const int order = CompareText(left[i].key, right[i].key); order != 0) return order;
    if (const int order = CompareUntyped(left[i].value, right[i].value); order != 0) return order;
  }
  return Order(left.size(), right.size());
}

int CompareKeys(std::span<const KeyField> a, std::span<const KeyField> b) {
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (const int order = CompareText(a[i].name, b[i].name); order != 0) return order;
    if (const int order = CompareUntyped(a[i].value, b[i].value); order != 0) return order;
  }
  return Order(a.size(), b.size());
}

void AppendValue(const Value& value, std::string& out) {
  if (value.is_string()) {
    out += Quoted(value.AsText());
  } else {
    out += EncodeJson(value);
  }
}

}  // namespace

int CompareUntyped(const Value& a, const Value& b) {
  if (a.is_string() && b.is_string()) return CompareText(a.AsText(), b.AsText());
  const int rank = RankOf(a.tag());
  if (const int other = RankOf(b.tag()); rank != other) return Order(rank, other);
  switch (rank) {
    case 0:
      if (a.tag() == Tag::kInt && b.tag() == Tag::kInt) return Order(a.AsInt(), b.AsInt());
      return Order(NumberOf(a), NumberOf(b));
    case 1:
      return CompareText(a.AsText(), b.AsText());
    case 2:
      return Order(a.AsBool(), b.AsBool());
    case 3: {
      const std::span<const Value> left = a.items();
      const std::span<const Value> right = b.items();
      for (size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
        if (const int order = CompareUntyped(left[i], right[i]); order != 0) return order;
      }
      return Order(left.size(), right.size());
    }
    case 4:
      return a.is_map() && b.is_map() ? CompareMaps(a, b) : Order(a.is_map(), b.is_map());
    default:
      return 0;
  }
}

int ComparePathElements(const PathElement& a, const PathElement& b) {
  if (a.kind() != b.kind()) return Order(a.kind(), b.kind());
  switch (a.kind()) {
    case PathElement::Kind::kField:
      return CompareText(a.name(), b.name());
    case PathElement::Kind::kKey:
      return CompareKeys(a.key(), b.key());
    case PathElement::Kind::kValue:
      return CompareUntyped(a.value(), b.value());
    case PathElement::Kind::kIndex:
      return Order(a.index(), b.index());
  }
  return 0;
}

void PathElement::AppendTo(std::string& out) const {
  switch (kind_) {
    case Kind::kField:
      out += '.';
      out += name();
      return;
    case Kind::kKey: {
      out += '[';
      bool first = true;
      for (const KeyField& field : key()) {
        if (!first) out += ',';
        first = false;
        out += field.name;
        out += '=';
        AppendValue(field.value, out);
      }
      out += ']';
      return;
    }
    case Kind::kValue:
      out += "[=";
      AppendValue(value(), out);
      out += ']';
      return;
    case Kind::kIndex:
      out += '[' + std::to_string(index()) + ']';
      return;
  }
}

}  // namespace skiff::object
