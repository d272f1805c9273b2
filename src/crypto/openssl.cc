#include "crypto/openssl.h"

#include <array>

#include <openssl/err.h>

namespace skiff::crypto::openssl {

std::unexpected<Status> Failed(std::string_view attempt) {
  std::string message(attempt);
  if (const unsigned long code = ERR_get_error(); code != 0) {
    std::array<char, 256> text;
    ERR_error_string_n(code, text.data(), text.size());
    message.append(": ").append(text.data());
  }
  ERR_clear_error();
  return Fail(StatusReason::kInternalError, std::move(message));
}

BioPtr ReadBio(std::string_view text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

BioPtr WriteBio() { return BioPtr(BIO_new(BIO_s_mem())); }

std::string Written(const BioPtr& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<size_t>(size));
}

}  // namespace skiff::crypto::openssl
