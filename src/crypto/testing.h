// Keys made on the spot, for tests.
#pragma once

#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include "crypto/openssl.h"

namespace skiff::testing {

struct PemPair {
  std::string private_pem;
  std::string public_pem;
};

// Of "RSA", or of a curve such as "P-256".
inline PemPair MakeKey(const char* kind) {
  const bool is_rsa = std::string_view(kind) == "RSA";
  const crypto::openssl::KeyPtr key(is_rsa ? EVP_RSA_gen(2048) : EVP_EC_gen(kind));
  EXPECT_NE(key, nullptr);
  PemPair pair;
  for (const bool is_private : {true, false}) {
    const crypto::openssl::BioPtr bio = crypto::openssl::WriteBio();
    if (is_private) {
      PEM_write_bio_PrivateKey(bio.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    } else {
      PEM_write_bio_PUBKEY(bio.get(), key.get());
    }
    (is_private ? pair.private_pem : pair.public_pem) = crypto::openssl::Written(bio);
  }
  return pair;
}

}  // namespace skiff::testing
