#include "object/scalar/base64.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace skiff::object {
namespace {

constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Two characters for every 12 bits.
constexpr auto kPairs = [] {
  std::array<std::array<char, 2>, 4096> pairs{};
  for (size_t i = 0; i < pairs.size(); ++i) pairs[i] = {kAlphabet[i >> 6], kAlphabet[i & 63]};
  return pairs;
}();

// kSextets[p][c] is the character's value at its place within the 24 bits of a group of four;
// kBad has a bit that no sum of good values has.
constexpr uint32_t kBad = 0x8000'0000;
constexpr auto kSextets = [] {
  std::array<std::array<uint32_t, 256>, 4> tables{};
  for (size_t place = 0; place < 4; ++place) {
    tables[place].fill(kBad);
    for (uint32_t value = 0; value < 64; ++value) {
      tables[place][static_cast<unsigned char>(kAlphabet[value])] = value << (18 - 6 * place);
    }
  }
  return tables;
}();

constexpr bool IsLineEnd(char c) { return c == '\r' || c == '\n'; }

inline uint32_t Group(const unsigned char* at) {
  return kSextets[0][at[0]] | kSextets[1][at[1]] | kSextets[2][at[2]] | kSextets[3][at[3]];
}

inline void PutThree(uint32_t bits, char* out) {
  out[0] = static_cast<char>(bits >> 16);
  out[1] = static_cast<char>(bits >> 8);
  out[2] = static_cast<char>(bits);
}

std::unexpected<Status> Illegal(size_t offset) {
  return BadRequest("illegal base64 data at input byte " + std::to_string(offset));
}

// The bytes of one group that holds line ends, padding or an error.
struct SlowGroup {
  size_t next;   // where the following group starts
  size_t bytes;  // 0 at the end of the text, 3 for a full group
  uint32_t bits;
};

Result<SlowGroup> DecodeSlowGroup(std::string_view text, size_t at) {
  const auto skip_line_ends = [&] {
    while (at < text.size() && IsLineEnd(text[at])) ++at;
  };
  uint32_t bits = 0;
  for (size_t place = 0; place < 4; ++place) {
    skip_line_ends();
    if (at == text.size()) {
      if (place == 0) return SlowGroup{at, 0, 0};
      return Illegal(at - place);
    }
    const uint32_t sextet = kSextets[place][static_cast<unsigned char>(text[at])];
    if (sextet != kBad) {
      bits |= sextet;
      ++at;
      continue;
    }
    if (text[at] != '=' || place < 2) return Illegal(at);
    ++at;
    skip_line_ends();
    if (place == 2) {
      if (at == text.size() || text[at] != '=') return Illegal(at);
      ++at;
      skip_line_ends();
    }
    if (at != text.size()) return Illegal(at);
    return SlowGroup{at, place - 1, bits};
  }
  return SlowGroup{at, 3, bits};
}

}  // namespace

void EncodeBase64(std::string_view bytes, char* out) {
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
  const auto* const end = at + bytes.size();
  for (; end - at >= 3; at += 3, out += 4) {
    const uint32_t bits = uint32_t{at[0]} << 16 | uint32_t{at[1]} << 8 | at[2];
    std::memcpy(out, kPairs[bits >> 12].data(), 2);
    std::memcpy(out + 2, kPairs[bits & 0xFFF].data(), 2);
  }
  if (at == end) return;
  const uint32_t bits = uint32_t{at[0]} << 16 | (end - at == 2 ? uint32_t{at[1]} << 8 : 0);
  std::memcpy(out, kPairs[bits >> 12].data(), 2);
  out[2] = end - at == 2 ? kAlphabet[bits >> 6 & 63] : '=';
  out[3] = '=';
}

void AppendBase64(std::string_view bytes, std::string& out) {
  const size_t before = out.size();
  out.resize(before + Base64EncodedSize(bytes.size()));
  EncodeBase64(bytes, out.data() + before);
}

Result<size_t> DecodeBase64(std::string_view text, char* out) {
  const auto* const data = reinterpret_cast<const unsigned char*>(text.data());
  char* const begin = out;
  size_t at = 0;
  while (true) {
    for (; text.size() - at >= 4; at += 4, out += 3) {
      const uint32_t bits = Group(data + at);
      if (bits & kBad) break;
      PutThree(bits, out);
    }
    SKIFF_ASSIGN_OR_RETURN(const SlowGroup group, DecodeSlowGroup(text, at));
    for (size_t i = 0; i < group.bytes; ++i) *out++ = static_cast<char>(group.bits >> (16 - 8 * i));
    at = group.next;
    if (group.bytes < 3) return static_cast<size_t>(out - begin);
  }
}

Result<std::string> DecodeBase64(std::string_view text) {
  std::string out(Base64DecodedMaxSize(text.size()), '\0');
  SKIFF_ASSIGN_OR_RETURN(const size_t size, DecodeBase64(text, out.data()));
  out.resize(size);
  return out;
}

}  // namespace skiff::object
