// The blocks of a PEM text, as OpenSSL reads them.
#pragma once

#include <functional>
#include <string_view>

namespace skiff::crypto {

// Calls visit(type, der) for each block, in order, until it returns false. What is no block ends
// it. The bytes are wiped behind the call, since they may be a private key.
void ForEachPemBlock(std::string_view pem,
                     const std::function<bool(std::string_view type, std::string_view der)>& visit);

}  // namespace skiff::crypto
