// Whom a certificate signing request asks a certificate for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace skiff::apiserver {

struct CsrSubject {
  std::string common_name;
  std::vector<std::string> organizations;
};

// Of a request in PEM, PKCS #10.
Result<CsrSubject> ReadCsrSubject(std::string_view pem);

}  // namespace skiff::apiserver
