// What certificates say, as values of ours.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/openssl.h"

namespace skiff::crypto::openssl {

// All certificates of a PEM text up to the first that cannot be read. OpenSSL's error, which tells
// why it went no further (PEM_R_NO_START_LINE: that was all), is left for the caller.
std::vector<X509Ptr> ReadCertificates(std::string_view pem);

// The SHA-256 of the certificate in lower-case hex; empty when it cannot be computed.
std::string Fingerprint(const X509* certificate);
// The alternative names of this kind, in order.
std::vector<std::string> DnsNames(const X509* certificate);
// Seconds since 1970; nothing when it is no time.
std::optional<int64_t> UnixSeconds(const ASN1_TIME* time);
// In UTF-8; nothing when it is no text.
std::optional<std::string> Utf8(const ASN1_STRING* text);

}  // namespace skiff::crypto::openssl
