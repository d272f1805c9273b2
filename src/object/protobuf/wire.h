// The protobuf wire format by itself: varints, keys, lengths, and skipping what is not known.
//
// A WireReader is a pair of pointers that codecs pass around by value. Every read checks the end;
// varints of one and two bytes, which is nearly all of them, take an inlined path. A failed read
// leaves the reader where it was or further on: give it up and report the error.
//
// Varints are read as Kubernetes reads them: at most ten bytes, the bits beyond 64 dropped. Groups
// occur in unknown fields only, and their numbers are not matched.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/limits.h"

namespace skiff::object {

enum class WireType : uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,  // strings, bytes, messages, packed lists
  kStartGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5,
};

enum class WireError : uint8_t {
  kNone,
  kTruncated,
  kOverlongVarint,
  kLengthBeyondEnd,
  kBadFieldNumber,
  kBadWireType,
  kStrayEndGroup,
  kTooDeep,
};

// For people: "the input ends in the middle of a value".
std::string_view WireErrorText(WireError error);

inline constexpr size_t kMaxVarintBytes = 10;

constexpr uint32_t WireKey(uint32_t field_number, WireType type) {
  return field_number << 3 | static_cast<uint32_t>(type);
}
constexpr uint32_t WireFieldNumber(uint32_t key) { return key >> 3; }
constexpr WireType WireTypeOf(uint32_t key) { return static_cast<WireType>(key & 7); }

constexpr size_t VarintSize(uint64_t value) {
  return (static_cast<size_t>(std::bit_width(value | 1)) + 6) / 7;
}

// Writes at most kMaxVarintBytes and returns the place behind them.
inline uint8_t* WriteVarint(uint8_t* to, uint64_t value) {
  while (value >= 0x80) [[unlikely]] {
      *to++ = static_cast<uint8_t>(value | 0x80);
      value >>= 7;
    }
  *to++ = static_cast<uint8_t>(value);
  return to;
}

struct WireReader {
  const uint8_t* at = nullptr;
  const uint8_t* end = nullptr;

  WireReader() = default;
  WireReader(const uint8_t* from, const uint8_t* to) : at(from), end(to) {}
  explicit WireReader(std::string_view bytes)
      : at(reinterpret_cast<const uint8_t*>(bytes.data())), end(at + bytes.size()) {}

  bool done() const { return at == end; }
  size_t left() const { return static_cast<size_t>(end - at); }
  std::string_view rest() const { return {reinterpret_cast<const char*>(at), left()}; }

  [[nodiscard]] WireError ReadVarint(uint64_t* value) {
    if (at != end) [[likely]] {
      const uint32_t first = at[0];
      if (first < 0x80) [[likely]] {
        *value = first;
        ++at;
        return WireError::kNone;
      }
      if (const uint32_t second = left() >= 2 ? at[1] : 0x80; second < 0x80) {
        *value = (first & 0x7f) | second << 7;
        at += 2;
        return WireError::kNone;
      }
    }
    const LongVarint read = ReadLongVarint(at, end);
    if (read.next == nullptr) [[unlikely]]
      return static_cast<WireError>(read.value);
    *value = read.value;
    at = read.next;
    return WireError::kNone;
  }

  // A key whose field number is legal. The wire type may still be one that does not exist.
  [[nodiscard]] WireError ReadKey(uint32_t* key) {
    uint64_t value = 0;
    if (const WireError error = ReadVarint(&value); error != WireError::kNone) return error;
    if (value < 8 || value > UINT32_MAX) [[unlikely]]
      return WireError::kBadFieldNumber;
    *key = static_cast<uint32_t>(value);
    return WireError::kNone;
  }

  // A length and that many bytes.
  [[nodiscard]] WireError ReadBytes(std::string_view* bytes) {
    uint64_t size = 0;
    if (const WireError error = ReadVarint(&size); error != WireError::kNone) return error;
    if (size > left()) [[unlikely]]
      return WireError::kLengthBeyondEnd;
    *bytes = {reinterpret_cast<const char*>(at), static_cast<size_t>(size)};
    at += size;
    return WireError::kNone;
  }

  [[nodiscard]] WireError ReadFixed64(uint64_t* value) {
    if (left() < 8) [[unlikely]]
      return WireError::kTruncated;
    uint64_t little = 0;
    for (int i = 7; i >= 0; --i) little = little << 8 | at[i];
    *value = little;
    at += 8;
    return WireError::kNone;
  }

  // Passes over the value of the field whose key was just read.
  [[nodiscard]] WireError Skip(uint32_t key);

 private:
  // What follows a varint and the number; or null and the WireError. Both travel in registers: a
  // reader whose address is handed out would live in memory.
  struct LongVarint {
    const uint8_t* next;
    uint64_t value;
  };
  [[gnu::noinline]] static LongVarint ReadLongVarint(const uint8_t* at, const uint8_t* end) {
    const auto failure = [](WireError error) {
      return LongVarint{nullptr, static_cast<uint64_t>(error)};
    };
    uint64_t result = 0;
    for (unsigned i = 0; i < kMaxVarintBytes; ++i) {
      if (at == end) return failure(WireError::kTruncated);
      const uint64_t byte = *at++;
      result |= (byte & 0x7f) << (7 * i);
      if (byte < 0x80) return {at, result};
    }
    return failure(WireError::kOverlongVarint);
  }
  [[nodiscard]] WireError Advance(size_t size) {
    if (left() < size) return WireError::kTruncated;
    at += size;
    return WireError::kNone;
  }
};

inline WireError WireReader::Skip(uint32_t key) {
  int open_groups = 0;
  while (true) {
    WireError error = WireError::kNone;
    uint64_t varint;
    std::string_view bytes;
    switch (WireTypeOf(key)) {
      case WireType::kVarint:
        error = ReadVarint(&varint);
        break;
      case WireType::kFixed64:
        error = Advance(8);
        break;
      case WireType::kBytes:
        error = ReadBytes(&bytes);
        break;
      case WireType::kStartGroup:
        if (++open_groups > limits::kMaxDepth) return WireError::kTooDeep;
        break;
      case WireType::kEndGroup:
        if (--open_groups < 0) return WireError::kStrayEndGroup;
        break;
      case WireType::kFixed32:
        error = Advance(4);
        break;
      default:
        return WireError::kBadWireType;
    }
    if (error != WireError::kNone) return error;
    if (open_groups == 0) return WireError::kNone;
    if (error = ReadKey(&key); error != WireError::kNone) return error;
  }
}

inline std::string_view WireErrorText(WireError error) {
  switch (error) {
    case WireError::kNone:
      return "no error";
    case WireError::kTruncated:
      return "the input ends in the middle of a value";
    case WireError::kOverlongVarint:
      return "a varint is longer than ten bytes";
    case WireError::kLengthBeyondEnd:
      return "a length reaches beyond the end of the message";
    case WireError::kBadFieldNumber:
      return "a field number is out of range";
    case WireError::kBadWireType:
      return "a wire type does not exist";
    case WireError::kStrayEndGroup:
      return "a group ends that was not begun";
    case WireError::kTooDeep:
      return "groups are nested too deeply";
  }
  return "";
}

}  // namespace skiff::object
