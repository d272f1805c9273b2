// Whether a certificate and a private key, both PEM, belong together.
#pragma once

#include <string>
#include <string_view>

namespace skiff::apiserver {

// What is wrong with them, in the words of Go's crypto/tls, which is what clients have always been
// warned with; empty: nothing.
std::string KeyPairFault(std::string_view certificates, std::string_view key);

}  // namespace skiff::apiserver
