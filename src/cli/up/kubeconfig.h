// A kubeconfig for one cluster and one user, whose certificates and key are in it.
#pragma once

#include <string>
#include <string_view>

namespace skiff::cli {

struct KubeconfigParts {
  std::string_view server;  // "https://127.0.0.1:6443"
  std::string_view ca_pem;
  std::string_view client_cert_pem;
  std::string_view client_key_pem;
};

std::string MakeKubeconfig(const KubeconfigParts& parts);

}  // namespace skiff::cli
