#include "apiserver/registry/certificates/x509.h"

#include <optional>

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "base/strings.h"
#include "crypto/openssl.h"
#include "crypto/x509.h"
#include "object/scalar/base64.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kBegin = "-----BEGIN ";
constexpr std::string_view kEnd = "-----END ";
constexpr std::string_view kDashes = "-----";

using crypto::openssl::Bytes;

// The next line without its end.
std::string_view TakeLine(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return TrimSpace(line);
}

bool ReadBody(std::string_view body, PemBlock* block) {
  std::string base64;
  bool in_headers = body.substr(0, body.find('\n')).find(':') != std::string_view::npos;
  block->has_headers = in_headers;
  while (!body.empty()) {
    const std::string_view line = TakeLine(body);
    if (in_headers) {
      in_headers = !line.empty();
    } else {
      base64 += line;
    }
  }
  Result<std::string> der = object::DecodeBase64(base64);
  if (!der) return false;
  block->der = std::move(*der);
  return true;
}

object::Timestamp TimeOf(const ASN1_TIME* time) {
  const std::optional<int64_t> seconds = crypto::openssl::UnixSeconds(time);
  return seconds ? object::Timestamp{*seconds, 0} : object::kZeroTimestamp;
}

}  // namespace

std::vector<PemBlock> ReadPem(std::string_view text) {
  std::vector<PemBlock> blocks;
  while (true) {
    const size_t begin = text.find(kBegin);
    if (begin == std::string_view::npos) return blocks;
    const bool starts_line = begin == 0 || text[begin - 1] == '\n';
    text.remove_prefix(begin + kBegin.size());
    if (!starts_line) continue;
    std::string_view rest = text;
    std::string_view type = TakeLine(rest);
    if (!type.ends_with(kDashes)) continue;
    type.remove_suffix(kDashes.size());
    const std::string end_line = std::string(kEnd) + std::string(type) + std::string(kDashes);
    const size_t end = rest.find(end_line);
    if (end == std::string_view::npos) continue;
    PemBlock block{.type = std::string(type), .has_headers = false, .der = {}};
    if (!ReadBody(rest.substr(0, end), &block)) continue;
    blocks.push_back(std::move(block));
    text = rest.substr(end + end_line.size());
  }
}

PublicKey::PublicKey(evp_pkey_st* key) {
  if (key == nullptr) return;
  EVP_PKEY_up_ref(key);
  key_.reset(key, EVP_PKEY_free);
}

PublicKey PublicKey::FromPkix(std::string_view der) {
  const unsigned char* at = Bytes(der);
  const crypto::openssl::KeyPtr key(d2i_PUBKEY(nullptr, &at, static_cast<long>(der.size())));
  ERR_clear_error();
  if (key == nullptr) return {};
  return PublicKey(at == Bytes(der) + der.size() ? key.get() : nullptr);
}

PublicKey::Kind PublicKey::kind() const {
  switch (key_ != nullptr ? EVP_PKEY_get_base_id(key_.get()) : 0) {
    case EVP_PKEY_ED25519:
      return Kind::kEd25519;
    case EVP_PKEY_EC:
      return Kind::kEcdsa;
    case EVP_PKEY_RSA:
      return Kind::kRsa;
    default:
      return Kind::kOther;
  }
}

int PublicKey::Bits() const { return key_ != nullptr ? EVP_PKEY_get_bits(key_.get()) : 0; }

bool PublicKey::IsAllowedForPods() const {
  switch (kind()) {
    case Kind::kEd25519:
      return true;
    case Kind::kEcdsa:
      return Bits() == 256 || Bits() == 384 || Bits() == 521;
    case Kind::kRsa:
      return Bits() == 3072 || Bits() == 4096;
    case Kind::kOther:
      return false;
  }
  return false;
}

bool PublicKey::Equals(const PublicKey& other) const {
  return key_ != nullptr && other.key_ != nullptr && EVP_PKEY_eq(key_.get(), other.key_.get()) == 1;
}

bool PublicKey::Signed(std::string_view text, std::string_view signature) const {
  if (key_ == nullptr) return false;
  const crypto::openssl::DigestContextPtr context(EVP_MD_CTX_new());
  EVP_PKEY_CTX* key_context = nullptr;
  const EVP_MD* digest = kind() == Kind::kEd25519 ? nullptr : EVP_sha256();
  bool good = EVP_DigestVerifyInit(context.get(), &key_context, digest, nullptr, key_.get()) == 1;
  if (good && kind() == Kind::kRsa) {
    good = EVP_PKEY_CTX_set_rsa_padding(key_context, RSA_PKCS1_PSS_PADDING) == 1 &&
           EVP_PKEY_CTX_set_rsa_pss_saltlen(key_context, RSA_PSS_SALTLEN_AUTO) == 1;
  }
  good = good && EVP_DigestVerify(context.get(), Bytes(signature), signature.size(), Bytes(text),
                                  text.size()) == 1;
  ERR_clear_error();
  return good;
}

ParsedRequest ParseCertificateRequest(std::string_view der) {
  ParsedRequest out;
  const unsigned char* at = Bytes(der);
  const crypto::openssl::X509RequestPtr request(
      d2i_X509_REQ(nullptr, &at, static_cast<long>(der.size())));
  if (request != nullptr && at == Bytes(der) + der.size()) {
    EVP_PKEY* key = X509_REQ_get0_pubkey(request.get());
    out.is_request = key != nullptr;
    out.key = PublicKey(key);
    out.is_signed = key != nullptr && X509_REQ_verify(request.get(), key) == 1;
  }
  ERR_clear_error();
  return out;
}

ParsedCertificate ParseCertificate(std::string_view der) {
  ParsedCertificate out;
  const unsigned char* at = Bytes(der);
  const crypto::openssl::X509Ptr certificate(d2i_X509(nullptr, &at, static_cast<long>(der.size())));
  ERR_clear_error();
  if (certificate == nullptr || at != Bytes(der) + der.size()) return out;
  out.is_certificate = true;
  const crypto::openssl::ConstraintsPtr constraints(static_cast<BASIC_CONSTRAINTS*>(
      X509_get_ext_d2i(certificate.get(), NID_basic_constraints, nullptr, nullptr)));
  out.has_basic_constraints = constraints != nullptr;
  out.is_ca = constraints != nullptr && constraints->ca != 0;
  out.not_before = TimeOf(X509_get0_notBefore(certificate.get()));
  out.not_after = TimeOf(X509_get0_notAfter(certificate.get()));
  out.key = PublicKey(X509_get0_pubkey(certificate.get()));
  out.dns_names = crypto::openssl::DnsNames(certificate.get());
  ERR_clear_error();
  return out;
}

}  // namespace skiff::apiserver
