#include "pki/key.h"

#include <openssl/err.h>
#include <openssl/pem.h>

#include "crypto/openssl.h"

namespace skiff::pki {

PrivateKey::PrivateKey(evp_pkey_st* key) : key_(key, EVP_PKEY_free) {}

Result<PrivateKey> PrivateKey::Generate() {
  EVP_PKEY* const key = EVP_EC_gen("P-256");
  if (key == nullptr) return crypto::openssl::Failed("cannot make a key");
  return PrivateKey(key);
}

Result<PrivateKey> PrivateKey::FromPem(std::string_view pem) {
  const crypto::openssl::BioPtr bio = crypto::openssl::ReadBio(pem);
  // Without this an encrypted key would ask for its password on the terminal.
  const auto no_password = [](char*, int, int, void*) { return -1; };
  EVP_PKEY* const key = PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr);
  if (key == nullptr) {
    ERR_clear_error();
    return BadRequest("there is no private key in it that can be read");
  }
  return PrivateKey(key);
}

std::string PrivateKey::ToPem() const {
  const crypto::openssl::BioPtr bio = crypto::openssl::WriteBio();
  PEM_write_bio_PKCS8PrivateKey(bio.get(), handle(), nullptr, nullptr, 0, nullptr, nullptr);
  return crypto::openssl::Written(bio);
}

std::string PrivateKey::PublicPem() const {
  const crypto::openssl::BioPtr bio = crypto::openssl::WriteBio();
  PEM_write_bio_PUBKEY(bio.get(), handle());
  return crypto::openssl::Written(bio);
}

bool PrivateKey::HasSamePublicKey(const PrivateKey& other) const {
  return EVP_PKEY_eq(handle(), other.handle()) == 1;
}

}  // namespace skiff::pki
