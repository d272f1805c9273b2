#include "apiserver/admission/csr_subject.h"

#include <memory>

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

namespace skiff {
namespace {

std::string TextOf(const X509_NAME_ENTRY* entry) {
  unsigned char* utf8 = nullptr;
  const int size = ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(entry));
  if (size < 0) return {};
  std::string out(reinterpret_cast<const char*>(utf8), static_cast<size_t>(size));
  OPENSSL_free(utf8);
  return out;
}

}  // namespace

Result<CsrSubject> ReadCsrSubject(std::string_view pem) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
  const std::unique_ptr<X509_REQ, decltype(&X509_REQ_free)> request(
      bio ? PEM_read_bio_X509_REQ(bio.get(), nullptr, nullptr, nullptr) : nullptr, X509_REQ_free);
  if (!request) return BadRequest("PEM block type must be CERTIFICATE REQUEST");
  CsrSubject out;
  const X509_NAME* name = X509_REQ_get_subject_name(request.get());
  for (int i = 0; i < X509_NAME_entry_count(name); ++i) {
    const X509_NAME_ENTRY* entry = X509_NAME_get_entry(name, i);
    const int kind = OBJ_obj2nid(X509_NAME_ENTRY_get_object(entry));
    if (kind == NID_commonName) out.common_name = TextOf(entry);
    if (kind == NID_organizationName) out.organizations.push_back(TextOf(entry));
  }
  return out;
}

}  // namespace skiff
