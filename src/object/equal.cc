#include "object/equal.h"

#include <algorithm>

#include "object/scalar/quantity.h"
#include "object/zero.h"

namespace skiff::object {
namespace {

bool IsNumber(const Value& value) {
  return value.tag() == Tag::kInt || value.tag() == Tag::kUint || value.tag() == Tag::kDouble;
}

// Exact: a double equals an integer only if it is that integer.
bool EqualsDouble(const Value& integer, double number) {
  constexpr double kTwo63 = 9223372036854775808.0;
  if (integer.tag() == Tag::kUint) {
    return number >= 0 && number < 2 * kTwo63 &&
           static_cast<double>(static_cast<uint64_t>(number)) == number &&
           static_cast<uint64_t>(number) == integer.AsUint();
  }
  return number >= -kTwo63 && number < kTwo63 &&
         static_cast<double>(static_cast<int64_t>(number)) == number &&
         static_cast<int64_t>(number) == integer.AsInt();
}

bool EqualNumbers(const Value& a, const Value& b) {
  if (a.tag() == b.tag()) {
    if (a.tag() == Tag::kInt) return a.AsInt() == b.AsInt();
    return a.tag() == Tag::kUint ? a.AsUint() == b.AsUint() : a.AsDouble() == b.AsDouble();
  }
  if (a.tag() == Tag::kDouble) return EqualsDouble(b, a.AsDouble());
  if (b.tag() == Tag::kDouble) return EqualsDouble(a, b.AsDouble());
  const Value& plain = a.tag() == Tag::kInt ? a : b;
  const Value& large = a.tag() == Tag::kInt ? b : a;
  return plain.AsInt() >= 0 && static_cast<uint64_t>(plain.AsInt()) == large.AsUint();
}

bool EqualQuantities(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const auto first = Quantity::Parse(a.empty() ? "0" : a);
  const auto second = Quantity::Parse(b.empty() ? "0" : b);
  return first && second && *first == *second;
}

bool IsTime(const Value& value) {
  return value.tag() == Tag::kTime || value.tag() == Tag::kMicroTime;
}

bool EqualScalars(const FieldDesc* field, const Value& a, const Value& b) {
  if (IsNumber(a) && IsNumber(b)) return EqualNumbers(a, b);
  if (IsTime(a) && IsTime(b)) return a.AsTime() == b.AsTime();
  if (a.tag() != b.tag()) return false;
  switch (a.tag()) {
    case Tag::kBool:
      return a.AsBool() == b.AsBool();
    case Tag::kDuration:
      return a.AsInt() == b.AsInt();
    case Tag::kString:
      return field != nullptr && field->type == FieldType::kQuantity
                 ? EqualQuantities(a.AsText(), b.AsText())
                 : a.AsText() == b.AsText();
    case Tag::kBytes:
    case Tag::kRawJson:
      return a.AsText() == b.AsText();
    default:
      return true;  // both null
  }
}

bool MemberEqualsAbsent(const MessageDesc& type, const Value& member) {
  const FieldDesc& field = member.field_desc(type);
  return member.is_null() || (!field.pointer() && EqualsAbsent(field, member));
}

bool EqualObjects(const Value& a, const Value& b) {
  if (a.type() != b.type()) return false;
  const MessageDesc& type = *a.type();
  const auto first = a.members();
  const auto second = b.members();
  size_t i = 0, j = 0;
  while (i < first.size() || j < second.size()) {
    if (j == second.size() || (i < first.size() && first[i].field() < second[j].field())) {
      if (!MemberEqualsAbsent(type, first[i++])) return false;
    } else if (i == first.size() || second[j].field() < first[i].field()) {
      if (!MemberEqualsAbsent(type, second[j++])) return false;
    } else {
      const FieldDesc& field = first[i].field_desc(type);
      const bool null_differs = first[i].is_null() != second[j].is_null();
      if (field.pointer() && null_differs) return false;
      if (!EqualInField(&field, first[i++], second[j++])) return false;
    }
  }
  return true;
}

}  // namespace

bool EqualsAbsent(const FieldDesc& field, const Value& value) {
  switch (value.tag()) {
    case Tag::kNull:
      return true;
    case Tag::kList:
    case Tag::kMap:
      return field.type != FieldType::kAny && value.size() == 0;
    case Tag::kObject:
      return std::ranges::all_of(value.members(), [&](const Value& member) {
        return MemberEqualsAbsent(*value.type(), member);
      });
    case Tag::kString:
      if (field.type == FieldType::kQuantity) return EqualQuantities(value.AsText(), "0");
      return field.type == FieldType::kString && value.AsText().empty();
    case Tag::kBool:
      return field.type == FieldType::kBool && !value.AsBool();
    case Tag::kInt:
    case Tag::kUint:
    case Tag::kDouble:
      return field.type != FieldType::kAny && EqualNumbers(value, Value::Int(0));
    default:
      return IsZeroScalar(value);
  }
}

bool EqualInField(const FieldDesc* field, const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) {
    if (a.is_null() && b.is_null()) return true;
    return field != nullptr && EqualsAbsent(*field, a.is_null() ? b : a);
  }
  if (IsScalar(a) || IsScalar(b)) return EqualScalars(field, a, b);
  if (a.tag() != b.tag() || (!a.is_object() && a.size() != b.size())) return false;
  if (a.is_object()) return EqualObjects(a, b);
  if (a.is_list()) {
    return std::ranges::equal(a.items(), b.items(), [&](const Value& x, const Value& y) {
      return EqualInField(field, x, y);
    });
  }
  return std::ranges::equal(a.entries(), b.entries(), [&](const MapEntry& x, const MapEntry& y) {
    return x.key == y.key && EqualInField(field, x.value, y.value);
  });
}

bool Identical(const Value& a, const Value& b) {
  if (a.tag() != b.tag()) return false;
  switch (a.tag()) {
    case Tag::kNull:
      return true;
    case Tag::kBool:
      return a.AsBool() == b.AsBool();
    case Tag::kInt:
    case Tag::kDuration:
      return a.AsInt() == b.AsInt();
    case Tag::kUint:
      return a.AsUint() == b.AsUint();
    case Tag::kDouble:
      return a.AsDouble() == b.AsDouble();
    case Tag::kString:
    case Tag::kBytes:
    case Tag::kRawJson:
      return a.AsText() == b.AsText();
    case Tag::kTime:
    case Tag::kMicroTime:
      return a.AsTime() == b.AsTime();
    case Tag::kList:
      return std::ranges::equal(a.items(), b.items(), Identical);
    case Tag::kMap:
      return std::ranges::equal(a.entries(), b.entries(), [](const auto& x, const auto& y) {
        return x.key == y.key && Identical(x.value, y.value);
      });
    case Tag::kObject:
      return a.type() == b.type() &&
             std::ranges::equal(a.members(), b.members(), [](const Value& x, const Value& y) {
               return x.field() == y.field() && Identical(x, y);
             });
  }
  return false;
}

bool DeepEqual(const Value& a, const Value& b) {
  return Identical(a, b) || EqualInField(nullptr, a, b);
}

}  // namespace skiff::object
