#include "net/tls_options.h"

#include <algorithm>
#include <array>

#include <openssl/ssl.h>

#include "base/strings.h"

namespace skiff::net {
namespace {

struct CipherName {
  std::string_view go;
  std::string_view openssl;  // "": of TLS 1.3
};

// What kube-apiserver takes and OpenSSL still has. RC4, 3DES and the ciphers whose key exchange is
// plain RSA with SHA-256 CBC are gone from both defaults.
constexpr std::array kCiphers = {
    CipherName{"TLS_AES_128_GCM_SHA256", ""},
    CipherName{"TLS_AES_256_GCM_SHA384", ""},
    CipherName{"TLS_CHACHA20_POLY1305_SHA256", ""},
    CipherName{"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "ECDHE-ECDSA-AES128-SHA"},
    CipherName{"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256", "ECDHE-ECDSA-AES128-SHA256"},
    CipherName{"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256"},
    CipherName{"TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", "ECDHE-ECDSA-AES256-SHA"},
    CipherName{"TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384"},
    CipherName{"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305", "ECDHE-ECDSA-CHACHA20-POLY1305"},
    CipherName{"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"},
    CipherName{"TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "ECDHE-RSA-AES128-SHA"},
    CipherName{"TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256", "ECDHE-RSA-AES128-SHA256"},
    CipherName{"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "ECDHE-RSA-AES128-GCM-SHA256"},
    CipherName{"TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", "ECDHE-RSA-AES256-SHA"},
    CipherName{"TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "ECDHE-RSA-AES256-GCM-SHA384"},
    CipherName{"TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305", "ECDHE-RSA-CHACHA20-POLY1305"},
    CipherName{"TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-RSA-CHACHA20-POLY1305"},
    CipherName{"TLS_RSA_WITH_AES_128_CBC_SHA", "AES128-SHA"},
    CipherName{"TLS_RSA_WITH_AES_128_CBC_SHA256", "AES128-SHA256"},
    CipherName{"TLS_RSA_WITH_AES_128_GCM_SHA256", "AES128-GCM-SHA256"},
    CipherName{"TLS_RSA_WITH_AES_256_CBC_SHA", "AES256-SHA"},
    CipherName{"TLS_RSA_WITH_AES_256_GCM_SHA384", "AES256-GCM-SHA384"},
};

constexpr std::string_view kDefaultCiphers =
    "ECDHE+AESGCM:ECDHE+CHACHA20:ECDHE-ECDSA-AES128-SHA:ECDHE-RSA-AES128-SHA:"
    "ECDHE-ECDSA-AES256-SHA:ECDHE-RSA-AES256-SHA";

}  // namespace

Result<std::string> CipherList(const std::vector<std::string>& go_names) {
  std::string list;
  for (const std::string& name : go_names) {
    const auto* found = std::find_if(kCiphers.begin(), kCiphers.end(),
                                     [&](const CipherName& cipher) { return cipher.go == name; });
    if (found == kCiphers.end())
      return BadRequest("Cipher suite " + name + " not supported or doesn't exist");
    if (found->openssl.empty()) continue;
    if (!list.empty()) list += ':';
    list += found->openssl;
  }
  return list.empty() ? std::string(kDefaultCiphers) : list;
}

Result<std::string> CurveList(const std::vector<int>& numbers) {
  std::string list;
  for (const int number : numbers) {
    const char* name = nullptr;
    switch (number) {
      case 23:
        name = "P-256";
        break;
      case 24:
        name = "P-384";
        break;
      case 25:
        name = "P-521";
        break;
      case 29:
        name = "X25519";
        break;
      case 4587:  // SecP256r1MLKEM768
      case 4588:  // X25519MLKEM768
      case 4589:  // SecP384r1MLKEM1024
        continue;
      default:
        return BadRequest("unknown curve " + std::to_string(number));
    }
    if (!list.empty()) list += ':';
    list += name;
  }
  if (list.empty() && !numbers.empty())
    return BadRequest("none of the curve preferences is supported");
  return list;
}

Result<int> TlsVersion(std::string_view go_name) {
  if (go_name.empty() || go_name == "VersionTLS12") return TLS1_2_VERSION;
  if (go_name == "VersionTLS13") return TLS1_3_VERSION;
  if (go_name == "VersionTLS10" || go_name == "VersionTLS11")
    return BadRequest("TLS version " + Quoted(go_name) + " is not safe and not supported");
  return BadRequest("unknown tls version " + Quoted(go_name));
}

}  // namespace skiff::net
