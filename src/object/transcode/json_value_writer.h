// The lower half of ProtobufToJson: the JSON of single values, from their protobuf bytes.
//
// A place is where the next byte of JSON goes. Writers are given one and return the place behind
// what they wrote, so that it stays in a register from call to call, where a buffer's size would
// be loaded and stored for every piece. Null instead of a place means that the bytes are not what
// Kubernetes writes; what they are is for the tree to find out.
//
// Room() provides kRoom bytes at a place. That is enough for a key and a short value, and so room
// is looked for once per value. Whatever may be longer, looks itself.
//
// Every value is written with a comma behind it. Close() puts the bracket in the place of the last.
#pragma once

#include <charconv>
#include <cstring>
#include <string>
#include <string_view>

#include "base/buffer.h"
#include "object/descriptor.h"
#include "object/json/simd.h"
#include "object/protobuf/shared_fields.h"
#include "object/protobuf/wire.h"

namespace skiff::object {

class JsonValueWriter {
 public:
  // `input` holds the texts to be written: vectors are read beyond a text, but never beyond that.
  JsonValueWriter(std::string_view input, ByteBuffer& out, Pieces pieces = {})
      : out_(out),
        pieces_(pieces),
        last_vector_(input.size() < kSimdWidth ? nullptr
                                               : input.data() + input.size() - kSimdWidth) {}

  char* Begin() { return Resume(0); }
  void End(const char* to) { out_.CommitTo(to); }

  char* Room(char* to) {
    if (to > limit_) [[unlikely]]
      return MoreRoom(to, 0);
    return to;
  }

  // `"name":`
  static char* Key(char* to, const FieldDesc& field) {
    const size_t size = field.name_size + size_t{3};
    const char* const key = field.key + 1;  // the comma stands already
    static_assert(kKeyPadding == 64);
    std::memcpy(to, key, 32);
    if (size > 32) [[unlikely]]
      std::memcpy(to + 32, key + 32, 32);
    return to + size;
  }

  char* Close(char* to, char bracket) {
    to = Room(to);
    if (to[-1] == ',') --to;
    to[0] = bracket;
    to[1] = ',';
    return to + 2;
  }

  // Text that is JSON already.
  char* Json(char* to, std::string_view json) {
    to = RoomFor(to, json.size());
    std::memcpy(to, json.data(), json.size());
    to[json.size()] = ',';
    return to + json.size() + 1;
  }

  // A string that is part of the input.
  [[gnu::always_inline]] char* String(char* to, std::string_view text) {
    const char* from = text.data();
    size_t left = text.size();
    if (from + left > last_vector_) [[unlikely]]
      return AnyString(to, text);
    if (left > kShort) to = RoomFor(to, left);
    char* const start = to;
    *to++ = '"';
    for (; left > kSimdWidth; left -= kSimdWidth, from += kSimdWidth, to += kSimdWidth) {
      if (CopyAndMaskEscapes(to, from) != 0) [[unlikely]]
        return AnyString(start, text);
    }
    const uint32_t escapes = CopyAndMaskEscapes(to, from) << (kSimdWidth - left);
    if (static_cast<uint16_t>(escapes) != 0) [[unlikely]]
      return AnyString(start, text);
    std::memcpy(to + left, "\",", 2);
    return to + left + 2;
  }
  // Any string.
  char* AnyString(char* to, std::string_view text);

  static char* Bool(char* to, bool value) {
    std::memcpy(to, value ? "true,  " : "false, ", 8);
    return to + (value ? 5 : 6);
  }
  // A bool, int32 or int64.
  static char* Varint(char* to, FieldType type, uint64_t value) {
    if (type == FieldType::kBool) return Bool(to, value != 0);
    if (value < 10) {
      *to++ = static_cast<char>('0' + value);
    } else {
      const auto integer = static_cast<int64_t>(value);
      to = std::to_chars(to, to + 20,
                         type == FieldType::kInt32 ? static_cast<int32_t>(integer) : integer)
               .ptr;
    }
    *to = ',';
    return to + 1;
  }
  char* Double(char* to, double value);

  // A value of a type that takes the length-delimited form, kString and kMessage excepted. `zero`
  // tells whether it is the zero of its type.
  char* Value(char* to, FieldType type, std::string_view body, bool* zero);

  // For what may be taken back: buffers move as they grow, offsets stay.
  size_t OffsetOf(const char* to) const { return static_cast<size_t>(to - out_.data()); }
  char* AtOffset(size_t offset) { return out_.data() + offset; }

 private:
  static constexpr size_t kRoom = 256;
  static constexpr size_t kShort = 64;  // what a string may have without looking for room

  // The numbers and texts of one of the small messages that stand for a value, by field number.
  struct SmallMessage {
    uint64_t varints[4] = {};
    std::string_view texts[4];
  };
  static bool ReadSmall(WireReader in, SmallMessage* small);

  char* Bytes(char* to, std::string_view bytes, bool* zero);
  char* Time(char* to, FieldType type, std::string_view body, bool* zero);
  char* Quantity(char* to, WireReader in, bool* zero);
  char* Duration(char* to, WireReader in, bool* zero);
  char* IntOrString(char* to, WireReader in, bool* zero);
  char* RawJson(char* to, size_t number, WireReader in, bool* zero, Pieces pieces = {});
  char* StringList(char* to, WireReader in, bool* zero);

  // Room for `size` bytes and kRoom more.
  char* RoomFor(char* to, size_t size) {
    if (limit_ - to < static_cast<ptrdiff_t>(size)) [[unlikely]]
      return MoreRoom(to, size);
    return to;
  }
  char* MoreRoom(char* to, size_t size);
  // The place behind what `out_` holds, for going on after others have appended to it.
  char* Resume(size_t size);

  ByteBuffer& out_;
  const Pieces pieces_;      // that field sets may stand for
  const char* last_vector_;  // where vectors may be read up to
  char* limit_ = nullptr;    // kRoom before the end of the buffer
  std::string scratch_;
};

}  // namespace skiff::object
