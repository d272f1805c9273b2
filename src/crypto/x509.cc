#include "crypto/x509.h"

#include <time.h>

#include <array>

#include <openssl/asn1.h>
#include <openssl/pem.h>

#include "base/hex.h"

namespace skiff::crypto::openssl {

std::vector<X509Ptr> ReadCertificates(std::string_view pem) {
  const BioPtr bio = ReadBio(pem);
  std::vector<X509Ptr> certificates;
  while (X509* one = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr))
    certificates.emplace_back(one);
  return certificates;
}

std::string Fingerprint(const X509* certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  if (X509_digest(certificate, EVP_sha256(), digest.data(), &size) != 1) return {};
  return HexOf({reinterpret_cast<const char*>(digest.data()), size});
}

std::vector<std::string> DnsNames(const X509* certificate) {
  std::vector<std::string> out;
  const NamesPtr names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; names != nullptr && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* const name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type != GEN_DNS) continue;
    out.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName)),
                     static_cast<size_t>(ASN1_STRING_length(name->d.dNSName)));
  }
  return out;
}

std::optional<int64_t> UnixSeconds(const ASN1_TIME* time) {
  tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return std::nullopt;
  return timegm(&parts);
}

std::optional<std::string> Utf8(const ASN1_STRING* text) {
  unsigned char* bytes = nullptr;
  const int size = ASN1_STRING_to_UTF8(&bytes, text);
  if (size < 0) return std::nullopt;
  std::string out(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
  OPENSSL_free(bytes);
  return out;
}

}  // namespace skiff::crypto::openssl
