#include "net/tls_peer.h"

#include <time.h>

#include <array>
#include <string>

#include <openssl/err.h>
#include <openssl/objects.h>
#include <openssl/x509v3.h>

#include "crypto/x509.h"

namespace skiff::net {
namespace {

constexpr std::string_view kUidOid = "1.3.6.1.4.1.57683.2";
// Verify results of ours begin here, beyond OpenSSL's; the bits of the CA files are added.
constexpr int kVerifiedBase = 1 << 20;
constexpr size_t kMaxCaFiles = 16;
// OpenSSL's: no SHA-1, no RSA keys below 1024 bits, as Go.
constexpr int kAuthLevel = 1;

time_t Seconds(Clock& clock) {
  return std::chrono::floor<std::chrono::seconds>(clock.Wall()).count();
}

std::string TextOf(const X509_NAME_ENTRY* entry) {
  return crypto::openssl::Utf8(X509_NAME_ENTRY_get_data(entry)).value_or("");
}

bool Verify(X509_STORE* store, X509* certificate, STACK_OF(X509) * chain, Clock& clock) {
  const crypto::openssl::X509StoreContextPtr own(X509_STORE_CTX_new());
  if (own == nullptr || X509_STORE_CTX_init(own.get(), store, certificate, chain) != 1)
    return false;
  X509_VERIFY_PARAM* param = X509_STORE_CTX_get0_param(own.get());
  X509_VERIFY_PARAM_set_time(param, Seconds(clock));
  // Any certificate of the CA file is an anchor, as in Go, also one that is not self-signed.
  X509_VERIFY_PARAM_set_flags(param, X509_V_FLAG_PARTIAL_CHAIN);
  X509_VERIFY_PARAM_set_purpose(param, X509_PURPOSE_SSL_CLIENT);
  X509_VERIFY_PARAM_set_auth_level(param, kAuthLevel);
  return X509_verify_cert(own.get()) == 1;
}

// Which of the CAs know the certificate: bit i for file i.
uint32_t VerifiedBy(const ClientCas& cas, X509* certificate, STACK_OF(X509) * chain) {
  uint32_t verified_by = 0;
  for (size_t i = 0; i < cas.stores.size() && i < kMaxCaFiles; ++i)
    if (Verify(cas.stores[i].get(), certificate, chain, *cas.clock)) verified_by |= 1u << i;
  // What verifying complained about must not be taken for a failure of the session.
  ERR_clear_error();
  return verified_by;
}

}  // namespace

int VerifyTlsPeer(X509_STORE_CTX* context, void* client_cas) {
  const auto& cas = *static_cast<const ClientCas*>(client_cas);
  const uint32_t verified_by =
      VerifiedBy(cas, X509_STORE_CTX_get0_cert(context), X509_STORE_CTX_get0_untrusted(context));
  X509_STORE_CTX_set_error(context, verified_by == 0
                                        ? X509_V_ERR_CERT_UNTRUSTED
                                        : kVerifiedBase + static_cast<int>(verified_by));
  return verified_by != 0 || !cas.required ? 1 : 0;
}

std::shared_ptr<PeerCertificate> DescribeCertificate(X509* certificate) {
  auto peer = std::make_shared<PeerCertificate>();
  const X509_NAME* subject = X509_get_subject_name(certificate);
  int uids = 0;
  for (int i = 0; i < X509_NAME_entry_count(subject); ++i) {
    const X509_NAME_ENTRY* entry = X509_NAME_get_entry(subject, i);
    const ASN1_OBJECT* kind = X509_NAME_ENTRY_get_object(entry);
    const int nid = OBJ_obj2nid(kind);
    std::array<char, 80> oid{};
    OBJ_obj2txt(oid.data(), oid.size(), kind, 1);
    if (nid == NID_commonName) {
      peer->common_name = TextOf(entry);
    } else if (nid == NID_organizationName) {
      peer->organizations.push_back(TextOf(entry));
    } else if (kUidOid == oid.data()) {
      peer->uid = TextOf(entry);
      if (++uids > 1) return nullptr;
    }
  }
  peer->fingerprint = crypto::openssl::Fingerprint(certificate);
  peer->not_after_seconds =
      crypto::openssl::UnixSeconds(X509_get0_notAfter(certificate)).value_or(0);
  return peer;
}

void ReadTlsPeer(SSL* ssl, Clock& clock, const ClientCas* changed, ConnectionPeer& peer) {
  peer.certificate = nullptr;
  peer.refused = false;
  X509* certificate = SSL_get0_peer_certificate(ssl);
  if (certificate == nullptr) return;
  time_t now = Seconds(clock);
  // A resumed session was verified when it began; it may have run out since.
  const long verified = changed == nullptr
                            ? SSL_get_verify_result(ssl) - kVerifiedBase
                            : VerifiedBy(*changed, certificate, SSL_get_peer_cert_chain(ssl));
  const bool is_valid = verified > 0 && X509_cmp_time(X509_get0_notAfter(certificate), &now) > 0;
  if (auto described = is_valid ? DescribeCertificate(certificate) : nullptr) {
    described->verified_by = static_cast<uint32_t>(verified);
    peer.certificate = std::move(described);
  }
  peer.refused = peer.certificate == nullptr;
}

}  // namespace skiff::net
