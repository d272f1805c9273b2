#include "apiserver/admission/csr_subject.h"

#include <openssl/pem.h>
#include <openssl/x509.h>

#include "crypto/openssl.h"
#include "crypto/x509.h"

namespace skiff::apiserver {
namespace {

std::string TextOf(const X509_NAME_ENTRY* entry) {
  return crypto::openssl::Utf8(X509_NAME_ENTRY_get_data(entry)).value_or("");
}

}  // namespace

Result<CsrSubject> ReadCsrSubject(std::string_view pem) {
  const crypto::openssl::BioPtr bio = crypto::openssl::ReadBio(pem);
  const crypto::openssl::X509RequestPtr request(
      bio ? PEM_read_bio_X509_REQ(bio.get(), nullptr, nullptr, nullptr) : nullptr);
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

}  // namespace skiff::apiserver
