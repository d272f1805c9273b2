#include "apiserver/registry/core/key_pair.h"

#include <functional>
#include <vector>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include "crypto/openssl.h"
#include "crypto/pem.h"

namespace skiff::apiserver {
namespace {

struct Blocks {
  std::string found;                 // DER of the first that was looked for
  std::vector<std::string> skipped;  // types of those before it
};

Blocks FindBlock(std::string_view pem, const std::function<bool(std::string_view)>& wanted) {
  Blocks out;
  crypto::ForEachPemBlock(pem, [&](std::string_view type, std::string_view der) {
    const bool is_wanted = wanted(type);
    if (is_wanted) {
      out.found = der;
    } else {
      out.skipped.emplace_back(type);
    }
    return !is_wanted;
  });
  return out;
}

std::string Types(const std::vector<std::string>& types) {
  std::string out = "[";
  for (const std::string& type : types) {
    if (out.size() > 1) out += ' ';
    out += type;
  }
  return out + "]";
}

bool IsCertificate(std::string_view type) { return type == "CERTIFICATE"; }
bool IsKey(std::string_view type) {
  return type == "PRIVATE KEY" || type.ends_with(" PRIVATE KEY");
}

std::string NoCertificate(const std::vector<std::string>& skipped) {
  if (skipped.empty()) return "tls: failed to find any PEM data in certificate input";
  if (skipped.size() == 1 && skipped[0].ends_with("PRIVATE KEY")) {
    return "tls: failed to find certificate PEM data in certificate input, but did find a private "
           "key; PEM inputs may have been switched";
  }
  return "tls: failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM "
         "blocks of the following types: " +
         Types(skipped);
}

std::string NoKey(const std::vector<std::string>& skipped) {
  if (skipped.empty()) return "tls: failed to find any PEM data in key input";
  if (skipped.size() == 1 && IsCertificate(skipped[0])) {
    return "tls: found a certificate rather than a key in the PEM for the private key";
  }
  return "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after "
         "skipping PEM blocks of the following types: " +
         Types(skipped);
}

}  // namespace

std::string KeyPairFault(std::string_view certificates, std::string_view key) {
  const Blocks certificate = FindBlock(certificates, IsCertificate);
  if (certificate.found.empty()) return NoCertificate(certificate.skipped);
  Blocks private_key = FindBlock(key, IsKey);
  if (private_key.found.empty()) return NoKey(private_key.skipped);

  const unsigned char* der = crypto::openssl::Bytes(certificate.found);
  const crypto::openssl::X509Ptr leaf(
      d2i_X509(nullptr, &der, static_cast<long>(certificate.found.size())));
  der = crypto::openssl::Bytes(private_key.found);
  const crypto::openssl::KeyPtr secret(
      d2i_AutoPrivateKey(nullptr, &der, static_cast<long>(private_key.found.size())));
  OPENSSL_cleanse(private_key.found.data(), private_key.found.size());
  std::string fault;
  if (leaf == nullptr) {
    fault = "x509: malformed certificate";
  } else if (secret == nullptr) {
    fault = "tls: failed to parse private key";
  } else if (const EVP_PKEY* shown = X509_get0_pubkey(leaf.get());
             shown == nullptr ||
             EVP_PKEY_get_base_id(shown) != EVP_PKEY_get_base_id(secret.get())) {
    fault = "tls: private key type does not match public key type";
  } else if (EVP_PKEY_eq(shown, secret.get()) != 1) {
    fault = "tls: private key does not match public key";
  }
  ERR_clear_error();
  return fault;
}

}  // namespace skiff::apiserver
