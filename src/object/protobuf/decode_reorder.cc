// Messages whose fields are out of order, or given more than once: rewritten so that every field
// stands once (every list and map in one run), in the order of tags.
//
// That is a counting sort. One pass measures what each field needs, a second one puts the bytes in
// place. Pieces of a single message are joined behind one length, since reading two messages one
// after the other is what merging them means; of other single values the last one is kept.

#include <cstring>
#include <string>
#include <vector>

#include "object/protobuf/decoder.h"

namespace skiff::object {
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
    case FieldType::kUnknown:
    case FieldType::kStringList:
      return Repeat::kJoin;
    default:
      return Repeat::kLastStays;
  }
}

class FieldSorter {
 public:
  FieldSorter(std::string_view bytes, const MessageDesc& type)
      : bytes_(bytes), type_(type), slots_(type.proto_fields.size() + 1) {
    for (size_t i = 0; i < type.proto_fields.size(); ++i) {
      slots_[i].repeat = RepeatOf(type, type.proto_fields[i]);
      slots_[i].key = type.proto_fields[i].key;
    }
  }

  // The fields in order; unknown ones come last. On an error bad_key() is the key that was read.
  WireError Sort(std::string* ordered) {
    const WireError error = ForEachField([](Slot& slot, std::string_view piece) {
      slot.used = true;
      slot.size = slot.repeat == Repeat::kLastStays ? piece.size() : slot.size + piece.size();
    });
    if (error != WireError::kNone) return error;
    // Joining can only save keys and lengths, so the room is enough.
    ordered->resize(bytes_.size());
    char* to = ordered->data();
    for (Slot& slot : slots_) {
      if (slot.used && slot.repeat == Repeat::kJoin) {
        auto* header = reinterpret_cast<uint8_t*>(to);
        to = reinterpret_cast<char*>(WriteVarint(WriteVarint(header, slot.key), slot.size));
      }
      slot.at = to;
      to += slot.size;
    }
    ordered->resize(static_cast<size_t>(to - ordered->data()));
    return ForEachField([](Slot& slot, std::string_view piece) {
      if (slot.repeat == Repeat::kLastStays) {
        // Earlier ones of the same size are overwritten, others do not fit.
        if (piece.size() == slot.size) std::memcpy(slot.at, piece.data(), piece.size());
      } else if (!piece.empty()) {
        std::memcpy(slot.at, piece.data(), piece.size());
        slot.at += piece.size();
      }
    });
  }

  uint32_t bad_key() const { return key_; }

 private:
  struct Slot {
    Repeat repeat = Repeat::kAllStay;
    bool used = false;
    uint32_t key = 0;
    size_t size = 0;
    char* at = nullptr;
  };

  // Calls back with each field's slot and its bytes: of joined ones what stands behind the length,
  // of others all of it.
  template <typename Callback>
  WireError ForEachField(Callback callback) {
    for (WireReader in(bytes_); !in.done();) {
      const uint8_t* const begin = in.at;
      if (const WireError error = in.ReadKey(&key_); error != WireError::kNone) return error;
      const ProtoFieldDesc* field = type_.FindProtoField(WireFieldNumber(key_));
      Slot& slot = field == nullptr
                       ? slots_.back()
                       : slots_[static_cast<size_t>(field - type_.proto_fields.data())];
      std::string_view piece;
      if (slot.repeat == Repeat::kJoin) {
        if (key_ != slot.key) return WireError::kBadWireType;
        if (const WireError error = in.ReadBytes(&piece); error != WireError::kNone) return error;
      } else {
        if (const WireError error = in.Skip(key_); error != WireError::kNone) return error;
        piece = {reinterpret_cast<const char*>(begin), static_cast<size_t>(in.at - begin)};
      }
      callback(slot, piece);
    }
    return WireError::kNone;
  }

  std::string_view bytes_;
  const MessageDesc& type_;
  std::vector<Slot> slots_;  // one per field, and the last one for those that are not known
  uint32_t key_ = 0;
};

}  // namespace

bool ProtobufDecoder::ChargeReorder(size_t bytes, const PathNode& path) {
  if (bytes > reorder_budget_) {
    return Fail(path, "too much of the object is not in the order of its fields");
  }
  reorder_budget_ -= bytes;
  return true;
}

bool ProtobufDecoder::ReadReordered(std::string_view bytes, const MessageDesc& type, uint16_t base,
                                    const PathNode& path, int depth) {
  if (!ChargeReorder(bytes.size(), path)) return false;
  FieldSorter sorter(bytes, type);
  std::string ordered;
  const WireError error = sorter.Sort(&ordered);
  if (error == WireError::kBadWireType) return FailWireType(sorter.bad_key(), path);
  return CheckWire(error, path) && ReadFields(ordered, type, base, path, depth);
}

}  // namespace skiff::object
