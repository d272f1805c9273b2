// SHA-256, with and without a key, SHA-512, and the comparison of secrets.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace skiff::crypto {

using Sha256Digest = std::array<unsigned char, 32>;
using Sha512Digest = std::array<unsigned char, 64>;

Sha256Digest Sha256(std::string_view bytes);
Sha512Digest Sha512(std::string_view bytes);
// HMAC.
Sha256Digest HmacSha256(std::string_view key, std::string_view bytes);
inline std::string_view AsBytes(const Sha256Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

// A digest is as good a hash as any.
struct Sha256Hash {
  size_t operator()(const Sha256Digest& digest) const {
    size_t hash;
    std::memcpy(&hash, digest.data(), sizeof(hash));
    return hash;
  }
};

// Takes the same time wherever the first difference is.
bool EqualSecrets(std::string_view a, std::string_view b);

}  // namespace skiff::crypto
