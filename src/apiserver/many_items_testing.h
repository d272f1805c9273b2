// Objects with many items in one of their lists or maps, for tests of what such objects cost.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "object/json/encode.h"
#include "object/resource.h"
#include "object/value.h"

namespace skiff::apiserver {

// One step from a message to a field of it.
struct FieldStep {
  const object::MessageDesc* message;
  uint16_t index;
  const object::FieldDesc& field() const { return message->fields[index]; }
};
using FieldSteps = std::vector<FieldStep>;

inline std::string PathOf(const FieldSteps& steps) {
  std::string out;
  for (const FieldStep& step : steps) {
    if (!out.empty()) out += '.';
    out += step.field().name();
    if (step.field().cardinality != object::Cardinality::kSingle) out += "[]";
  }
  return out;
}

// A list or map of a kind.
struct RepeatedField {
  FieldSteps steps;
  // Whether it is met for the first time, and not at another place already.
  bool is_new = true;
};

// Collects the lists and maps of kinds. Those of a message that several kinds or places have are
// found once for each field that leads to the message, and those of metadata for each message that
// has a template in it, and once for all kinds.
class RepeatedFields {
 public:
  std::vector<RepeatedField> In(const object::MessageDesc* kind) {
    std::vector<RepeatedField> out;
    FieldSteps steps;
    Visit(kind, steps, out);
    return out;
  }

 private:
  using Field = std::pair<const object::MessageDesc*, uint16_t>;

  void Visit(const object::MessageDesc* message, FieldSteps& steps,
             std::vector<RepeatedField>& out) {
    const bool is_of_kind = steps.size() <= 1;
    const Field from = is_of_kind ? Field() : Field(steps.back().message, steps.back().index);
    for (uint16_t i = 0; i < message->fields.size(); ++i) {
      const object::FieldDesc& field = message->fields[i];
      if (!visited_.emplace(from, Field(message, i)).second) continue;
      const bool is_new = met_.emplace(message, i).second;
      steps.push_back({message, i});
      if (field.cardinality != object::Cardinality::kSingle ||
          field.type == object::FieldType::kStringList) {
        out.push_back({steps, is_new});
      }
      if (field.type == object::FieldType::kMessage &&
          field.message->form == object::MessageForm::kPlain) {
        Visit(field.message, steps, out);
      }
      steps.pop_back();
    }
  }

  std::set<Field> met_;
  std::set<std::pair<Field, Field>> visited_;
};

enum class ItemsAre : uint8_t { kSame, kDistinct, kInvalid };

inline std::string_view TextOf(ItemsAre items) {
  constexpr std::string_view kNames[] = {"same", "distinct", "invalid"};
  return kNames[static_cast<size_t>(items)];
}

// Makes items whose fields are filled as far as their names and types tell how.
class ItemMaker {
 public:
  ItemMaker(Arena& arena, ItemsAre items) : arena_(arena), items_(items) {}

  // `count` of them, or as many as a request has room for.
  object::Value Many(const object::FieldDesc& field, size_t count) {
    const object::Value first = Item(field, count - 1, 0);
    const size_t bytes = object::EncodeJson(first).size() + 12;
    count = std::min(count, limits::kMaxDocumentBytes / bytes);
    if (field.cardinality == object::Cardinality::kMap) {
      std::vector<object::MapEntry> entries;
      for (size_t i = 0; i < count; ++i) {
        entries.push_back({Text("key", i, ItemsAre::kDistinct), Item(field, i, 0)});
        if (items_ == ItemsAre::kInvalid) entries.back().key = Text("key", i, items_, true);
      }
      return object::Value::Map(arena_, entries);
    }
    std::vector<object::Value> items;
    for (size_t i = 0; i < count; ++i) items.push_back(Item(field, i, 0));
    return object::Value::List(arena_, items);
  }

  object::Value Message(const object::MessageDesc& type, size_t i, int depth) {
    constexpr size_t kMaxFilled = 6;
    object::Value out = object::Value::EmptyObject(arena_, &type);
    for (const uint16_t index : Ordered(type)) {
      const object::FieldDesc& field = type.fields[index];
      const bool is_scalar = field.cardinality == object::Cardinality::kSingle &&
                             field.type != object::FieldType::kMessage &&
                             field.type != object::FieldType::kStringList;
      if (is_scalar ? out.size() >= kMaxFilled : !field.required() || depth == 2) continue;
      out.SetMember(arena_, index, Filled(field, i, depth));
    }
    // A message of nothing but messages and lists gets the first of them.
    if (out.size() == 0 && !type.fields.empty() && depth < 2) {
      out.SetMember(arena_, 0, Filled(type.fields[0], i, depth));
    }
    return out;
  }

 private:
  object::Value Filled(const object::FieldDesc& field, size_t i, int depth) {
    const object::Value item = Item(field, i, depth + 1);
    if (field.cardinality == object::Cardinality::kList)
      return object::Value::List(arena_, std::array{item});
    if (field.cardinality != object::Cardinality::kMap) return item;
    return object::Value::Map(arena_, std::array{object::MapEntry{Text("key", i, items_), item}});
  }

  // Keys of lists first, then what must be there.
  static std::vector<uint16_t> Ordered(const object::MessageDesc& type) {
    constexpr std::array<std::string_view, 7> kKeys = {"name", "key",  "type",     "uid",
                                                       "ip",   "port", "mountPath"};
    std::vector<uint16_t> out;
    for (uint16_t i = 0; i < type.fields.size(); ++i) out.push_back(i);
    std::ranges::stable_sort(out, {}, [&](uint16_t i) {
      const object::FieldDesc& field = type.fields[i];
      const bool is_key = std::ranges::find(kKeys, field.name()) != kKeys.end();
      return is_key ? 0 : field.required() ? 1 : 2;
    });
    return out;
  }

  std::string_view Text(std::string_view name, size_t i, ItemsAre items, bool is_key = false) {
    if (items == ItemsAre::kInvalid && !is_key && i % 2 == 0) return "";
    if (items == ItemsAre::kSame) i = 0;
    std::string digits = std::to_string(i);
    digits.insert(0, 5 - std::min<size_t>(5, digits.size()), '0');
    const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
    std::string out = "a" + digits;
    if (items == ItemsAre::kInvalid) {
      out = "~ " + digits;
    } else if (has("cidr") || has("CIDR")) {
      out = "10." + std::to_string(i / 256) + "." + std::to_string(i % 256) + ".0/24";
    } else if (has("ip") || has("IP") || has("ddress")) {
      out = "10.0." + std::to_string(i / 256) + "." + std::to_string(i % 256);
    } else if (has("ath")) {
      out = "/a/" + digits;
    }
    return arena_.Copy(out);
  }

  object::Value Item(const object::FieldDesc& field, size_t i, int depth) {
    if (field.type == object::FieldType::kMessage) return Message(*field.message, i, depth);
    if (items_ == ItemsAre::kSame) i = 0;
    const auto number = static_cast<int64_t>(i);
    const object::FieldTraits& traits = *field.traits;
    const auto known = traits.enum_values.empty() ? traits.known_values : traits.enum_values;
    const std::string_view text = !known.empty() && items_ != ItemsAre::kInvalid
                                      ? known[i % known.size()]
                                      : Text(field.name(), i, items_);
    switch (field.type) {
      case object::FieldType::kBool:
        return object::Value::Bool(true);
      case object::FieldType::kInt32:
      case object::FieldType::kInt64:
      case object::FieldType::kIntOrString:
        return object::Value::Int(items_ == ItemsAre::kInvalid ? -number : number + 1);
      case object::FieldType::kUint32:
      case object::FieldType::kUint64:
        return object::Value::Uint(i + 1);
      case object::FieldType::kDouble:
        return object::Value::Double(static_cast<double>(i));
      case object::FieldType::kBytes:
        return object::Value::Bytes(text);
      case object::FieldType::kTime:
        return object::Value::Time({number + 1, 0});
      case object::FieldType::kMicroTime:
        return object::Value::MicroTime({number + 1, 0});
      case object::FieldType::kDuration:
        return object::Value::Duration(number);
      case object::FieldType::kQuantity:
        return object::Value::String(arena_.Copy(std::to_string(number + 1)));
      case object::FieldType::kRawJson:
      case object::FieldType::kFieldsV1:
      case object::FieldType::kUnknown:
        return object::Value::RawJson("{}");
      case object::FieldType::kAny:
        return object::Value::EmptyMap();
      case object::FieldType::kStringList:
        return object::Value::List(arena_, std::array{object::Value::String(text)});
      default:
        return object::Value::String(text);
    }
  }

  Arena& arena_;
  ItemsAre items_;
};

// Puts the items where the steps lead. Messages on the way are made where there are none, and of
// lists it is the first item.
inline void PutItems(object::Document& object, const FieldSteps& steps, ItemsAre items,
                     size_t count) {
  Arena& arena = object.arena();
  ItemMaker plain(arena, ItemsAre::kDistinct);
  object::Value* at = &object.root();
  for (size_t i = 0; i + 1 < steps.size(); ++i) {
    const object::FieldDesc& field = steps[i].field();
    object::Value* member = at->Member(steps[i].index);
    if (field.cardinality == object::Cardinality::kSingle) {
      if (member == nullptr) {
        member =
            &at->SetMember(arena, steps[i].index, object::Value::EmptyObject(arena, field.message));
      }
      at = member;
    } else if (field.cardinality == object::Cardinality::kList) {
      if (member == nullptr)
        member = &at->SetMember(arena, steps[i].index, object::Value::EmptyList());
      if (member->size() == 0) member->Append(arena, plain.Message(*field.message, 1, 1));
      at = &member->items()[0];
    } else {
      if (member == nullptr)
        member = &at->SetMember(arena, steps[i].index, object::Value::EmptyMap());
      if (member->size() == 0) member->SetEntry(arena, "a", plain.Message(*field.message, 1, 1));
      at = &member->entries()[0].value;
    }
  }
  const object::FieldDesc& last = steps.back().field();
  object::Value value;
  if (last.cardinality == object::Cardinality::kSingle) {
    object::FieldDesc texts = last;
    texts.cardinality = object::Cardinality::kList;
    texts.type = object::FieldType::kString;
    value = ItemMaker(arena, items).Many(texts, count);
  } else {
    value = ItemMaker(arena, items).Many(last, count);
  }
  at->SetMember(arena, steps.back().index, value);
}

}  // namespace skiff::apiserver
