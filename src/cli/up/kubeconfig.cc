#include "cli/up/kubeconfig.h"

#include "object/scalar/base64.h"

namespace skiff::cli {
namespace {

std::string Base64(std::string_view bytes) {
  std::string out;
  object::AppendBase64(bytes, out);
  return out;
}

}  // namespace

std::string MakeKubeconfig(const KubeconfigParts& parts) {
  std::string out =
      "apiVersion: v1\n"
      "kind: Config\n"
      "clusters:\n"
      "- name: skiff\n"
      "  cluster:\n";
  out.append("    server: ").append(parts.server).append("\n");
  out.append("    certificate-authority-data: ").append(Base64(parts.ca_pem)).append("\n");
  out +=
      "users:\n"
      "- name: skiff-admin\n"
      "  user:\n";
  out.append("    client-certificate-data: ").append(Base64(parts.client_cert_pem)).append("\n");
  out.append("    client-key-data: ").append(Base64(parts.client_key_pem)).append("\n");
  out +=
      "contexts:\n"
      "- name: skiff\n"
      "  context:\n"
      "    cluster: skiff\n"
      "    user: skiff-admin\n"
      "current-context: skiff\n";
  return out;
}

}  // namespace skiff::cli
