#include "object/protobuf/encode.h"

#include <bit>
#include <span>

#include "object/protobuf/envelope.h"

namespace skiff::object {
namespace {

// Finds members while fields are asked for mostly from the last to the first.
class MemberCursor {
 public:
  explicit MemberCursor(std::span<const Value> members)
      : begin_(members.data()), end_(begin_ + members.size()), at_(end_) {}

  const Value* Find(uint16_t field) {
    while (at_ != begin_ && at_[-1].field() >= field) --at_;
    while (at_ != end_ && at_->field() < field) ++at_;
    return at_ != end_ && at_->field() == field ? at_ : nullptr;
  }

 private:
  const Value* begin_;
  const Value* end_;
  const Value* at_;  // members before it have smaller indexes than the last field asked for
};

template <typename T, typename Callback>
void ForEachFromLast(std::span<const T> elements, Callback callback) {
  for (size_t i = elements.size(); i-- > 0;) callback(elements[i]);
}

class Encoder {
 public:
  explicit Encoder(ReverseBuffer& out) : out_(out) {}

  void PutFields(const MessageDesc& type, MemberCursor& members, uint16_t base) {
    for (size_t i = type.proto_fields.size(); i-- > 0;) {
      const ProtoFieldDesc& field = type.proto_fields[i];
      const auto index = static_cast<uint16_t>(base + field.first_field);
      if (field.inlined != nullptr) {
        const size_t before = out_.size();
        PutFields(*field.inlined, members, index);
        out_.CloseMessage(field.key, before);
        continue;
      }
      const FieldDesc& desc = type.fields[field.first_field];
      const Value* member = members.Find(index);
      if (member != nullptr) {
        PutMember(desc, field.key, *member);
      } else if (desc.cardinality == Cardinality::kSingle && !desc.pointer()) {
        PutZero(desc, field.key);
      }
    }
  }

 private:
  void PutMember(const FieldDesc& desc, uint32_t key, const Value& member) {
    switch (desc.cardinality) {
      case Cardinality::kSingle:
        PutValue(desc, key, member);
        break;
      case Cardinality::kList:
        if (!member.is_list()) break;
        ForEachFromLast(member.items(), [&](const Value& item) { PutValue(desc, key, item); });
        break;
      case Cardinality::kMap:
        if (!member.is_map()) break;
        ForEachFromLast(member.entries(),
                        [&](const MapEntry& entry) { PutEntry(desc, key, entry); });
        break;
    }
  }

  void PutEntry(const FieldDesc& desc, uint32_t key, const MapEntry& entry) {
    const size_t before = out_.size();
    PutValue(desc,
             desc.type == FieldType::kDouble ? kEntryFixed64
             : IsVarint(desc.type)           ? kEntryVarint
                                             : kEntryBytes,
             entry.value);
    out_.PutField(WireKey(1, WireType::kBytes), entry.key);
    out_.CloseMessage(key, before);
  }

  // One value with its key. What is null, be it an item or the value of a map, is written as the
  // zero of its type.
  void PutValue(const FieldDesc& desc, uint32_t key, const Value& value) {
    switch (value.tag()) {
      case Tag::kNull:
        PutZero(desc, key);
        break;
      case Tag::kBool:
        PutBool(desc, key, value.AsBool());
        break;
      case Tag::kInt:
        PutInt(desc, key, value.AsInt());
        break;
      case Tag::kUint:
        out_.PutVarintField(key, value.AsUint());
        break;
      case Tag::kDouble:
        out_.PutFixed64(std::bit_cast<uint64_t>(value.AsDouble()));
        out_.PutVarint(key);
        break;
      case Tag::kString:
        PutText(desc, key, value.AsText());
        break;
      case Tag::kBytes:
        out_.PutField(key, value.AsText());
        break;
      case Tag::kTime:
        PutTime(key, {value.AsTime().seconds, 0});
        break;
      case Tag::kMicroTime: {
        const Timestamp time = value.AsTime();
        PutTime(key, {time.seconds, time.nanos / 1000 * 1000});
        break;
      }
      case Tag::kDuration: {
        const size_t before = out_.size();
        out_.PutVarintField(WireKey(1, WireType::kVarint), static_cast<uint64_t>(value.AsInt()));
        out_.CloseMessage(key, before);
        break;
      }
      case Tag::kRawJson: {
        const size_t before = out_.size();
        if (desc.type == FieldType::kUnknown) {
          PutUnknown(value.AsText());
        } else {
          out_.PutField(WireKey(1, WireType::kBytes), value.AsText());
        }
        out_.CloseMessage(key, before);
        break;
      }
      case Tag::kList:
        PutWrappedList(desc, key, value);
        break;
      case Tag::kMap:
        break;  // not a value of any field
      case Tag::kObject:
        PutObject(desc, key, value);
        break;
    }
  }

  void PutObject(const FieldDesc& desc, uint32_t key, const Value& object) {
    const size_t before = out_.size();
    const MessageForm form = desc.message == nullptr ? MessageForm::kPlain : desc.message->form;
    PutMessage(object);
    if (form != MessageForm::kPlain) {
      const bool with_bool = form == MessageForm::kSchemaOrBool;
      out_.CloseMessage(WireKey(with_bool ? 2 : 1, WireType::kBytes), before);
      if (with_bool) out_.PutVarintField(kAllowsKey, 1);
    }
    out_.CloseMessage(key, before);
  }

  void PutMessage(const Value& object) {
    MemberCursor members(object.members());
    PutFields(*object.type(), members, 0);
  }

  void PutBool(const FieldDesc& desc, uint32_t key, bool value) {
    if (desc.type == FieldType::kBool) {
      out_.PutVarintField(key, value);
      return;
    }
    const size_t before = out_.size();
    out_.PutVarintField(kAllowsKey, value);
    out_.CloseMessage(key, before);
  }

  void PutInt(const FieldDesc& desc, uint32_t key, int64_t value) {
    if (desc.type == FieldType::kIntOrString) {
      PutIntOrString(key, 0, value, "");
    } else {
      out_.PutVarintField(key, static_cast<uint64_t>(value));
    }
  }

  void PutText(const FieldDesc& desc, uint32_t key, std::string_view text) {
    if (desc.type == FieldType::kString) [[likely]] {
      out_.PutField(key, text);
    } else if (desc.type == FieldType::kIntOrString) {
      PutIntOrString(key, 1, 0, text);
    } else {
      const size_t before = out_.size();
      out_.PutField(WireKey(1, WireType::kBytes), text);
      out_.CloseMessage(key, before);
    }
  }

  void PutIntOrString(uint32_t key, uint64_t type, int64_t number, std::string_view text) {
    const size_t before = out_.size();
    out_.PutField(WireKey(3, WireType::kBytes), text);
    out_.PutVarintField(WireKey(2, WireType::kVarint), static_cast<uint64_t>(number));
    out_.PutVarintField(WireKey(1, WireType::kVarint), type);
    out_.CloseMessage(key, before);
  }

  void PutTime(uint32_t key, Timestamp time) {
    const size_t before = out_.size();
    if (time != kZeroTimestamp) {
      out_.PutVarintField(WireKey(2, WireType::kVarint), time.nanos);
      out_.PutVarintField(WireKey(1, WireType::kVarint), static_cast<uint64_t>(time.seconds));
    }
    out_.CloseMessage(key, before);
  }

  // runtime.Unknown inside a message; backwards, like everything here.
  void PutUnknown(std::string_view json) {
    out_.PutField(WireKey(4, WireType::kBytes), kJsonContentType);
    out_.PutField(WireKey(3, WireType::kBytes), std::string_view());
    out_.PutField(WireKey(2, WireType::kBytes), json);
    out_.PutField(WireKey(1, WireType::kBytes), kEmptyTypeMeta);
  }

  // A list that is one value: a wrapped list of strings, or the list of a union.
  void PutWrappedList(const FieldDesc& desc, uint32_t key, const Value& list) {
    const size_t before = out_.size();
    const uint32_t item_key =
        WireKey(desc.type == FieldType::kStringList ? 1 : 2, WireType::kBytes);
    ForEachFromLast(list.items(), [&](const Value& item) {
      if (item.is_object()) {
        const size_t item_before = out_.size();
        PutMessage(item);
        out_.CloseMessage(item_key, item_before);
      } else {
        out_.PutField(item_key, item.is_string() ? item.AsText() : std::string_view());
      }
    });
    out_.CloseMessage(key, before);
  }

  // What an absent field is, of those that are written nevertheless.
  void PutZero(const FieldDesc& desc, uint32_t key) {
    switch (desc.type) {
      case FieldType::kBytes:
        break;  // nil bytes are not written, not even in a map
      case FieldType::kDouble:
        out_.PutFixed64(0);
        out_.PutVarint(key);
        break;
      case FieldType::kDuration:
        out_.PutField(key, {"\x08\x00", 2});
        break;
      case FieldType::kQuantity:
        out_.PutField(key, {"\x0a\x01"
                            "0",
                            3});
        break;
      case FieldType::kIntOrString:
        out_.PutField(key, {"\x08\x00\x10\x00\x1a\x00", 6});
        break;
      case FieldType::kStringList:
        // A nil list is left out where it is a field, and empty where it is the value of a map.
        if (desc.cardinality != Cardinality::kSingle) out_.PutField(key, "");
        break;
      case FieldType::kMessage:
        out_.PutField(key, desc.message->zero_protobuf);
        break;
      default:
        // 0, false, "", the zero time and raw JSON without a value: a zero byte in every case.
        out_.PutByte(0);
        out_.PutVarint(key);
        break;
    }
  }

  static bool IsVarint(FieldType type) {
    return type >= FieldType::kBool && type <= FieldType::kUint64;
  }

  static constexpr uint32_t kAllowsKey = WireKey(1, WireType::kVarint);
  static constexpr uint32_t kEntryBytes = WireKey(2, WireType::kBytes);
  static constexpr uint32_t kEntryVarint = WireKey(2, WireType::kVarint);
  static constexpr uint32_t kEntryFixed64 = WireKey(2, WireType::kFixed64);

  ReverseBuffer& out_;
};

}  // namespace

void EncodeProtobuf(const Value& object, ReverseBuffer& out) {
  MemberCursor members(object.members());
  Encoder(out).PutFields(*object.type(), members, 0);
}

void EncodeProtobuf(const Value& object, std::string* out) {
  ReverseBuffer buffer;
  EncodeProtobuf(object, buffer);
  out->append(buffer.view());
}

}  // namespace skiff::object
