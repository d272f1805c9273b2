// Messages whose fields are out of order, or given more than once: rewritten so that every field
// stands once (every list and map in one run), in the order of tags.
//
// That is a counting sort. One pass measures what each field needs, a second one puts the bytes in
// place. Pieces of a single message are joined behind one length, since reading two messages one
// after the other is what merging them means; of other single values the last one is kept.

#include <vector>

#include "object/protobuf/decoder.h"

namespace skiff {
namespace {

// What becomes of several values of one field.
enum class Repeat : uint8_t { kAllStay, kJoin, kLastStays };

Repeat RepeatOf(const MessageDesc& type, const ProtoFieldDesc& field) {
  if (field.inlined != nullptr) return Repeat::kJoin;
  const FieldDesc& desc = type.fields[field.first_field];
  if (desc.cardinality != Cardinality::kSingle) return Repeat::kAllStay;
  switch (desc.type) {
    case FieldType::kMessage:
    case FieldType::kDuration:
    case FieldType::kQuantity:
    case FieldType::kIntOrString:
    case FieldType::kRawJson:
    case FieldType::kFieldsV1:
    case FieldType::kStringList:
      return Repeat::kJoin;
    default:
      return Repeat::kLastStays;
  }
}

struct Slot {
  Repeat repeat = Repeat::kAllStay;
  uint32_t key = 0;
  size_t size = 0;  // of the values
  char* at = nullptr;
};

}  // namespace

bool ProtobufDecoder::ReadReordered(std::string_view bytes, const MessageDesc& type, uint16_t base,
                                    const PathNode& path, int depth) {
  if (bytes.size() > reorder_budget_) {
    return Fail(path, "too much of the object is not in the order of its fields");
  }
  reorder_budget_ -= bytes.size();

  // One slot per field, and one at the end for those that are not known.
  const size_t count = type.proto_fields.size();
  std::vector<Slot> slots(count + 1);
  for (size_t i = 0; i < count; ++i) {
    slots[i].repeat = RepeatOf(type, type.proto_fields[i]);
    slots[i].key = type.proto_fields[i].key;
  }

  // Calls back with the slot of each field, its value (of joined ones without the length) and the
  // whole of it with its key.
  const auto for_each = [&](auto&& callback) {
    for (WireReader in(bytes); !in.done();) {
      const WireReader begin = in;
      uint32_t key = 0;
      if (!CheckWire(in.ReadKey(&key), path)) return false;
      const ProtoFieldDesc* field = type.FindProtoField(WireFieldNumber(key));
      Slot& slot = slots[field == nullptr ? count
                                          : static_cast<size_t>(field - type.proto_fields.data())];
      std::string_view value;
      if (slot.repeat == Repeat::kJoin && key != slot.key) return FailWireType(key, path);
      const WireError error = slot.repeat == Repeat::kJoin ? in.ReadBytes(&value) : in.Skip(key);
      if (!CheckWire(error, path)) return false;
      callback(slot, value,
               std::string_view(reinterpret_cast<const char*>(begin.at),
                                static_cast<size_t>(in.at - begin.at)));
    }
    return true;
  };

  const bool measured =
      for_each([](Slot& slot, std::string_view value, std::string_view whole) {
        if (slot.repeat == Repeat::kJoin) {
          slot.size += value.size();
        } else if (slot.repeat == Repeat::kAllStay) {
          slot.size += whole.size();
        } else {
          slot.size = whole.size();
        }
        slot.at = const_cast<char*>(whole.data());  // marks the slot as used
      });
  if (!measured) return false;

  std::string ordered;
  // Joined fields can only lose keys and lengths, so this much is enough.
  ordered.resize(bytes.size());
  char* to = ordered.data();
  for (Slot& slot : slots) {
    if (slot.at == nullptr) continue;
    if (slot.repeat == Repeat::kJoin) {
      auto* header = reinterpret_cast<uint8_t*>(to);
      to = reinterpret_cast<char*>(WriteVarint(WriteVarint(header, slot.key), slot.size));
    }
    slot.at = to;
    to += slot.size;
  }
  for_each([](Slot& slot, std::string_view value, std::string_view whole) {
    const std::string_view piece = slot.repeat == Repeat::kJoin ? value : whole;
    if (piece.empty()) return;
    if (slot.repeat == Repeat::kLastStays) {
      if (piece.size() == slot.size) std::memcpy(slot.at, piece.data(), piece.size());
      return;
    }
    std::memcpy(slot.at, piece.data(), piece.size());
    slot.at += piece.size();
  });
  ordered.resize(static_cast<size_t>(to - ordered.data()));
  return ReadFields(ordered, type, base, path, depth);
}

}  // namespace skiff
