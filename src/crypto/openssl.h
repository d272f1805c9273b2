// Owners of OpenSSL's objects, and its errors as ours.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "base/status.h"

namespace skiff::crypto::openssl {

template <auto kFree>
struct Free {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};

using BioPtr = std::unique_ptr<BIO, Free<BIO_free_all>>;
using BignumPtr = std::unique_ptr<BIGNUM, Free<BN_free>>;
using DigestContextPtr = std::unique_ptr<EVP_MD_CTX, Free<EVP_MD_CTX_free>>;
using EcdsaSignaturePtr = std::unique_ptr<ECDSA_SIG, Free<ECDSA_SIG_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using X509Ptr = std::unique_ptr<X509, Free<X509_free>>;
using X509RequestPtr = std::unique_ptr<X509_REQ, Free<X509_REQ_free>>;
using X509StorePtr = std::unique_ptr<X509_STORE, Free<X509_STORE_free>>;
using X509StoreContextPtr = std::unique_ptr<X509_STORE_CTX, Free<X509_STORE_CTX_free>>;
using TimePtr = std::unique_ptr<ASN1_TIME, Free<ASN1_TIME_free>>;
using ExtensionPtr = std::unique_ptr<X509_EXTENSION, Free<X509_EXTENSION_free>>;
using NamesPtr = std::unique_ptr<GENERAL_NAMES, Free<GENERAL_NAMES_free>>;
using ConstraintsPtr = std::unique_ptr<BASIC_CONSTRAINTS, Free<BASIC_CONSTRAINTS_free>>;
using SslContextPtr = std::unique_ptr<SSL_CTX, Free<SSL_CTX_free>>;
using SslPtr = std::unique_ptr<SSL, Free<SSL_free>>;

// The oldest error that OpenSSL has noted on this thread, behind what was attempted; forgets all.
std::unexpected<Status> Failed(std::string_view attempt);

// As OpenSSL wants bytes.
inline const unsigned char* Bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// A BIO that reads the text, which must outlive it.
BioPtr ReadBio(std::string_view text);
BioPtr WriteBio();
std::string Written(const BioPtr& bio);

}  // namespace skiff::crypto::openssl
