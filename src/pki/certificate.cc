#include "pki/certificate.h"

#include <algorithm>
#include <ctime>

#include <openssl/err.h>
#include <openssl/pem.h>

#include "crypto/openssl.h"
#include "crypto/x509.h"

namespace skiff::pki {
namespace {

using crypto::openssl::Failed;

constexpr int kSerialBits = 127;  // positive, and within the 20 bytes of RFC 5280

time_t SecondsOf(Duration since_1970) {
  return std::chrono::floor<std::chrono::seconds>(since_1970).count();
}

Duration DurationOf(const ASN1_TIME* time) {
  return std::chrono::seconds(crypto::openssl::UnixSeconds(time).value_or(0));
}

bool AddName(X509_NAME* name, int nid, const std::string& text) {
  return X509_NAME_add_entry_by_NID(name, nid, MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(text.data()),
                                    static_cast<int>(text.size()), -1, 0) == 1;
}

bool SetSubject(X509* certificate, const CertificateSpec& spec) {
  X509_NAME* const name = X509_get_subject_name(certificate);
  for (const std::string& organization : spec.organizations) {
    if (!AddName(name, NID_organizationName, organization)) return false;
  }
  return AddName(name, NID_commonName, spec.common_name);
}

bool SetSerial(X509* certificate) {
  const crypto::openssl::BignumPtr number(BN_new());
  return number != nullptr &&
         BN_rand(number.get(), kSerialBits, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1 &&
         BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool SetTimes(X509* certificate, const CertificateSpec& spec, const Certificate* ca) {
  Duration not_after = spec.not_after;
  if (ca != nullptr) not_after = std::min(not_after, ca->NotAfter());
  const crypto::openssl::TimePtr begin(ASN1_TIME_set(nullptr, SecondsOf(spec.not_before)));
  const crypto::openssl::TimePtr end(ASN1_TIME_set(nullptr, SecondsOf(not_after)));
  return begin && end && X509_set1_notBefore(certificate, begin.get()) == 1 &&
         X509_set1_notAfter(certificate, end.get()) == 1;
}

bool AddExtension(X509* certificate, X509* issuer, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const crypto::openssl::ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool AddUses(X509* certificate, X509* issuer, CertificateUse use) {
  if (use == CertificateUse::kCa) {
    return AddExtension(certificate, issuer, NID_key_usage,
                        "critical,digitalSignature,keyCertSign,cRLSign") &&
           AddExtension(certificate, issuer, NID_basic_constraints, "critical,CA:TRUE") &&
           AddExtension(certificate, issuer, NID_subject_key_identifier, "hash");
  }
  const char* const extended = use == CertificateUse::kServer ? "serverAuth" : "clientAuth";
  return AddExtension(certificate, issuer, NID_key_usage, "critical,digitalSignature") &&
         AddExtension(certificate, issuer, NID_ext_key_usage, extended) &&
         AddExtension(certificate, issuer, NID_basic_constraints, "critical,CA:FALSE");
}

bool PushName(GENERAL_NAMES* names, int type, const uint8_t* data, size_t size) {
  ASN1_STRING* const text =
      type == GEN_DNS ? ASN1_IA5STRING_new() : static_cast<ASN1_STRING*>(ASN1_OCTET_STRING_new());
  GENERAL_NAME* const name = GENERAL_NAME_new();
  if (text == nullptr || name == nullptr ||
      ASN1_STRING_set(text, data, static_cast<int>(size)) != 1) {
    ASN1_STRING_free(text);
    GENERAL_NAME_free(name);
    return false;
  }
  GENERAL_NAME_set0_value(name, type, text);
  if (sk_GENERAL_NAME_push(names, name) > 0) return true;
  GENERAL_NAME_free(name);
  return false;
}

// Built from values, not from OpenSSL's text form, in which a comma in a name would begin another.
bool AddAlternativeNames(X509* certificate, const CertificateSpec& spec) {
  if (spec.dns_names.empty() && spec.ip_addresses.empty()) return true;
  const crypto::openssl::NamesPtr names(sk_GENERAL_NAME_new_null());
  if (!names) return false;
  for (const std::string& name : spec.dns_names) {
    if (!PushName(names.get(), GEN_DNS, reinterpret_cast<const uint8_t*>(name.data()),
                  name.size())) {
      return false;
    }
  }
  for (const IpAddress& address : spec.ip_addresses) {
    if (!PushName(names.get(), GEN_IPADD, address.bytes(), address.size())) return false;
  }
  return X509_add1_ext_i2d(certificate, NID_subject_alt_name, names.get(), 0, 0) == 1;
}

std::vector<std::string> NamesOf(const X509* certificate, int nid) {
  std::vector<std::string> out;
  const X509_NAME* const subject = X509_get_subject_name(certificate);
  for (int at = X509_NAME_get_index_by_NID(subject, nid, -1); at >= 0;
       at = X509_NAME_get_index_by_NID(subject, nid, at)) {
    auto text = crypto::openssl::Utf8(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
    if (text) out.push_back(std::move(*text));
  }
  return out;
}

}  // namespace

Certificate::Certificate(x509_st* certificate) : certificate_(certificate, X509_free) {}

Result<Certificate> Certificate::FromPem(std::string_view pem) {
  const crypto::openssl::BioPtr bio = crypto::openssl::ReadBio(pem);
  X509* const certificate = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr);
  if (certificate == nullptr) {
    ERR_clear_error();
    return BadRequest("there is no certificate in it that can be read");
  }
  return Certificate(certificate);
}

Result<Certificate> Certificate::SelfSigned(const CertificateSpec& spec, const PrivateKey& key) {
  return Make(spec, key, nullptr, key);
}

Result<Certificate> Certificate::Signed(const CertificateSpec& spec, const PrivateKey& key,
                                        const Certificate& ca, const PrivateKey& ca_key) {
  return Make(spec, key, &ca, ca_key);
}

Result<Certificate> Certificate::Make(const CertificateSpec& spec, const PrivateKey& key,
                                      const Certificate* ca, const PrivateKey& signer) {
  crypto::openssl::X509Ptr made(X509_new());
  X509* const certificate = made.get();
  if (certificate == nullptr) return Failed("cannot make a certificate");
  X509* const issuer = ca != nullptr ? ca->certificate_.get() : certificate;
  const bool filled =
      X509_set_version(certificate, X509_VERSION_3) == 1 && SetSerial(certificate) &&
      SetSubject(certificate, spec) && SetTimes(certificate, spec, ca) &&
      X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1 &&
      X509_set_pubkey(certificate, key.handle()) == 1 && AddUses(certificate, issuer, spec.use) &&
      (ca == nullptr || AddExtension(certificate, issuer, NID_authority_key_identifier, "keyid")) &&
      AddAlternativeNames(certificate, spec);
  if (!filled || X509_sign(certificate, signer.handle(), EVP_sha256()) == 0) {
    return Failed("cannot make the certificate of " + spec.common_name);
  }
  return Certificate(made.release());
}

std::string Certificate::ToPem() const {
  const crypto::openssl::BioPtr bio = crypto::openssl::WriteBio();
  PEM_write_bio_X509(bio.get(), certificate_.get());
  return crypto::openssl::Written(bio);
}

std::string Certificate::CommonName() const {
  std::vector<std::string> names = NamesOf(certificate_.get(), NID_commonName);
  return names.empty() ? std::string() : std::move(names.back());
}

std::vector<std::string> Certificate::Organizations() const {
  return NamesOf(certificate_.get(), NID_organizationName);
}

std::vector<std::string> Certificate::DnsNames() const {
  return crypto::openssl::DnsNames(certificate_.get());
}

std::vector<IpAddress> Certificate::IpAddresses() const {
  std::vector<IpAddress> out;
  const crypto::openssl::NamesPtr names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate_.get(), NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* const name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type != GEN_IPADD) continue;
    const auto size = static_cast<size_t>(ASN1_STRING_length(name->d.iPAddress));
    if (size != 4 && size != 16) continue;
    out.push_back(IpAddress::FromBytes(ASN1_STRING_get0_data(name->d.iPAddress), size));
  }
  return out;
}

Duration Certificate::NotBefore() const {
  return DurationOf(X509_get0_notBefore(certificate_.get()));
}

Duration Certificate::NotAfter() const {
  return DurationOf(X509_get0_notAfter(certificate_.get()));
}

bool Certificate::IsCa() const { return X509_check_ca(certificate_.get()) != 0; }

std::string Certificate::Fingerprint() const {
  return crypto::openssl::Fingerprint(certificate_.get());
}

bool Certificate::BelongsTo(const PrivateKey& key) const {
  return EVP_PKEY_eq(X509_get0_pubkey(certificate_.get()), key.handle()) == 1;
}

bool Certificate::IsSignedBy(const Certificate& ca) const {
  const bool signed_by =
      X509_NAME_cmp(X509_get_issuer_name(certificate_.get()),
                    X509_get_subject_name(ca.certificate_.get())) == 0 &&
      X509_verify(certificate_.get(), X509_get0_pubkey(ca.certificate_.get())) == 1;
  ERR_clear_error();
  return signed_by;
}

bool Certificate::Covers(const std::vector<std::string>& dns_names,
                         const std::vector<IpAddress>& ip_addresses) const {
  const std::vector<std::string> names = DnsNames();
  const std::vector<IpAddress> addresses = IpAddresses();
  return std::ranges::all_of(dns_names,
                             [&names](const std::string& name) {
                               return std::ranges::find(names, name) != names.end();
                             }) &&
         std::ranges::all_of(ip_addresses, [&addresses](const IpAddress& address) {
           return std::ranges::find(addresses, address) != addresses.end();
         });
}

}  // namespace skiff::pki
