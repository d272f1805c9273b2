#include "crypto/digest.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace skiff::crypto {

Sha256Digest Sha256(std::string_view bytes) {
  // OpenSSL's own shorthand would look the algorithm up at every call, for longer than it hashes.
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  Sha256Digest digest;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, algorithm, nullptr);
  return digest;
}

Sha512Digest Sha512(std::string_view bytes) {
  Sha512Digest digest;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha512(), nullptr);
  return digest;
}

Sha256Digest HmacSha256(std::string_view key, std::string_view bytes) {
  Sha256Digest digest;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data(), nullptr);
  return digest;
}

bool EqualSecrets(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace skiff::crypto
