// JSON values of fields that are scalars to the codecs: strings and numbers, but also times,
// quantities, base64 bytes, int-or-strings and raw JSON. The tree decoder and the JSON → protobuf
// transcoder both read them here, so they accept and refuse the same texts.
#pragma once

#include <string>

#include "base/arena.h"
#include "base/buffer.h"
#include "object/descriptor.h"
#include "object/json/cursor.h"
#include "object/value.h"

namespace skiff::object {

class JsonScalarReader {
 public:
  // Texts without escapes stay views into the cursor's text if `borrow`; everything else is
  // copied to `arena`.
  JsonScalarReader(JsonCursor& cursor, Arena& arena, bool borrow)
      : cursor_(cursor), arena_(arena), borrow_(borrow) {}

  // Reads the value at the cursor; JSON null gives a null Value. False on an error, which is in
  // message() if the value is valid JSON of the wrong kind or content, else in the cursor.
  bool Read(FieldType type, Value* out) {
    if (type == FieldType::kString && cursor_.Peek() == JsonKind::kString) [[likely]] {
      std::string_view text;
      if (!ReadText(&text)) return false;
      *out = Value::String(text);
      return true;
    }
    return ReadOther(type, out);
  }

  const std::string& message() const { return message_; }
  size_t error_offset() const { return error_offset_; }

 private:
  bool ReadText(std::string_view* out) {
    return borrow_ ? cursor_.ReadString(arena_, out) : cursor_.ReadStringCopy(arena_, out);
  }
  bool ReadOther(FieldType type, Value* out);
  bool ReadInteger(FieldType type, Value* out);
  bool ReadDouble(Value* out);
  bool ReadBytes(Value* out);
  bool ReadTime(FieldType type, Value* out);
  bool ReadDuration(Value* out);
  bool ReadQuantity(JsonKind kind, Value* out);
  bool ReadIntOrString(JsonKind kind, Value* out);
  bool ReadRawJson(JsonKind kind, Value* out);
  bool ReadStringList(Value* out);
  bool Expected(std::string_view what, JsonKind got);
  bool Mismatch(size_t offset, std::string message);

  JsonCursor& cursor_;
  Arena& arena_;
  bool borrow_;
  std::string message_;
  size_t error_offset_ = 0;
  std::string scratch_;
  ByteBuffer compact_;
};

// What an unset value of a scalar type is, as an item of a list or a value of a map: a JSON null
// there means this.
Value ZeroScalar(FieldType type);

}  // namespace skiff::object
