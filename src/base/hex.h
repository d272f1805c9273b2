// Bytes and numbers in hexadecimal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace skiff {

enum class HexCase : uint8_t { kLower, kUpper };

constexpr std::string_view HexDigits(HexCase letters = HexCase::kLower) {
  return letters == HexCase::kLower ? "0123456789abcdef" : "0123456789ABCDEF";
}

// The two digits of a byte, as text that is appended to another.
class HexByte {
 public:
  constexpr explicit HexByte(unsigned char byte, HexCase letters = HexCase::kLower)
      : text_{HexDigits(letters)[byte >> 4], HexDigits(letters)[byte & 15]} {}
  constexpr explicit HexByte(char byte, HexCase letters = HexCase::kLower)
      : HexByte(static_cast<unsigned char>(byte), letters) {}

  constexpr operator std::string_view() const { return {text_, 2}; }  // NOLINT: it is text

 private:
  char text_[2];
};

inline std::string HexOf(std::string_view bytes, HexCase letters = HexCase::kLower) {
  std::string out;
  out.reserve(2 * bytes.size());
  for (const char byte : bytes) out += HexByte(byte, letters);
  return out;
}

// A number, with zeros in front of it if it has fewer digits.
inline std::string HexNumber(uint64_t number, size_t min_digits = 1,
                             HexCase letters = HexCase::kLower) {
  std::string out;
  for (; number != 0 || out.size() < min_digits; number >>= 4) {
    out.insert(out.begin(), HexDigits(letters)[number & 15]);
  }
  return out;
}

// The value of a digit in either case, or -1.
constexpr int HexValue(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

}  // namespace skiff
