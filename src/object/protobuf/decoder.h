// The decoder behind decode.h: one recursive walk over the bytes, guided by descriptors.
//
// Members of the message being read are collected on one stack of values that all levels share,
// and copied to the arena in their exact number when the message ends. Fields are expected in the
// order of their tags, so finding a descriptor is one comparison. A message whose fields come in
// another order (no generated encoder writes one) is first rewritten in order, see
// decode_reorder.cc; hence the walk itself never meets a field twice.
//
// Methods return false once error_ is set.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "object/path.h"
#include "object/protobuf/decode.h"
#include "object/protobuf/item_wire_type.h"
#include "object/protobuf/wire.h"

namespace skiff::object {

class ProtobufDecoder {
 public:
  ProtobufDecoder(std::string_view message, const ProtobufDecodeOptions& options);

  Result<Document> Run(const MessageDesc* type);

 private:
  // One field as it was met.
  struct Met {
    const FieldDesc& desc;
    uint32_t expected_key;
    uint32_t key;    // differs from the expected one in a packed list
    uint16_t index;  // in the flattened fields of the object being built
    int depth;
  };

  // Whether a message without members becomes an empty object, or stays null to be left out.
  enum class Empty : uint8_t { kKeep, kDrop };

  bool ReadFields(std::string_view bytes, const MessageDesc& type, uint16_t base,
                  const PathNode& path, int depth);
  bool ReadReordered(std::string_view bytes, const MessageDesc& type, uint16_t base,
                     const PathNode& path, int depth);
  // Counts bytes that are copied to put them in order against what one decoding may copy.
  bool ChargeReorder(size_t bytes, const PathNode& path);
  bool ReadSingle(WireReader& in, const Met& met, const PathNode& path);
  bool ReadList(WireReader& in, const Met& met, const PathNode& path);
  bool ReadMap(WireReader& in, const Met& met, const PathNode& path);
  bool ReadMapEntry(std::string_view bytes, const Met& met, const PathNode& path);

  // One value of the field's type, zero or not: an item, the value of a map, or of a pointer.
  bool ReadValue(WireReader& in, const FieldDesc& desc, const PathNode& path, int depth,
                 Value* out);
  bool ReadVarintValue(WireReader& in, FieldType type, const PathNode& path, Value* out);
  bool ReadMessage(std::string_view bytes, const MessageDesc& type, const PathNode& path, int depth,
                   Empty empty, Value* out);
  bool ReadSchemaForm(std::string_view bytes, const MessageDesc& form, const PathNode& path,
                      int depth, Value* out);
  bool ReadTime(std::string_view bytes, bool micro, const PathNode& path, Value* out);
  bool ReadDuration(std::string_view bytes, const PathNode& path, Value* out);
  bool ReadQuantity(std::string_view bytes, const PathNode& path, Value* out);
  bool ReadIntOrString(std::string_view bytes, const PathNode& path, Value* out);
  bool ReadRawJson(FieldType type, std::string_view bytes, const PathNode& path, Value* out);
  bool ReadStringList(std::string_view bytes, const PathNode& path, Value* out);
  bool CopyText(std::string_view text, const PathNode& path, std::string_view* out);
  // The value of a map entry that has none.
  Value ZeroValue(const FieldDesc& desc);
  // A field of a small message that has no descriptor: where its value goes, the last one if there
  // are several. What is absent is left as it was.
  struct WrapperField {
    uint32_t number;
    uint64_t* varint;
    std::string_view* bytes;
  };
  bool ReadWrapper(std::string_view bytes, const PathNode& path,
                   std::initializer_list<WrapperField> fields);

  // A field without a descriptor: passes over it.
  bool SkipUnknown(WireReader& in, uint32_t key, const PathNode& path);
  bool CheckWire(WireError error, const PathNode& path) {
    return error == WireError::kNone || FailWire(error, path);
  }
  bool FailWire(WireError error, const PathNode& path);
  bool FailWireType(uint32_t key, const PathNode& path);
  bool Fail(const PathNode& path, std::string_view message);

  std::string_view message_;
  const ProtobufDecodeOptions& options_;
  Arena arena_;
  std::vector<Value> values_;      // members and items of the levels that are open
  std::vector<MapEntry> entries_;  // the same for maps
  std::string scratch_;
  ByteBuffer compact_;
  size_t reorder_budget_;
  std::optional<Status> error_;
};

}  // namespace skiff::object
