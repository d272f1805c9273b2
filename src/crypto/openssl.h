// Owners of OpenSSL's objects, and its errors as ours.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "base/status.h"

namespace skiff::openssl {

template <auto kFree>
struct Free {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};

using BioPtr = std::unique_ptr<BIO, Free<BIO_free_all>>;
using BignumPtr = std::unique_ptr<BIGNUM, Free<BN_free>>;
using X509Ptr = std::unique_ptr<X509, Free<X509_free>>;
using TimePtr = std::unique_ptr<ASN1_TIME, Free<ASN1_TIME_free>>;
using IntegerPtr = std::unique_ptr<ASN1_INTEGER, Free<ASN1_INTEGER_free>>;
using ExtensionPtr = std::unique_ptr<X509_EXTENSION, Free<X509_EXTENSION_free>>;
using NamesPtr = std::unique_ptr<GENERAL_NAMES, Free<GENERAL_NAMES_free>>;

// The oldest error that OpenSSL has noted on this thread, behind what was attempted; forgets all.
std::unexpected<Status> Failed(std::string_view attempt);

// A BIO that reads the text, which must outlive it.
BioPtr ReadBio(std::string_view text);
BioPtr WriteBio();
std::string Written(const BioPtr& bio);

}  // namespace skiff::openssl
