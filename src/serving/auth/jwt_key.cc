#include "serving/auth/jwt_key.h"

#include <functional>
#include <optional>

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "base/limits.h"
#include "base/read_file.h"
#include "crypto/digest.h"
#include "crypto/openssl.h"
#include "crypto/pem.h"
#include "object/scalar/base64url.h"

namespace skiff::serving {
namespace {

using crypto::openssl::Bytes;

const EVP_MD* HashOf(JwtAlgorithm algorithm) {
  switch (algorithm) {
    case JwtAlgorithm::kEs384:
      return EVP_sha384();
    case JwtAlgorithm::kEs512:
      return EVP_sha512();
    case JwtAlgorithm::kRs256:
    case JwtAlgorithm::kEs256:
      return EVP_sha256();
  }
  return nullptr;
}

// Bytes of a coordinate, and of each half of a signature; 0 for RSA.
size_t CurveBytes(JwtAlgorithm algorithm) {
  switch (algorithm) {
    case JwtAlgorithm::kEs256:
      return 32;
    case JwtAlgorithm::kEs384:
      return 48;
    case JwtAlgorithm::kEs512:
      return 66;
    case JwtAlgorithm::kRs256:
      return 0;
  }
  return 0;
}

std::optional<JwtAlgorithm> AlgorithmOf(EVP_PKEY* key) {
  if (EVP_PKEY_is_a(key, "RSA") != 0) return JwtAlgorithm::kRs256;
  if (EVP_PKEY_is_a(key, "EC") == 0) return std::nullopt;
  char name[64];
  size_t size = 0;
  if (EVP_PKEY_get_group_name(key, name, sizeof(name), &size) == 0) return std::nullopt;
  const std::string_view curve(name, size);
  if (curve == "prime256v1") return JwtAlgorithm::kEs256;
  if (curve == "secp384r1") return JwtAlgorithm::kEs384;
  if (curve == "secp521r1") return JwtAlgorithm::kEs512;
  return std::nullopt;
}

std::string NumberParameter(EVP_PKEY* key, const char* name, size_t bytes) {
  BIGNUM* raw = nullptr;
  if (EVP_PKEY_get_bn_param(key, name, &raw) == 0) return {};
  const crypto::openssl::BignumPtr number(raw);
  if (bytes == 0) bytes = static_cast<size_t>(BN_num_bytes(raw));
  std::string out(bytes, '\0');
  BN_bn2binpad(raw, reinterpret_cast<unsigned char*>(out.data()), static_cast<int>(bytes));
  return object::EncodeBase64Url(out);
}

// OpenSSL's DER of a signature on a curve, as the two numbers of fixed length that JWS has.
std::string ToFixedLength(std::string_view der, size_t half) {
  const unsigned char* at = Bytes(der);
  const crypto::openssl::EcdsaSignaturePtr signature(
      d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())));
  if (signature == nullptr) return {};
  std::string out(2 * half, '\0');
  auto* to = reinterpret_cast<unsigned char*>(out.data());
  BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), to, static_cast<int>(half));
  BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), to + half, static_cast<int>(half));
  return out;
}

// And back; empty when the length is wrong.
std::string ToDer(std::string_view fixed, size_t half) {
  if (fixed.size() != 2 * half) return {};
  const crypto::openssl::EcdsaSignaturePtr signature(ECDSA_SIG_new());
  crypto::openssl::BignumPtr r(BN_bin2bn(Bytes(fixed), static_cast<int>(half), nullptr));
  crypto::openssl::BignumPtr s(BN_bin2bn(Bytes(fixed) + half, static_cast<int>(half), nullptr));
  ECDSA_SIG_set0(signature.get(), r.release(), s.release());
  unsigned char* der = nullptr;
  const int size = i2d_ECDSA_SIG(signature.get(), &der);
  if (size <= 0) return {};
  std::string out(reinterpret_cast<char*>(der), static_cast<size_t>(size));
  OPENSSL_free(der);
  return out;
}

EVP_PKEY* DecodePublic(std::string_view name, std::string_view bytes) {
  const unsigned char* der = Bytes(bytes);
  const long size = static_cast<long>(bytes.size());
  if (name == PEM_STRING_PUBLIC) return d2i_PUBKEY(nullptr, &der, size);
  if (name == PEM_STRING_RSA_PUBLIC) return d2i_PublicKey(EVP_PKEY_RSA, nullptr, &der, size);
  if (name == PEM_STRING_X509) {
    const crypto::openssl::X509Ptr certificate(d2i_X509(nullptr, &der, size));
    return certificate != nullptr ? X509_get_pubkey(certificate.get()) : nullptr;
  }
  return nullptr;
}

EVP_PKEY* DecodePrivate(std::string_view name, std::string_view bytes) {
  const unsigned char* der = Bytes(bytes);
  const bool known =
      name == PEM_STRING_RSA || name == PEM_STRING_ECPRIVATEKEY || name == PEM_STRING_PKCS8INF;
  return known ? d2i_AutoPrivateKey(nullptr, &der, static_cast<long>(bytes.size())) : nullptr;
}

// Calls visit(name, der) for each block of the text until it returns false, or there are too many.
void ForEachBlock(std::string_view pem,
                  const std::function<bool(std::string_view, std::string_view)>& visit) {
  size_t blocks = 0;
  crypto::ForEachPemBlock(pem, [&](std::string_view name, std::string_view der) {
    return visit(name, der) && ++blocks < limits::kMaxKeysPerFile;
  });
}

}  // namespace

std::string_view JwtAlgorithmName(JwtAlgorithm algorithm) {
  switch (algorithm) {
    case JwtAlgorithm::kRs256:
      return "RS256";
    case JwtAlgorithm::kEs256:
      return "ES256";
    case JwtAlgorithm::kEs384:
      return "ES384";
    case JwtAlgorithm::kEs512:
      return "ES512";
  }
  return {};
}

Result<JwtKey> JwtKey::Make(Handle key) {
  const auto algorithm = AlgorithmOf(key.get());
  if (!algorithm) {
    return BadRequest("the key is neither RSA nor on one of the curves P-256, P-384 and P-521");
  }
  unsigned char* der = nullptr;
  const int size = i2d_PUBKEY(key.get(), &der);
  if (size <= 0) return BadRequest("the key has no public part");
  const std::string_view public_key(reinterpret_cast<char*>(der), static_cast<size_t>(size));
  std::string id = object::EncodeBase64Url(crypto::AsBytes(crypto::Sha256(public_key)));
  OPENSSL_free(der);
  return JwtKey(std::move(key), *algorithm, std::move(id));
}

Result<std::vector<JwtKey>> JwtKey::LoadPublic(const std::string& path) {
  SKIFF_ASSIGN_OR_RETURN(const std::string pem, ReadFileUpTo(path, limits::kMaxKeyFileBytes));
  return ParsePublic(pem, path);
}

Result<std::vector<JwtKey>> JwtKey::ParsePublic(std::string_view pem, const std::string& path) {
  std::vector<JwtKey> keys;
  std::optional<Status> fault;
  ForEachBlock(pem, [&](std::string_view name, std::string_view der) {
    EVP_PKEY* raw = DecodePublic(name, der);
    if (raw == nullptr) raw = DecodePrivate(name, der);
    if (raw == nullptr) return true;  // parameters of curves, and what else files hold
    auto key = Make(Handle(raw, EVP_PKEY_free));
    if (key) {
      keys.push_back(std::move(*key));
    } else {
      fault = key.error();
    }
    return true;
  });
  if (!keys.empty()) return keys;
  return BadRequest(
      "error reading public key file " + path + ": " +
      (fault ? fault->message() : "data does not contain any valid RSA or ECDSA public keys"));
}

Result<JwtKey> JwtKey::LoadPrivate(const std::string& path) {
  SKIFF_ASSIGN_OR_RETURN(const std::string pem, ReadFileUpTo(path, limits::kMaxKeyFileBytes));
  return ParsePrivate(pem, path);
}

Result<JwtKey> JwtKey::ParsePrivate(std::string_view pem, const std::string& path) {
  Handle found;
  ForEachBlock(pem, [&](std::string_view name, std::string_view der) {
    EVP_PKEY* raw = DecodePrivate(name, der);
    if (raw != nullptr) found = Handle(raw, EVP_PKEY_free);
    return raw == nullptr;
  });
  if (found == nullptr) {
    return BadRequest("error reading private key file " + path +
                      ": data does not contain a valid RSA or ECDSA private key");
  }
  return Make(std::move(found));
}

Result<std::string> JwtKey::Sign(std::string_view message) const {
  const crypto::openssl::DigestContextPtr context(EVP_MD_CTX_new());
  size_t size = 0;
  std::string signature;
  const bool ready =
      EVP_DigestSignInit(context.get(), nullptr, HashOf(algorithm_), nullptr, key_.get()) > 0 &&
      EVP_DigestSign(context.get(), nullptr, &size, Bytes(message), message.size()) > 0;
  if (ready) signature.resize(size);
  if (!ready || EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()),
                               &size, Bytes(message), message.size()) <= 0) {
    ERR_clear_error();
    return Fail(StatusReason::kInternalError, "the key cannot sign");
  }
  signature.resize(size);
  const size_t half = CurveBytes(algorithm_);
  return half == 0 ? signature : ToFixedLength(signature, half);
}

bool JwtKey::Verify(std::string_view message, std::string_view signature) const {
  std::string der;
  if (const size_t half = CurveBytes(algorithm_); half != 0) {
    der = ToDer(signature, half);
    if (der.empty()) return false;
    signature = der;
  }
  const crypto::openssl::DigestContextPtr context(EVP_MD_CTX_new());
  const bool good =
      EVP_DigestVerifyInit(context.get(), nullptr, HashOf(algorithm_), nullptr, key_.get()) > 0 &&
      EVP_DigestVerify(context.get(), Bytes(signature), signature.size(), Bytes(message),
                       message.size()) == 1;
  if (!good) ERR_clear_error();
  return good;
}

std::string JwtKey::ToJwk() const {
  const std::string algorithm(JwtAlgorithmName(algorithm_));
  EVP_PKEY* key = key_.get();
  const size_t bytes = CurveBytes(algorithm_);
  if (bytes == 0) {
    return R"({"use":"sig","kty":"RSA","kid":")" + id_ + R"(","alg":")" + algorithm + R"(","n":")" +
           NumberParameter(key, OSSL_PKEY_PARAM_RSA_N, 0) + R"(","e":")" +
           NumberParameter(key, OSSL_PKEY_PARAM_RSA_E, 0) + R"("})";
  }
  const char* curve = bytes == 32 ? "P-256" : bytes == 48 ? "P-384" : "P-521";
  return R"({"use":"sig","kty":"EC","kid":")" + id_ + R"(","crv":")" + curve + R"(","alg":")" +
         algorithm + R"(","x":")" + NumberParameter(key, OSSL_PKEY_PARAM_EC_PUB_X, bytes) +
         R"(","y":")" + NumberParameter(key, OSSL_PKEY_PARAM_EC_PUB_Y, bytes) + R"("})";
}

}  // namespace skiff::serving
