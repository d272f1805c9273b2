#include "crypto/pem.h"

#include <openssl/err.h>
#include <openssl/pem.h>

#include "crypto/openssl.h"

namespace skiff::crypto {

void ForEachPemBlock(std::string_view pem,
                     const std::function<bool(std::string_view, std::string_view)>& visit) {
  const openssl::BioPtr bio = openssl::ReadBio(pem);
  for (bool more = true; more;) {
    char* type = nullptr;
    char* header = nullptr;
    unsigned char* der = nullptr;
    long size = 0;
    if (PEM_read_bio(bio.get(), &type, &header, &der, &size) == 0) break;
    more = visit(type, {reinterpret_cast<const char*>(der), static_cast<size_t>(size)});
    OPENSSL_free(type);
    OPENSSL_free(header);
    OPENSSL_clear_free(der, static_cast<size_t>(size));
  }
  ERR_clear_error();
}

}  // namespace skiff::crypto
