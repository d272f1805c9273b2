// For tests: protobuf messages built by hand, and trees shown as text.
#pragma once

#include <bit>
#include <string>
#include <string_view>

#include "object/protobuf/wire.h"
#include "object/value.h"

namespace skiff::object {

inline std::string VarintBytes(uint64_t value) {
  uint8_t bytes[kMaxVarintBytes];
  return {reinterpret_cast<char*>(bytes), reinterpret_cast<char*>(WriteVarint(bytes, value))};
}
// A varint field.
inline std::string V(uint32_t number, int64_t value) {
  return VarintBytes(WireKey(number, WireType::kVarint)) +
         VarintBytes(static_cast<uint64_t>(value));
}
// A string, bytes or message field.
inline std::string B(uint32_t number, std::string_view bytes) {
  return VarintBytes(WireKey(number, WireType::kBytes)) + VarintBytes(bytes.size()) +
         std::string(bytes);
}
// A double.
inline std::string D(uint32_t number, double value) {
  std::string out = VarintBytes(WireKey(number, WireType::kFixed64));
  const auto bits = std::bit_cast<uint64_t>(value);
  for (int i = 0; i < 8; ++i) out += static_cast<char>(bits >> (8 * i));
  return out;
}

// What is present in a tree and nothing else: `{name:"a" ports:[{containerPort:80}]}`. Texts of
// raw JSON stand in <>, bytes in b"", map keys have quotes.
inline std::string ShowTree(const Value& value) {
  switch (value.tag()) {
    case Tag::kNull:
      return "null";
    case Tag::kBool:
      return value.AsBool() ? "true" : "false";
    case Tag::kInt:
      return std::to_string(value.AsInt());
    case Tag::kUint:
      return std::to_string(value.AsUint()) + "u";
    case Tag::kDouble:
      return std::to_string(value.AsDouble());
    case Tag::kString:
      return '"' + std::string(value.AsText()) + '"';
    case Tag::kBytes:
      return "b\"" + std::string(value.AsText()) + '"';
    case Tag::kRawJson:
      return '<' + std::string(value.AsText()) + '>';
    case Tag::kDuration:
      return std::to_string(value.AsInt()) + "ns";
    case Tag::kTime:
    case Tag::kMicroTime:
      if (IsZero(value.AsTime())) return "zero time";
      return std::to_string(value.AsTime().seconds) + "s" + std::to_string(value.AsTime().nanos);
    default:
      break;
  }
  std::string out;
  const auto separate = [&] { out += out.empty() ? "" : " "; };
  if (value.is_list()) {
    for (const Value& item : value.items()) separate(), out += ShowTree(item);
    return '[' + out + ']';
  }
  if (value.is_map()) {
    for (const MapEntry& entry : value.entries()) {
      separate();
      out += '"' + std::string(entry.key) + "\":" + ShowTree(entry.value);
    }
    return '{' + out + '}';
  }
  for (const Value& member : value.members()) {
    separate();
    out += std::string(member.field_desc(*value.type()).name()) + ':' + ShowTree(member);
  }
  return '{' + out + '}';
}

}  // namespace skiff::object
